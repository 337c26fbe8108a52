"""What a check of ``scuttlehouse doctor`` finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from scuttlehouse.catalog.names import NothingPublishedError
from scuttlehouse.errors import HouseError

# What somebody is told who may not look at something.
AS_BUILDER = "Run `scuttlehouse doctor` as the user that builds."


class Finding(NamedTuple):
    """Whether something is well, what it is, and what to do, which is empty if there is nothing to do."""

    state: Literal["ok", "warn", "fail"]
    what: str
    to_do: str = ""


Checks = Mapping[str, Callable[[], Finding]]


def found(check: Callable[[], Finding]) -> Finding:
    """What a check finds. One that fails for a reason nobody has thought of is a finding, too.

    >>> found(lambda: Finding("ok", "Java 17"))
    Finding(state='ok', what='Java 17', to_do='')
    >>> found(lambda: Finding("ok", str(1 // 0))).what
    'The check itself failed (ZeroDivisionError).'
    >>> found(lambda: Finding("ok", open("/nowhere/a").read()))
    Finding(state='fail', what='No such file or directory: /nowhere/a.', to_do='')
    """
    try:
        return check()
    except HouseError as error:
        is_new = isinstance(error, NothingPublishedError)
        return Finding("warn" if is_new else "fail", str(error))
    except OSError as error:
        to_do = AS_BUILDER if isinstance(error, PermissionError) else ""
        what = f"{error.strerror or 'An error'}: {error.filename or 'no file'}."
        return Finding("fail", what, to_do)
    except Exception as error:  # No message: it may hold anything.
        return Finding(
            "fail",
            f"The check itself failed ({type(error).__name__}).",
            "Report it, with what the other checks say.",
        )
