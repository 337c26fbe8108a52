"""What each setting of Spark and Java in profiles/profiles.yml gains: builds without one of them.

    python benchmarks/settings.py [--rounds 3] [SETTING ...]
    python benchmarks/settings.py --messages 1000000 [SETTING ...]
    python benchmarks/settings.py --log FILE [SETTING ...]

Each build is whole, in a new home: of the sample, with the target `embedded`; or of a log from `scuttlehouse
sample`, or your own log (a file or a folder), with `local_big`. In every round each setting is left out
once, in random order, and the unchanged profile comes again after every few builds. A ratio is the processor
time of a build divided by the median of the unchanged profile in the same round. The table has the median,
the least and the greatest ratio of all rounds, and the median ratio of the time from start to end. The spread
of the unchanged profile shows the effect of chance. A setting gains more than LIMIT if its least ratio is
above LIMIT. A SETTING is a part of a name: only those are left out. Without any, every setting is left out in
turn, except those in NEEDED. With more than one, one more build leaves out all of them together. A round of
the sample with every setting takes half an hour.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Collection, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import yaml

from build import landing_of
from refresh import write_log
from spark import targets
from timed_build import PROJECT, Run, RunError, build

SEED = 1
LIMIT = 1.03
BUILDS_BETWEEN = 5
AS_IT_IS = "the profile as it is"
ALL = "all of these"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"

# Without these there are no tables, or other tables, or tables that others can read; or too little memory.
NEEDED = (
    "spark.master",
    "spark.driver.memory",
    "spark.sql.extensions",
    "spark.sql.defaultCatalog",
    "spark.sql.catalog.",
    "spark.sql.session.timeZone",
    "spark.hadoop.fs.permissions.umask-mode",
    "spark.ui.enabled",
)


def names_of(parameters: dict[str, str]) -> list[str]:
    """What can be left out: Spark's settings, and each option of Java."""
    spark = [name for name in parameters if not name.startswith((*NEEDED, JAVA_OPTIONS))]
    return [*spark, *parameters.get(JAVA_OPTIONS, "").split()]


def without(parameters: dict[str, str], names: Collection[str]) -> dict[str, str]:
    kept = {name: value for name, value in parameters.items() if name not in names}
    options = [one for one in kept.get(JAVA_OPTIONS, "").split() if one not in names]
    return kept | {JAVA_OPTIONS: " ".join(options)}


def timed(landing: Path, target: str, names: Collection[str]) -> Run | None:
    """A whole build without some settings. None if it fails without them."""
    settings = targets()[target]
    settings["server_side_parameters"] = without(settings["server_side_parameters"], names)
    profile = {"scuttlehouse": {"target": target, "outputs": {target: settings}}}
    with TemporaryDirectory() as folder:
        Path(folder, "profiles.yml").write_text(yaml.safe_dump(profile))
        try:
            return build(landing, Path(folder, "home"), target, "--profiles-dir", folder)
        except RunError as error:
            if not names:
                raise
            print(error, flush=True)
            return None


def in_turn(names: list[str], dice: random.Random) -> Iterator[str]:
    """The builds of a round."""
    for place, name in enumerate(dice.sample(names, len(names))):
        if place % BUILDS_BETWEEN == 0:
            yield AS_IT_IS
        yield name
    yield AS_IT_IS


def measure(landing: Path, target: str, names: list[str], rounds: int) -> None:
    left_out: dict[str, Collection[str]] = {AS_IT_IS: (), **{name: (name,) for name in names}}
    if len(names) > 1:
        left_out[ALL] = names
    dice = random.Random(SEED)
    builds: dict[str, list[Run]] = {name: [] for name in left_out}
    ratios: dict[str, list[float]] = {name: [] for name in left_out}
    times: dict[str, list[float]] = {name: [] for name in left_out}
    to_leave_out = [name for name in left_out if name != AS_IT_IS]
    for number in range(1, rounds + 1):
        of_round: dict[str, list[Run]] = {name: [] for name in left_out}
        for name in in_turn(to_leave_out, dice):
            if built := timed(landing, target, left_out[name]):
                of_round[name].append(built)
                said = f"{built.seconds:>7.1f} s {built.processor_seconds:>7.1f} s CPU"
                print(f"round {number} {said}  {name}", flush=True)
            else:
                to_leave_out.remove(name)
                print(f"round {number}   fails    {name}", flush=True)
        processors = median(one.processor_seconds for one in of_round[AS_IT_IS])
        seconds = median(one.seconds for one in of_round[AS_IT_IS])
        for name, measured in of_round.items():
            builds[name] += measured
            ratios[name] += [one.processor_seconds / processors for one in measured]
            times[name] += [one.seconds / seconds for one in measured]
    print(
        f"\n{'left out':<52} {'CPU':>6} {'least':>6} {'most':>6} {'time':>6} {'peak GB':>8}  wins"
    )
    for name in sorted(ratios, key=lambda name: -median(ratios[name] or [0])):
        if not (found := ratios[name]):
            print(f"{name:<52} {'fails':>6}")
            continue
        wins = "yes" if min(found) > LIMIT else "perhaps" if median(found) > LIMIT else ""
        peak = median(one.peak_bytes for one in builds[name])
        print(
            f"{name:<52} {median(found):>6.3f} {min(found):>6.3f} {max(found):>6.3f} "
            f"{median(times[name]):>6.3f} {peak / 1e9:>8.2f}  {wins}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what each setting wins.")
    parser.add_argument("settings", nargs="*", metavar="SETTING", help="a part of a name")
    log = parser.add_mutually_exclusive_group()
    log.add_argument("--log", type=Path, help="a log, or a folder of logs")
    log.add_argument("--messages", type=int, metavar="N", help="a log by `scuttlehouse sample`")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    target = "local_big" if given.log or given.messages else "embedded"
    names = names_of(targets()[target]["server_side_parameters"])
    if given.settings:
        names = [name for name in names if any(part in name for part in given.settings)]
    with TemporaryDirectory() as folder:
        landing = PROJECT / "sample"
        if given.log:
            landing = landing_of(given.log, Path(folder))
        elif given.messages:
            landing = Path(folder, "landing")
            write_log(landing, given.messages)
        measure(landing, target, names, given.rounds)


if __name__ == "__main__":
    main()
