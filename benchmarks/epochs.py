"""The cost and the size of the tables of groups if many epochs compete.

    python benchmarks/epochs.py [--log FOLDER]

The log comes from `scuttlehouse sample --size epochs` (1,000 groups of 50 people, up to 12 epochs per group,
up to 8 of them compete, 500,000 messages), or from a folder. The target is local_big. The sample that comes
with the project is built in the same warehouse first, and not timed. Then:

- without: a build without the marts of groups, and without what only these need. It includes the
  expectations; for the tables of groups they see the rows of the small sample;
- whole: a build of everything.

Seconds go from the start of the process to its end, including Python and Java. Peak memory is that of all
processes of the build. Then come the row counts of every table of groups, and the greatest number of rows of
one group in fct_epoch_precedence and fct_epoch_forks, by its number n of epochs or of tips, with the bound:
one row for every pair at most, n (n - 1) / 2.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scuttlehouse.sample.write import write_sample
from timed_build import PROJECT, build

SEED = 1
TARGET = "local_big"
MARTS = PROJECT / "models/marts"
GROUP_TABLES = sorted(file.stem for file in (MARTS / "groups").glob("*.sql"))

# Both builds compute everything from the logs.
FROM_LOGS = "--full-refresh"

# Tables with a row for every pair of something in a group: the column of dim_groups that counts it, and the
# pairs.
PAIRS = {
    "fct_epoch_precedence": ("epoch_count", "fct_epoch_precedence"),
    "fct_epoch_forks": ("tip_count", "fct_epoch_forks where is_current"),
}


def without_groups() -> list[str]:
    """The nodes that dbt builds: the other marts with everything that they need."""
    marts = [
        f"+path:{mart.relative_to(PROJECT)}" for mart in MARTS.iterdir() if mart.name != "groups"
    ]
    # If a test compares several tables and one of them is left out, the test is left out.
    cautious = ["--indirect-selection", "cautious"]
    return [*cautious, "--select", *marts, "fct_quality_results"]


def ask(home: Path, statement: str) -> list[dict[str, Any]]:
    """The rows that `scuttlehouse sql` returns."""
    answer = subprocess.run(
        [PROJECT / ".venv/bin/scuttlehouse", "sql", statement, "--format", "json"],
        env=os.environ | {"SCUTTLEHOUSE_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in answer.stdout.splitlines()]


def print_builds(landing: Path, home: Path) -> None:
    build(PROJECT / "sample", home, TARGET)
    without = build(landing, home, TARGET, FROM_LOGS, *without_groups())
    whole = build(landing, home, TARGET, FROM_LOGS)
    size = sum(file.stat().st_size for file in landing.iterdir())
    print(f"{'MB':>6} {'without s':>9} {'peak GB':>8} {'whole s':>8} {'peak GB':>8} {'ratio':>6}")
    print(
        f"{size / 1e6:>6.0f} {without.seconds:>9.1f} {without.peak_bytes / 1e9:>8.2f} "
        f"{whole.seconds:>8.1f} {whole.peak_bytes / 1e9:>8.2f} "
        f"{whole.seconds / without.seconds:>6.2f}",
        flush=True,
    )


def print_rows(home: Path) -> None:
    counts = [
        f"select '{name}' as name, count(*) as row_count from {name}" for name in GROUP_TABLES
    ]
    print(f"\n{'table':<22} {'rows':>9}")
    for row in ask(home, " union all ".join(counts)):
        print(f"{row['name']:<22} {row['row_count']:>9,}")


def print_bounds(home: Path, table: str) -> None:
    """Print the greatest number of rows of a group, by size. Exit if it is beyond the bound."""
    size, pairs = PAIRS[table]
    answer = ask(
        home,
        f"""
        select {size} as size, count(*) as group_count, max(coalesce(row_count, 0)) as most_rows
        from dim_groups
        left join (select group_id, count(*) as row_count from {pairs} group by group_id)
            using (group_id)
        group by {size}
        order by {size}
        """,
    )
    print(f"\n{table}\n{size:>11} {'groups':>6} {'most rows':>9} {'bound':>6}")
    for row in answer:
        bound = row["size"] * (row["size"] - 1) // 2
        print(f"{row['size']:>11} {row['group_count']:>6,} {row['most_rows']:>9} {bound:>6}")
        if row["most_rows"] > bound:
            sys.exit(f"A group has more rows in {table} than it has pairs.")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the tables of groups.")
    parser.add_argument(
        "--log", type=Path, metavar="FOLDER", help="the log, if it is there already"
    )
    log = parser.parse_args().log
    with TemporaryDirectory() as folder:
        home = Path(folder, "warehouse")
        landing = log.resolve() if log else Path(folder, "landing")
        if not log:
            write_sample(landing, SEED, "epochs")
        print_builds(landing, home)
        print_rows(home)
        for table in PAIRS:
            print_bounds(home, table)


if __name__ == "__main__":
    main()
