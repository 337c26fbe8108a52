"""The same logs in other forms and dialects give the same tables.

Only those that are read from logs are built. All others follow from them.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import dialects
import forms
from conftest import READ_FROM_LOGS, Build, Rows, Warehouse

# What each log is rewritten to. A set's freed bytes are those of its lines, so its log keeps them.
REWRITTEN = {
    "alice": ("pretty_printed", "bzip2", "utf-16-le with a mark"),
    "bob": ("bipf_log", "zstd", "utf-8"),
    "carol": ("json_sequence", "none", "utf-8"),
    "devices": ("array_by_line", "gzip", "utf-32-be"),
    "relay": ("flume_log", "none", "utf-8"),
}
# Other forms cannot hold lines that are not objects.
LOST = {"not_json", "not_utf8", "empty_line", "too_deep", "not_a_message"}
# The opened messages that two logs share are spelled in two ways.
DIALECTS = {
    "alice": (
        "links: URIs with colons",
        "epoch keys: ssb-tribes2 1.0.0",
        "keys: unbox",
        "opened: ssb-tribes",
    ),
    "bob": ("links: objects", "epoch keys: capital hex", "keys: URIs", "opened: ssb-db 20"),
    "carol": ("keys: URIs with two slashes", "sorted members"),
    "devices": ("keys: sigils",),
    "relay": ("without keys",),
}


def comparable(rows: Rows) -> list[str]:
    """The rows as texts in order, without what the form changes."""
    kept = (row for row in rows if row.get("reason") not in LOST)
    return sorted(str({k: v for k, v in row.items() if k != "line_number"}) for row in kept)


def holders(lines: Rows) -> list[tuple[str, str]]:
    """Which log holds which opened message, once for each line."""
    return sorted(
        (row["source_file"], row["message_id"]) for row in lines if row["content"] is not None
    )


def test_other_forms_and_dialects_give_the_same_tables(
    warehouse: Warehouse, built: Build, tmp_path: Path
) -> None:
    logs = []
    for log in built.logs:
        data = log.read_bytes()
        lines = (gzip.decompress(data) if log.suffix == ".gz" else data).split(b"\n")
        logs.append(tmp_path / log.name)  # The name stays and does not show the form.
        name = log.name.split(".")[0]
        values = dialects.rewrite(forms.objects(lines), *DIALECTS[name])
        logs[-1].write_bytes(forms.rewrite(values, *REWRITTEN[name]))
    warehouse.land(*logs)
    some = (f"+{name}" for name in (*READ_FROM_LOGS, "fct_rejected_lines", "dim_logs"))
    warehouse.build("build", "-s", *some, "--exclude-resource-types", "test", "unit_test")
    before = built.tables | built.unpublished
    differing = [
        name
        for name in (*READ_FROM_LOGS, "fct_rejected_lines")
        if comparable(warehouse.rows(f"select * from {name}")) != comparable(before[name])
    ]
    assert differing == []
    lines = "stg_ssb__landed_lines"
    assert holders(warehouse.rows(f"select * from {lines}")) == holders(before[lines])
    assert {
        row["source_file"][4:].split(".")[0]: (row["form"], row["compression"], row["encoding"])
        for row in warehouse.rows("select * from dim_logs")
    } == {name: forms.kind_of(*kind) for name, kind in REWRITTEN.items()}
