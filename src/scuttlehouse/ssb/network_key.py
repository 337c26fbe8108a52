"""The key of a separate network. Its peers use it in their signatures."""

from __future__ import annotations

from pathlib import Path

from scuttlehouse.errors import HouseError
from scuttlehouse.ssb.key_texts import may_hold_key
from scuttlehouse.ssb.validation import canonical_bytes
from scuttlehouse.warehouse_key import MOST_KEY_FILE_BYTES


class NetworkKeyError(HouseError):
    """The key of a separate network cannot be used. The message never shows the key."""


def network_key(text: str) -> bytes:
    """The key of a separate network, from its base64 text.

    Raises:
        NetworkKeyError: the text is not 32 bytes in canonical base64.

    >>> network_key("AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=") == bytes([3] * 32)
    True
    """
    key = canonical_bytes(text)
    if key is None or len(key) != 32:
        raise NetworkKeyError(
            "The network's HMAC key must be 32 bytes in canonical base64 (44 characters with the = "
            "at the end): copy it from the configuration of the network's peers."
        )
    return key


def read_network_key(path: Path) -> bytes:
    """The key of a separate network, from a file that holds only its base64 text.

    Raises:
        NetworkKeyError: the file cannot be read, or holds no such key.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MOST_KEY_FILE_BYTES)
    except OSError as error:
        # The key itself may stand in place of the name, and its base64 may have slashes.
        shown = path.name if path.parent.is_dir() else str(path)
        where = "the file that is named" if may_hold_key(shown) else path
        raise NetworkKeyError(
            f"The network's HMAC key cannot be read from {where} ({error.strerror}): let the var "
            "network_key_file name the file that holds it."
        ) from None
    try:
        return network_key(text.decode("ascii", "replace").strip())
    except NetworkKeyError as error:
        raise NetworkKeyError(f"{path}: {error}") from None
