"""What a file is made of: the words that all modules of files share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from scuttlehouse.errors import HouseError

# A signed message has at most 8192 UTF-16 units; a decrypted one carries its ciphertext beside it.
# What is longer than this cannot be a message, and must not fill a worker's memory.
MAX_LINE_BYTES = 1 << 20

# Every message has ids, of which an author or an id alone has 43 characters or more: no line as short as this
# can be one.
SHORT_BYTES = 64

# What messages of both sources begin with, as records and alone; for patterns.
FIRST_MEMBERS = "key|value|id|msg|author|previous|data|metadata"


class LandingError(HouseError):
    """The landing folder cannot be read; the message says why and what to do."""


# The expectations of dim_logs name these three (`among` in yml).
Form: TypeAlias = Literal[
    "json_lines",
    "pretty_printed",
    "array",
    "json_sequence",
    "concatenated",
    "bipf_log",
    "flume_log",
    "pzp_log",
]
Compression: TypeAlias = Literal["none", "gzip", "bzip2", "zstd"]
Encoding: TypeAlias = Literal["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "binary"]


class Kind(NamedTuple):
    """What a log is: the form of its text, how it is compressed, and how its characters are written."""

    form: str
    compression: str
    encoding: str


# What is read in splits; every other kind is read from its beginning.
PLAIN = Kind("json_lines", "none", "utf-8")


@dataclass(frozen=True)
class Log:
    """An entry of the landing folder; ``source_file`` is its path below that folder.

    ``problem`` says why it cannot be read, in a sentence; None for a file that can be opened.
    """

    path: str
    source_file: str
    size_bytes: int
    modified_ms: int
    kind: Kind = PLAIN
    problem: str | None = None


@dataclass(frozen=True)
class Split:
    """The lines of one file that begin at bytes ``start`` to ``end`` (exclusive)."""

    path: str
    source_file: str
    start: int
    end: int
    kind: Kind = PLAIN


class Line(NamedTuple):
    """A numbered line: its bytes without line end, or None and the fault that hides them."""

    line_number: int
    text: bytes | None
    fault: str | None

    @property
    def next_number(self) -> int:
        """The number of the line that follows."""
        return self.line_number + 1


class ShortLines(NamedTuple):
    """Lines in a row of at most ``SHORT_BYTES`` each, with their ends; the last one may have none."""

    line_number: int
    text: bytes

    @property
    def next_number(self) -> int:
        """The number of the line that follows them."""
        return self.line_number + len(self.texts())

    def texts(self) -> list[bytes]:
        """The lines without their ends.

        >>> ShortLines(3, b"a\\r\\n\\nb").texts()
        [b'a', b'', b'b']
        """
        found = self.text.removesuffix(b"\n").split(b"\n")
        return [text.removesuffix(b"\r") for text in found] if b"\r" in self.text else found

    def numbers(self) -> Iterable[int]:
        """The number of each."""
        return range(self.line_number, self.next_number)


class ShortValues(NamedTuple):
    """Values or records in a row, of at most ``SHORT_BYTES`` characters each, of a file without lines.

    ``found`` are their texts; bytes that are zero are one, too. Most of them are counted only, so
    ``find_numbers`` finds the number of each when it is asked for.
    """

    line_number: int
    next_number: int
    found: list[bytes]
    find_numbers: Callable[[], Iterable[int]]

    def texts(self) -> list[bytes]:
        """The texts."""
        return self.found

    def numbers(self) -> Iterable[int]:
        """The number of each."""
        return self.find_numbers()


def kept_numbers(records: Iterable[bytes], first: int) -> Iterator[int]:
    """The numbers of the records that are not deleted. A deleted one is zeros, or nothing. O(bytes).

    >>> [*kept_numbers([b"{}", b"\\0\\0", b"", b"{}"], 7)]
    [7, 10]
    """
    return (number for number, data in enumerate(records, first) if data.strip(b"\0"))


# What a reader of files yields.
Piece: TypeAlias = Line | ShortLines | ShortValues
