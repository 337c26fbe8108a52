"""Make a sample and write it to files."""

from __future__ import annotations

import gzip
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from filecmp import cmp
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, cast

from scuttlehouse.errors import HouseError
from scuttlehouse.printing import visible
from scuttlehouse.sample import faults, forks, public, scenes
from scuttlehouse.sample.bulk import bulk
from scuttlehouse.sample.competing import competing
from scuttlehouse.sample.lines import line_of
from scuttlehouse.sample.sets import set_lines
from scuttlehouse.sample.summary import Summary
from scuttlehouse.sample.world import EXPORTERS, Person, Sighting, World

TARGETS = {
    "small": 0,
    "medium": 10_000,
    "large": 100_000,
    "epochs": 500_000,
    "huge": 2_000_000,
}
"""The least number of different messages by size. The scenes alone make the small sample."""

HOUR = 3_600_000
LINES_PER_FILE = 100_000

UNFINISHED = ".unfinished"
"""The end of a file's name until the sample is complete: no build takes such a file for a log."""

REPEATED = 80
"""One of this many lines of the first log is repeated at its end."""


class SampleError(HouseError):
    """The folder holds other logs under the names of the sample's."""


class Sample:
    """A sample that is being made. `lines` may be read once; then `summary` and `secrets` are complete.

    The same seed and size give the same bytes. Sizes are `small` (a few hundred messages), `medium` (10,000),
    `large` (100,000), `huge` (2,000,000) and `epochs` (500,000 in 1,000 groups of competing epochs). The
    small sample also has a log of the second source, pzp. Lines are made as they are read: memory holds one
    group or one day, and the content of the summary.

    Raises:
        ValueError: there is no such size.

    >>> sample = Sample()
    >>> len({name for name, line in sample.lines()}), sample.summary.forked_feeds != []
    (4, True)
    """

    def __init__(self, seed: int = 1, size: str = "small") -> None:
        if size not in TARGETS:
            raise ValueError(f"There is no sample size {size!r}: use one of {', '.join(TARGETS)}.")
        self._world = World(seed, size)
        self._size = size
        self._parts: Counter[str] = Counter()
        self._room: Counter[str] = Counter()
        self.summary: Summary = self._world.summary

    @property
    def secrets(self) -> list[bytes]:
        """Every epoch key and metafeed seed made so far, 32 bytes each."""
        return list(self._world.secrets)

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """All lines as (file name, bytes with the line's end)."""
        world, summary = self._world, self.summary
        _script(world)
        bad, odd = faults.bad_lines(world), faults.odd_lines(world)
        summary.bad_lines = dict(Counter(kind for kind, _ in bad))
        summary.odd_lines = dict(Counter(kind for kind, _ in odd))
        logs = self._logs(world.sightings(), with_threads=True)
        again = logs["alice"][::REPEATED]
        summary.repeated_messages = len(again)
        logs["alice"].extend(again)
        step = len(logs["alice"]) // (len(bad) + 1)
        for place, (_, line) in enumerate(bad, 1):
            logs["alice"].insert(place * (step + 1), line)
        logs["bob"].extend(line for _, line in odd)
        if self._size == "small":
            logs["devices"] = set_lines(world)
        yield from self._named(logs)
        self._room.clear()
        summary.messages += len(odd) + summary.repeated_messages
        for _ in self._more():
            yield from self._named(self._logs(world.sightings(), with_threads=False))

    def _more(self) -> Iterator[None]:
        """The parts after the scenes that every sample has. Yields after each part."""
        target = TARGETS[self._size]
        if self._size == "epochs":
            yield from competing(self._world, target)
        elif target:
            yield from bulk(self._world, self._size, target)

    def _logs(self, sightings: list[Sighting], *, with_threads: bool) -> dict[str, list[bytes]]:
        """Lines by exporter. The tangles of the scene are closed."""
        self._world.tangles.close(self.summary, with_threads=with_threads)
        self.summary.messages += len(sightings)
        logs: dict[str, list[bytes]] = {name: [] for name in EXPORTERS}
        for received, name, message in sightings:
            logs[name].append(line_of(message, name, received))
        return logs

    def _named(self, logs: dict[str, list[bytes]]) -> Iterator[tuple[str, bytes]]:
        """Lines with the names of their files. A file that is long enough gets no more lines."""
        for name, lines in logs.items():
            if self._room[name] <= 0:
                self._parts[name] += 1
                self._room[name] = LINES_PER_FILE
            self._room[name] -= len(lines)
            part = "" if self._parts[name] == 1 else f"-{self._parts[name]}"
            file = f"{name}{part}.jsonl{'.gz' if name == 'relay' else ''}"
            self.summary.files[file] = self.summary.files.get(file, 0) + len(lines)
            for line in lines:
                yield file, line


