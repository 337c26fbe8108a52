"""What a file is made of: the words that all modules of files share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

# A signed message has at most 8192 UTF-16 units; a decrypted one carries its ciphertext beside it.
# What is longer than this cannot be a message, and must not fill a worker's memory.
MAX_LINE_BYTES = 1 << 20

Form: TypeAlias = Literal[
    "json_lines",
    "pretty_printed",
    "array",
    "json_sequence",
    "concatenated",
    "bipf_log",
    "flume_log",
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
