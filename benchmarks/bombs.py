"""Files that become 1 GB, beside an ordinary log of as many bytes: seconds, memory, and what is told.

    python benchmarks/bombs.py                     # 1 GB of each kind, some hours
    python benchmarks/bombs.py --megabytes 64 zeros

Each file is read by itself, in a process of its own, as a build reads it without Spark: looked at, hashed,
and its lines turned into rows. A compressed file that becomes too long is left out, so that its time is the
time up to the limit (`SCUTTLEHOUSE_UNPACK_LIMIT`); `--unpack-limit` sets another. The peer is the sample's
log, again and again, up to 64 MB; compressed alike, with other ids each time. It is read once for each
compression, and its time is that of as many bytes as the bomb has, compressed. The benchmark fails if a bomb
that is read takes more than MOST times as long, or MOST_OF_SMALL times if it is of the smallest messages and
damaged lines, where a piece of 70 bytes costs up to half of what a message costs, or MOST_OF_RECODED times
if its texts may be those of three others in code pages; or one that is left out, LEAST seconds beside that.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import os
import random
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import IO, cast

import zstandard

from scuttlehouse.files.limits import recognise_within_limits
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.parts import Line
from scuttlehouse.landing.glued_lines import epoch_keys, land_lines, land_pzp_lines
from scuttlehouse.landing.logs import list_splits, read_lines
from scuttlehouse.landing.looks import content_hash
from scuttlehouse.landing.rejects import fold_rejects, reason_of
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine

PROJECT = Path(__file__).parents[1]
RING = KeyRing(b"pepper")
MESSAGE = b'{"key":"%a","value":{}}\n'
# What is begun like this is read as values, not as lines.
PRETTY = b'{\n  "key": "%a",\n  "value": {}\n}\n'
MB = 1 << 20
# What reading costs in any case: Python's start in the mirror of a file, and noise.
LEAST = 2.0
MOST = 3.0
MOST_OF_SMALL = 7.0
MOST_OF_RECODED = 10.0

# The least that is a message.
SMALLEST = b'{"author":"b","sequence":1,"content":%b}\n'
# Of a set of pzp.
SET_MESSAGE = (
    b'{"msg":{"metadata":{"account":"a","domain":"set_v1__a"},"data":%b,"sigkey":"","sig":""}}\n'
)

# A message under another id: all that an exporter may have changed in it is tried.
MISNAMED = (
    b'{"key":"%%%b=.sha256","value":{"previous":null,"author":"@%b=.ed25519","sequence":1,'
    b'"timestamp":1445587812859,"hash":"sha256","content":{"type":"post","text":"%b"},'
    b'"signature":"%b==.sig.ed25519"}}\n'
)

# A classic message whose members are sorted, so that it is written in each order that may have been signed.
REORDERED = (
    b'{"key":"%%%%%b=.sha256","value":{"author":"@%b=.ed25519","content":%%b,"hash":"sha256","previous":null,'
    b'"sequence":1,"signature":"%b==.sig.ed25519","timestamp":1445587812859}}\n'
) % (b"A" * 43, b"A" * 43, b"A" * 86)


def lists(content: bytes, item: bytes, message: bytes = SMALLEST) -> bytes:
    """Messages as long as a message may be, with a list of items in them."""
    line = message % (content % b",".join([item] * (7_500 // (len(item) + 1))))
    return line * (MB // len(line))


# What is written again and again, up to the size.
KINDS = {
    "zeros": bytes(MB),
    "an endless line": b"x" * MB,
    "nested arrays": b"[" * MB,
    "nested objects": b'{"a":' * (MB // 5),
    "empty lines": b"\n" * MB,
    "tiny entries": b"{}\n" * (MB // 3),
    "different tiny lines": b"".join(b"%d\n" % number for number in range(150_000)),
    "different tiny entries": b"".join(b'{"%d":1}\n' % number for number in range(90_000)),
    "lines of nested objects": (b'{"a":' * 14 + b"\n") * (MB // 71),
    "lines of no messages": b'{"key":"%a","value":{"author":"b","sequence":1,"content":""}}\n'
    * (MB // 62),
    "one line of tiny entries": b"{}" * (MB // 2),
    "lines of tiny entries": (b"{}" * 33 + b"\n") * (MB // 67),
    "damaged lines": (b'{"key":"%a","value":{"author":"b"' + b"x" * 45 + b"}\n") * (MB // 80),
    "messages under other ids": MISNAMED % (b"A" * 43, b"A" * 43, b"x", b"A" * 86) * (MB // 370),
    "long messages under other ids": MISNAMED
    % (b"A" * 43, b"A" * 43, b"x" * 7_500, b"A" * 86)
    * (MB // 7_900),
}
# Lines, and pieces of lines, that are hardly longer than SHORT_BYTES: each is parsed, and hashed or searched.
# And lists of short items in messages: they become tokens and objects, or are written several times.
SMALL = {
    "lines of glued messages": (
        b'{"author":"b","sequence":1,"content":{"type":"a message of a line"}}' * 9000 + b"\n"
    )
    * 3,
    "smallest messages": b'{"author":"b","sequence":1,"content":{"type":"a message of a line"}}\n'
    * (MB // 69),
    "smallest messages of pzp": b'{"msg":{"metadata":{"account":"self"},"data":0,"sigkey":"","sig":""}}\n'
    * (MB // 70),
    "damaged lines with escapes": (b'{"a":"' + b"\\u0022" * 12 + b'"}{\n') * (MB // 82),
    "lines of beginnings": (b'{"key":' * 20 + b'"value"}}\n') * (MB // 150),
    "arrays in arrays in messages": (
        b'{"author":"b","sequence":1,"content":' + b"[" * 120 + b"]" * 120 + b"}\n"
    )
    * (MB // 280),
    "wide arrays deep in messages": (
        b'{"author":"b","sequence":1,"content":%b0%b}\n' % (b"[" * 60 + b"0," * 20_000, b"]" * 60)
    )
    * (MB // 40_000),
    "excluded numbers": lists(b'{"excludes":[%b]}', b"0"),
    "excluded texts": lists(b'{"excludes":[%b]}', b'"a"'),
    "recipients": lists(b'{"recps":[%b]}', b'"?"'),
    "reordered fractions": lists(b'{"type":"post","a":[%b]}', b"1.5", REORDERED),
    "reordered exponents": lists(b'{"type":"post","a":[%b]}', b"1e-5", REORDERED),
    "reordered excluded fractions": lists(b'{"type":"post","excludes":[%b]}', b"1.5", REORDERED),
    "reordered excluded lists": lists(b'{"type":"post","excludes":[%b]}', b"[1.5]", REORDERED),
    "long names": SMALLEST
    % (b'{"type":"group/init","name":"%b"}' % (b"a" + "\u0301\u0316".encode() * 499))
    * (MB // 2_100),
    "long names of the letters a to f": SMALLEST
    % (b'{"type":"group/init","name":"%b"}' % (b"decade facade " * 71))
    * (MB // 1_100),
    "long names of letters that stand for many": SMALLEST
    % (b'{"type":"group/init","name":"%b"}' % ("\ufdfa".encode() * 1_000))
    * (MB // 3_100),
    "reordered texts with entities": lists(b'{"type":"post","a":[%b]}', b'"&lt;"', REORDERED),
    "reordered texts": lists(b'{"type":"post","a":[%b]}', b'"a"', REORDERED),
    "items of sets": lists(b'{"add":[%b],"del":[],"supersedes":[]}', b'"?"', SET_MESSAGE),
}
# Each may have been another message, in UTF-8 that software has read in one of three code pages.
RECODED = {
    "reordered fractions in code pages": lists(
        b'{"type":"post","text":"\xe2\x95\x94\xc2\xa2","a":[%b]}', b"1.5", REORDERED
    ),
    "reordered objects in code pages": lists(
        b'{"type":"post","text":"\xe2\x95\x94\xc2\xa2","a":[%b]}', b'{"a":0.5}', REORDERED
    ),
    "arrays deep in code pages": REORDERED
    % (
        b'{"type":"post","text":"\xe2\x95\x94\xc2\xa2","a":%b1.5%b}'
        % (b"[" * 60 + b"1.5," * 5_000, b"]" * 60)
    )
    * (MB // 20_000),
}
# The same, of other forms: what the file begins with, and what follows.
OTHER_KINDS = {
    "pretty-printed entries": (PRETTY, b"{\n}\n" * (MB // 4)),
    "different pretty-printed entries": (
        PRETTY,
        b"".join(b'{\n  "a": %d\n}\n' % number for number in range(60_000)),
    ),
    "pretty-printed objects in objects": (PRETTY, b'{\n  "a": {}\n}\n' * (MB // 14)),
    "entries between zeros": (PRETTY, b"{}\n\0" * (MB // 4)),
    "entries between damage": (PRETTY, (b'{"a":"' + b"x" * 60 + b'"}{x}') * (MB // 71)),
    "beginnings of messages": (PRETTY, b'{"key":' * (MB // 7)),
    "beginnings and ends": (PRETTY, (b'{"key":' * 1_000 + b'"value"}' + b"x" * 70 + b"}") * 140),
    "glued entries": (MESSAGE.strip() * 100, MESSAGE.strip() * (MB // 24)),
    "records of flume": (b"", b"\0\0\0\x02{}\0\0\0\x02" * (MB // 10)),
    "damaged records of flume": (
        b"\0\0\0\x02{}\0\0\0\x02",
        b"\0\0\0\x42{" * (MB // 5),
    ),
    "records of BIPF": (b"", b"\1\0\5" * 21_845 + b"\0"),
    "damaged records of BIPF": (b"", b"\1\0\5" + b"\x85" * ((1 << 16) - 3)),
}
COMPRESSIONS: dict[str, Callable[[Path], IO[bytes]]] = {
    "none": lambda path: path.open("wb"),
    "gzip": lambda path: cast("IO[bytes]", gzip.GzipFile(path, "wb", 6)),
    "bzip2": lambda path: cast("IO[bytes]", bz2.BZ2File(path, "wb")),
    "zstd": lambda path: zstandard.open(path, "wb"),
}


def write_bomb(path: Path, kind: str, compression: str, size: int) -> None:
    with COMPRESSIONS[compression](path) as file:
        beginning, rest = OTHER_KINDS.get(kind) or (MESSAGE, (KINDS | SMALL | RECODED)[kind])
        file.write(beginning)
        for _ in range(-(-size // len(rest))):
            file.write(rest)


def messages(compression: str) -> Iterator[bytes]:
    """Lines of the sample without end. In a compressed log they have other ids each time."""
    lines = (PROJECT / "sample" / "alice.jsonl").read_bytes().splitlines(keepends=True)
    while compression == "none":
        yield from lines
    random.seed(1)
    while True:
        letters = bytes(random.sample(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", 26))
        table = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", letters)
        yield from (line.translate(table) for line in lines)


def write_ordinary(path: Path, compression: str, compressed_bytes: int) -> None:
    with COMPRESSIONS[compression](path) as file:
        for number, line in enumerate(messages(compression)):
            file.write(line)
            if number % 100 == 0:
                file.flush()
                if path.stat().st_size >= compressed_bytes:
                    return


def read(path: Path) -> tuple[float, int, str]:
    """Processor seconds, megabytes of memory at most, and what was found, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        begun = process_time()
        told = _read(path)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        os.write(writing, f"{process_time() - begun} {memory} {told}".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        seconds, memory, told = answer.read().split(" ", 2)
    os.waitpid(child, 0)
    return float(seconds), int(memory), told


def _read(path: Path) -> str:
    log = entry_of(path, path.name)
    kind = recognise_within_limits(log)
    if isinstance(kind, str):
        return "left out"
    log = replace(log, kind=kind)
    content_hash(log)
    rows: Counter[str] = Counter()
    for split in list_splits([log]):
        for line in read_lines(split):
            rows["keys"] += len([*epoch_keys(line)]) if isinstance(line, Line) else 0
        # As a task of Spark does, twice.
        for land, kind in ((land_lines, LandedLine), (land_pzp_lines, LandedPzpLine)):
            lines = ((path.name, line) for line in read_lines(split))
            for row in fold_rejects(lines, partial(land, ring=RING), RING, kind):
                rows[reason_of(row) or "messages"] += row.line_count
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(rows.items()) if count)


