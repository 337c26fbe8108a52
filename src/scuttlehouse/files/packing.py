"""How the text of a file is packed, and how a command reads it."""

from __future__ import annotations

import re
from typing import NamedTuple

_UNPACK = {"gzip": "gunzip -c | ", "bzip2": "bzip2 -dc | ", "zstd": "zstd -dc | "}


class Packing(NamedTuple):
    """How the text of a file is packed, and its encoding by the name that commands know.

    >>> Packing("gzip", "utf-16-be").to_utf_8, Packing().to_utf_8, Packing("zstd").inside
    ('gunzip -c | iconv -f utf-16be -t utf-8 | ', '', ' inside of a zstd file')
    """

    compression: str = "none"
    encoding: str = "utf-8"

    @property
    def inside(self) -> str:
        """What a sentence about the text says of the file."""
        return "" if self.compression == "none" else f" inside of a {self.compression} file"

    @property
    def unpack(self) -> str:
        """How a command begins that reads the text."""
        return _UNPACK.get(self.compression, "")

    @property
    def to_utf_8(self) -> str:
        """How a command begins that reads the text as UTF-8."""
        if self.encoding == "utf-8":
            return self.unpack
        # iconv has another name for a byte order.
        name = re.sub("-([bl]e)$", r"\1", self.encoding)
        return f"{self.unpack}iconv -f {name} -t utf-8 | "