def write_sample(folder: Path, seed: int = 1, size: str = "small") -> Summary:
    """Write a sample into `folder` and return its summary. A missing folder is made.

    All files or none are written. A file that is there with the same bytes stays as it is.

    Raises:
        SampleError: the folder has a file of the same name with other bytes.
        ValueError: there is no such size.
        OSError: the folder cannot be written to.

    >>> with TemporaryDirectory() as folder:
    ...     sorted(write_sample(Path(folder)).files)
    ['alice.jsonl', 'bob.jsonl', 'devices.jsonl', 'relay.jsonl.gz']
    """
    sample = Sample(seed, size)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".sample-", dir=folder) as made:
        _write(sample, Path(made))
        files = {Path(made, name + UNFINISHED): folder / name for name in sample.summary.files}
        there = {new: old for new, old in files.items() if old.exists()}
        others = [old.name for new, old in there.items() if not cmp(new, old, shallow=False)]
        if others:
            raise SampleError(
                f"{folder} holds other files named {', '.join(others)}, so nothing was written: name another "
                "folder, or move them away."
            )
        for new in files.keys() - there.keys():
            new.replace(files[new])
    return sample.summary


def _write(sample: Sample, folder: Path) -> None:
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        for name, line in sample.lines():
            if name not in files:
                files[name] = stack.enter_context(_open(folder / name, stack))
            files[name].write(line)


def _open(path: Path, stack: ExitStack) -> IO[bytes]:
    """Open a file for writing. A gzip file gets no name and no time, so its bytes are always the same."""
    raw = stack.enter_context(path.with_name(path.name + UNFINISHED).open("wb"))
    if path.suffix != ".gz":
        return raw
    return cast(IO[bytes], gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `scuttlehouse sample` to `parser`."""
    parser.add_argument("--seed", type=int, default=1, help="another seed, another log")
    parser.add_argument(
        "--size",
        choices=list(TARGETS),
        default="small",
        help="how many messages: small has hundreds, medium 10,000, large 100,000, huge 2,000,000; epochs "
        "has 500,000, in groups with many epochs",
    )
    parser.add_argument(
        "--out",
        type=_folder,
        required=True,
        metavar="FOLDER",
        help="where the log files are written",
    )


def _folder(name: str) -> Path:
    """The folder with that name. Without a name it would be the present folder."""
    if not name:
        raise ArgumentTypeError("the name of the folder is empty")
    return Path(name).absolute()


def run(args: Namespace) -> int:
    """Run `scuttlehouse sample` and return the exit code: 1 if the folder cannot be written to."""
    folder = visible(str(args.out))
    try:
        summary = write_sample(args.out, args.seed, args.size)
    except OSError as error:
        print(
            f"The sample cannot be written to {folder} ({error.strerror}): name a folder that can be "
            "made or written.",
            file=sys.stderr,
        )
        return 1
    sets = f"and {len(summary.sets)} sets, " if summary.sets else ""
    print(
        f"Wrote {summary.messages} messages, {summary.distinct_messages} of them different, {sets}"
        f"in {len(summary.files)} files to {folder}."
    )
    return 0


def _script(world: World) -> None:
    """The scenes that every sample has, in every size."""
    names = ["alice", "bob", "carol", "dave", "erin", "frank"]
    alice, bob, carol, dave, erin, frank = names
    for name in names:
        world.person(name)
    Person(world, "grace").announce()
    world.person(dave).main.clock = 2 * HOUR
    world.person(frank).main.clock = -24 * HOUR
    public.introduce(world, names)
    public.threads(world, names)
    scenes.garden(world, "garden", [alice, bob, carol, dave])
    public.poll(world, names)
    scenes.gap(world, "reading circle", [bob, alice, dave, erin])
    forks.same_members(world, "soup kitchen", [alice, bob, carol, erin])
    public.private_notes(world, alice, carol, 3)
    public.private_notes(world, erin, frank, 3)
    forks.subset_members(world, "choir", [alice, bob, carol, dave])
    forks.overlapping_members(world, "bicycle shed", [alice, bob, carol, frank])
    forks.resolved_members(world, "tool library", [bob, alice, dave, erin])
    forks.disjoint_members(world, "rowing club", [alice, bob, carol, dave])
    faults.broken_feeds(world)
    forks.three_tips(world, "orchard", [alice, bob, carol, dave])
    forks.criss_cross(world, "bakery", [bob, alice, frank, dave])
    scenes.exclusion_only(world, "film night", [alice, erin, frank])
    scenes.empty_epoch(world, "repair day", [bob, dave, frank])
    scenes.strays(world, "lost and found", [alice, carol, frank])
    scenes.exclusion_only(world, "night swimmers", [carol, dave, erin])
