"""What options and environment variables ask of dbt, without dbt: importing it takes seconds."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import yaml

from scuttlehouse.catalog.names import WORK

# In the project itself, or in another one that has it as a package.
PROFILES = Path("profiles"), Path("dbt_packages", "scuttlehouse", "profiles")

# The variables of those options that change what a build makes. Others change the target and the output.
CHANGING = (
    "DEFER",
    "DEFER_TO_STATE",
    "EMPTY",
    "EVENT_TIME_END",
    "EVENT_TIME_START",
    "FAVOR_STATE",
    "FULL_REFRESH",
    "PROJECT_DIR",
    "RESOURCE_TYPES",
    "SAMPLE",
    "STORE_FAILURES",
    "WARN_ERROR",
    "WARN_ERROR_OPTIONS",
)

_YES = {"1", "true", "t", "yes", "y", "on"}
_NO = {"", "0", "false", "f", "no", "n", "off"}

# dbt's short options without a value may stand together: `-xf`.
_FULL_REFRESH = re.compile(r"--full-refresh$|-[dqx]*f")
_HELP = re.compile(r"--help$|-[dfqx]*h")
# With one of these, dbt prints its own output, and no progress is shown.
_OUTPUT_OPTION = re.compile(r"--(?:quiet|debug)$|--log-(?:level|format)(?:=|$)|-[dfqx]*[dq]")

# If it is set, a build compares the landed logs with the ledger by content: `dbt build` has no such option.
VERIFY = "SCUTTLEHOUSE_VERIFY"


def variable(name: str) -> str:
    """The value of dbt's variable for an option. It is empty if there is none."""
    return os.environ.get(f"DBT_ENGINE_{name}") or os.environ.get(f"DBT_{name}") or ""


def project_folder(options: Sequence[str]) -> Path | None:
    """The folder of dbt's project: a named one, or the present folder or the nearest around it that has one.

    >>> project_folder(["-f", "--project-dir=/srv/club"]), project_folder(["--project-dir", "/srv/club"])
    (PosixPath('/srv/club'), PosixPath('/srv/club'))
    """
    named = variable("PROJECT_DIR")
    for option, following in pairwise([*options, ""]):
        name, sign, value = option.partition("=")
        if name == "--project-dir":
            named = value if sign else following
    if named:
        return Path(named)
    here = Path.cwd()
    folders = (Path(), *here.parents)
    return next((folder for folder in folders if (folder / "dbt_project.yml").is_file()), None)


def profiles_folders(project: Path) -> list[Path]:
    """Where a project may have the profiles of scuttlehouse."""
    return [project / folder for folder in PROFILES]


def is_full_refresh(options: Sequence[str]) -> bool:
    """Whether a build makes all tables again.

    >>> is_full_refresh(["-xf"]), is_full_refresh(["-s", "fct_messages"])
    (True, False)
    """
    is_asked = variable("FULL_REFRESH").strip().lower() in _YES
    return is_asked or any(_FULL_REFRESH.match(option) for option in options)


def asks_for_help(options: Sequence[str]) -> bool:
    """Whether dbt shows its help, and does nothing else.

    >>> asks_for_help(["--full-refresh", "--help"]), asks_for_help(["-fh"]), asks_for_help(["--profile", "h"])
    (True, True, False)
    """
    return any(_HELP.match(option) for option in options)


def is_printed_by_dbt(options: Sequence[str]) -> bool:
    """Whether options ask for the output of dbt.

    >>> is_printed_by_dbt(["-fq"]), is_printed_by_dbt(["--log-format=json"])
    (True, True)
    >>> is_printed_by_dbt(["-xf", "--log-format-file", "json", "-s", "dim_groups"])
    False
    """
    return any(_OUTPUT_OPTION.match(option) for option in options)


def is_verifying(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a build compares the landed logs with the ledger by their content.

    >>> is_verifying({VERIFY: "1"}), is_verifying({VERIFY: " No "}), is_verifying({})
    (True, False, False)
    """
    return environment.get(VERIFY, "").strip().lower() not in _NO


def is_plain_build(project: Path) -> bool:
    """Whether a build without options makes all tables and publishes them, by dbt's variables and profiles.

    False if the profiles name the target or its schema in Jinja, or cannot be read.
    """
    if any(variable(name).strip().lower() not in _NO for name in CHANGING):
        return False
    try:
        return _schema(project) == WORK
    except (OSError, ValueError, LookupError, TypeError, AttributeError, yaml.YAMLError):
        return False


def _schema(project: Path) -> object:
    """The schema of dbt's target, as the profiles write it."""
    given = variable("PROFILES_DIR")
    folders = [Path(given)] if given else [*profiles_folders(project), Path()]
    if not given:
        with suppress(RuntimeError):  # This user may have no home folder.
            folders.append(Path.home() / ".dbt")
    files = [folder / "profiles.yml" for folder in folders]
    [file, *_] = [file for file in files if file.is_file()]
    settings = yaml.safe_load((project / "dbt_project.yml").read_text("utf-8"))
    profile = yaml.safe_load(file.read_text("utf-8"))[variable("PROFILE") or settings["profile"]]
    target = variable("TARGET") or profile.get("target", "default")
    return profile["outputs"][target]["schema"]