def main() -> int:
    all_kinds = [*KINDS, *SMALL, *RECODED, *OTHER_KINDS]
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", help=", ".join(all_kinds))
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--compression", action="append", choices=[*COMPRESSIONS], default=[])
    parser.add_argument("--unpack-limit", default="")
    arguments = parser.parse_args()
    if unknown := set(arguments.kinds) - {*all_kinds}:
        parser.error(f"there is no kind {', '.join(unknown)}: {', '.join(all_kinds)}")
    os.environ["SCUTTLEHOUSE_UNPACK_LIMIT"] = arguments.unpack_limit
    is_good = True
    peers: dict[str, tuple[float, int]] = {}
    print("kind, compression: compressed bytes; seconds and memory of the bomb; of an ordinary log")
    for kind in arguments.kinds or all_kinds:
        for compression in arguments.compression or COMPRESSIONS:
            with TemporaryDirectory() as folder:
                bomb, ordinary = Path(folder, "bomb.jsonl"), Path(folder, "ordinary.jsonl")
                write_bomb(bomb, kind, compression, arguments.megabytes * MB)
                size = bomb.stat().st_size
                if compression not in peers:
                    write_ordinary(ordinary, compression, min(max(size, MB), 64 * MB))
                    peer, peer_memory, _ = read(ordinary)
                    peers[compression] = peer / ordinary.stat().st_size, peer_memory
                seconds, memory, told = read(bomb)
                peer, peer_memory = peers[compression][0] * size, peers[compression][1]
            most = MOST_OF_SMALL if kind in SMALL else MOST_OF_RECODED if kind in RECODED else MOST
            is_within = seconds < most * peer + (LEAST if told == "left out" else 0)
            is_good = is_good and is_within
            print(
                f"{kind}, {compression}: {size:,} bytes; {seconds:.2f} s {memory} MB, {told};"
                f" {peer:.2f} s {peer_memory} MB; {seconds / peer:.2f} times"
                f"{'' if is_within else '   TOO LONG'}",
                flush=True,
            )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
