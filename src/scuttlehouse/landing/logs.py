"""Logs of the landing folder, read as numbered lines of bytes.

Lines end at ``\\n`` alone: U+2028 and U+0085 are ordinary text inside a message. A large file of plain JSON
lines is read in splits, so that it keeps many workers busy. A file of any other kind is one split (see
:mod:`scuttlehouse.files`). Nothing here looks inside a line; :mod:`scuttlehouse.ssb.lines` does.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from scuttlehouse.files.parts import PLAIN, LandingError, Line, Log, Piece, Split
from scuttlehouse.files.places import open_log
from scuttlehouse.files.whole import numbered_lines, read_whole, skip_line

SPLIT_BYTES = 64 << 20


def list_splits(logs: Iterable[Log], split_bytes: int = SPLIT_BYTES) -> list[Split]:
    """What there is to read in some logs. O(files + bytes / split_bytes).

    >>> log = Log("/landing/a.jsonl", "a.jsonl", 6, 0)
    >>> [(split.source_file, split.start, split.end) for split in list_splits([log], 4)]
    [('a.jsonl', 0, 4), ('a.jsonl', 4, 6)]
    """
    splits = []
    for log in logs:
        step = split_bytes if log.kind == PLAIN else log.size_bytes
        splits += [
            Split(log.path, log.source_file, start, min(start + step, log.size_bytes), log.kind)
            for start in range(0, log.size_bytes, max(step, 1))
        ]
    return splits


def count_line_ends(split: Split) -> int:
    """Count the line ends that stand before the last byte of a plain split, and after its first.

    That is: the lines that begin in the split after its first byte, plus one where the split
    begins a line. Summed over a file's earlier splits, it is the number of lines before a split.

    Complexity: O(bytes of the split), memory O(1).
    """
    first = max(split.start - 1, 0)
    left = split.end - 1 - first
    count = 1 if split.start == 0 else 0
    with suppress(OSError), open_log(split.path) as file:
        file.seek(first)
        while left > 0 and (chunk := file.read(min(left, 1 << 20))):
            count += chunk.count(b"\n")
            left -= len(chunk)
    return count


def first_line_numbers(splits: Sequence[Split], line_ends: Sequence[int]) -> list[int]:
    """The number of the first line of each split, from what :func:`count_line_ends` gave for each.

    >>> splits = [Split("a", "a", 0, 4), Split("a", "a", 4, 6), Split("b", "b", 0, 3)]
    >>> first_line_numbers(splits, [2, 1, 1])
    [1, 3, 1]
    """
    numbers = []
    before = 0
    for split, count in zip(splits, line_ends, strict=True):
        if split.start == 0:
            before = 0
        numbers.append(before + 1)
        before += count
    return numbers


def still_there(found: Log | None, source_file: str, size_bytes: int) -> Log:
    """A log as it is listed now, if it has all bytes that it had when the build looked at it.

    Raises:
        LandingError: it is gone, cannot be opened any more, or is shorter.

    >>> still_there(Log("/logs/a.jsonl", "a.jsonl", 9, 7), "a.jsonl", 6).path
    '/logs/a.jsonl'
    >>> still_there(None, "a.jsonl", 6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    scuttlehouse.files.parts.LandingError: The log a.jsonl was moved, removed, cut or replaced ...
    """
    if found is None or found.problem is not None or found.size_bytes < size_bytes:
        raise gone(source_file)
    return found


def require_all_there(split: Split) -> None:
    """See to it that a file which could not be read to its end has all bytes that it had when it was listed.

    Otherwise it counts as known when it comes back as it was, and its other lines are never read.

    Raises:
        LandingError: as :func:`still_there` raises it.
        NotGivenError: S3 refuses it.
    """
    with suppress(OSError), open_log(split.path) as file:
        if file.seek(0, io.SEEK_END) >= split.end:
            return
    raise gone(split.source_file)


def gone(source_file: str) -> LandingError:
    """The error for a log that is no longer what the build has found in the folder."""
    return LandingError(
        f"The log {source_file} was moved, removed, cut or replaced while this build read it: run "
        "`scuttlehouse build` again, which reads what is there then."
    )


def read_lines(
    split: Split, first_line_number: int = 1, words: tuple[bytes, ...] = ()
) -> Iterator[Piece]:
    """Yield the lines that begin in a split; short ones that follow each other come together.

    With ``words``, long lines of a plain file come only if they may have one of them.

    A line over ``MAX_LINE_BYTES`` comes as the fault ``too_long``. A file that cannot be read to its end
    ends with a line of the fault ``cut_short`` at the place where reading stopped; the whole lines before
    it are good.

    Memory: O(MAX_LINE_BYTES).

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> path.write_bytes(b"one\\ntwo\\r\\nthree")
    14
    >>> [*read_lines(Split(str(path), "a.jsonl", 0, 14))]
    [ShortLines(line_number=1, text=b'one\\ntwo\\r\\n'), ShortLines(line_number=3, text=b'three')]
    """
    if split.kind != PLAIN:
        yield from read_whole(split)
        return
    last: Piece | None = None
    try:
        with open_log(split.path) as file:
            if split.start > 0:
                file.seek(split.start - 1)
                skip_line(file, split.end)
            for last in numbered_lines(file, first_line_number, split.end, words):
                yield last
    except (OSError, EOFError):  # The file is gone or shorter than it was, or its disk fails.
        yield Line(last.next_number if last else first_line_number, None, "cut_short")
