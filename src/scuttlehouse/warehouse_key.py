"""The key of a warehouse. It keys the hashes of the warehouse, and seals the epoch keys that it found.

Somebody who has this key and a copy of the home can read those epoch keys, and can test whether a guessed
text is behind a token. By default a build makes the key once and keeps it in the home, where only the owner
of the home can read it. A backup of the home then holds both. The key may also come from one of these:

============================  ===========================================================
``SCUTTLEHOUSE_KEY``          the key itself: 32 bytes in base64 or hex
``SCUTTLEHOUSE_KEY_FILE``     a file that holds such a text
``SCUTTLEHOUSE_KEY_COMMAND``  a command that prints it, for example ``pass show warehouse``
============================  ===========================================================
"""

from __future__ import annotations

import os
import shlex
import subprocess
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from scuttlehouse.errors import HouseError
from scuttlehouse.folders import locked_folder

KEY_BYTES = 32

PEPPER_FILE = "key_hash.pepper"
SEALED_FILE = "epoch_keys.sealed"

# So much of a file that should hold a key is read: another file may be large, or a device without an end.
MOST_KEY_FILE_BYTES = 4096

_FORM = "32 bytes in base64 or hex, as `openssl rand -base64 32` prints them"


class WarehouseKeyError(HouseError):
    """The key of the warehouse is not available. The message says why and what to do, and never the key."""


def warehouse_pepper(home: Path, environment: Mapping[str, str] = os.environ) -> bytes:
    """The key of the warehouse in this home. If the environment names none, it is made once and kept there.

    Raises:
        WarehouseKeyError: the environment names several places, or one that has no key; or it names none, and
            the key that sealed the epoch keys of this home is not there or cannot be read.
    """
    places = {name: value for name in _PLACES if (value := environment.get(name, "").strip())}
    if len(places) > 1:
        raise WarehouseKeyError(
            f"The key of the warehouse is set in several places: unset {' or '.join(places)}."
        )
    for name, value in places.items():
        return _PLACES[name](value)
    path = home / PEPPER_FILE
    if pepper := _kept_pepper(path):
        return pepper
    with changing_keys(home):
        return _kept_pepper(path) or _new_pepper(home)


def _kept_pepper(path: Path) -> bytes | None:
    """The key in a file. None if it is not there, or not whole."""
    pepper = kept_file(path) or b""
    return pepper if len(pepper) == KEY_BYTES else None


def kept_file(path: Path) -> bytes | None:
    """What is in a file of keys of the home. None if it is not there.

    Raises:
        WarehouseKeyError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WarehouseKeyError(
            f"{path} cannot be read ({error.strerror}): correct its permissions, or restore it from a backup."
        ) from None


def _new_pepper(home: Path) -> bytes:
    path = home / PEPPER_FILE
    if (home / SEALED_FILE).exists():
        raise WarehouseKeyError(
            f"{path} is {'damaged' if path.exists() else 'missing'}, and {SEALED_FILE} beside it is sealed "
            f"with a key: restore {PEPPER_FILE} from a backup, or set the place of the key again "
            f"({', '.join(_PLACES)}). If the key is lost, put all logs back, those in an archive too, delete "
            f"{SEALED_FILE} and run `scuttlehouse build --full-refresh`, which reads all logs again."
        )
    pepper = os.urandom(KEY_BYTES)
    write_private(path, pepper)
    return pepper


def _key_of_text(text: str, place: str) -> bytes:
    text = text.strip()
    try:
        key = bytes.fromhex(text) if len(text) == 2 * KEY_BYTES else b64decode(text, validate=True)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise WarehouseKeyError(f"{place} is not a key of a warehouse: it must be {_FORM}.")
    return key


def _key_of_file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            text = file.read(MOST_KEY_FILE_BYTES).decode("ascii", "replace")
    except OSError as error:
        raise WarehouseKeyError(
            f"SCUTTLEHOUSE_KEY_FILE cannot be read ({error.strerror}): let it name the file with the key."
        ) from None
    return _key_of_text(text, "The content of the file that SCUTTLEHOUSE_KEY_FILE names")


# A command may ask a person for a password, so it runs once in each process.
@cache
def _key_of_command(command: str) -> bytes:
    try:
        done = subprocess.run(shlex.split(command), stdout=subprocess.PIPE, check=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its quotes are not closed"
        raise WarehouseKeyError(
            f"SCUTTLEHOUSE_KEY_COMMAND cannot be run ({reason}): correct it."
        ) from None
    except subprocess.CalledProcessError as error:
        raise WarehouseKeyError(
            f"SCUTTLEHOUSE_KEY_COMMAND has failed with {error.returncode}: run it by hand, and correct it."
        ) from None
    return _key_of_text(
        done.stdout.decode("ascii", "replace"), "The output of SCUTTLEHOUSE_KEY_COMMAND"
    )


_PLACES: dict[str, Callable[[str], bytes]] = {
    "SCUTTLEHOUSE_KEY": lambda text: _key_of_text(text, "SCUTTLEHOUSE_KEY"),
    "SCUTTLEHOUSE_KEY_FILE": _key_of_file,
    "SCUTTLEHOUSE_KEY_COMMAND": _key_of_command,
}
PLACES_OF_KEYS = tuple(_PLACES)


@contextmanager
def changing_keys(home: Path) -> Iterator[None]:
    """In the block, no other process changes the keys of a home: others wait. A missing home is made.

    A developer may build beside a build that is published, and both read logs.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked_folder(home):
        yield


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read. It is written whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
