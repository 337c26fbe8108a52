"""The key of a separate network. Its peers use it in their signatures."""

from __future__ import annotations

from pathlib import Path

from scuttlehouse.ssb.validation import canonical_bytes


def network_key(text: str) -> bytes:
    """The key of a separate network, from its base64 text.

    Raises:
        ValueError: the text is not 32 bytes in canonical base64.

    >>> network_key("AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=") == bytes([3] * 32)
    True
    """
    key = canonical_bytes(text)
    if key is None or len(key) != 32:
        raise ValueError(
            "The network's HMAC key must be 32 bytes in canonical base64 (44 characters with the = "
            "at the end): copy it from the configuration of the network's peers."
        )
    return key


def read_network_key(path: Path) -> bytes:
    """The key of a separate network, from a file that holds only its base64 text.

    Raises:
        ValueError: the file cannot be read, or holds no such key. The message never shows the content.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ValueError(
            f"The network's HMAC key cannot be read from {path} ({error.strerror}): the var "
            "network_key_file names the file that holds it."
        ) from None
    try:
        return network_key(text.decode("ascii", "replace").strip())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
