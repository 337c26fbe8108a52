"""Every rule of the tests in `tests/singular` can fail: tables of a build, in DuckDB, are made wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from jinja2 import Template

from conftest import Build

FOLDER = Path(__file__).parents[2] / "singular"

# What makes tables wrong, by the test that tells. Each breaks one rule of it, or something that it reads.
WRONG = {
    "a_group_prefers_one_of_its_newest_epochs": [
        "update dim_groups set preferred_epoch_id = 'another'",
        "update dim_groups set preferred_epoch_id = null",
        "update dim_epochs set is_tip = false",
        "update dim_epochs set group_id = 'another'",
        "update fct_epoch_forks set is_current = false",
        "update fct_epoch_forks set rule = 'most_members'",
    ],
    "every_line_is_a_message_or_a_reject": [
        "delete from int_logs__rejected_lines",
        "delete from fct_messages",
        "delete from stg_pzp__messages",
        "insert into int_logs__rejected_lines by name"
        " select source_file, line_number, 'no_json' as reason from stg_ssb__landed_lines",
        "insert into int_logs__rejected_lines by name"
        " select source_file, line_number, 'forged' as reason from stg_pzp__landed_lines"
        " where validity = 'valid'",
    ],
    "everybody_prefers_a_newest_epoch_of_their_own": [
        "delete from fct_preferred_epochs",
        "update fct_preferred_epochs set epoch_id = 'another'",
        "update fct_epoch_members set is_declared = false",
        "insert into fct_epoch_precedence by name"
        " select members.epoch_id, preferred.epoch_id as predecessor_id"
        " from fct_preferred_epochs as preferred"
        " inner join fct_epoch_members as members using (group_id, person_id)",
        "insert into fct_preferred_epochs by name select 'a group' as group_id, 'somebody' as person_id",
    ],
    "fork_witnesses_are_members_of_both_epochs": [
        "delete from fct_epoch_forks",
        "delete from fct_fork_witnesses",
        "update fct_epoch_forks set witness_count = witness_count + 1",
        "update fct_epoch_members set is_declared = false",
        "delete from fct_epoch_members where epoch_id in (select left_epoch_id from fct_epoch_forks)",
        "delete from fct_epoch_members where epoch_id in (select right_epoch_id from fct_epoch_forks)",
    ],
    "forks_are_all_pairs_of_newest_epochs": [
        "delete from fct_epoch_forks",
        "update dim_epochs set is_tip = false",
        "update dim_epochs set is_tip = true",
        "update fct_epoch_forks set is_current = false",
        "update fct_epoch_forks set winner_epoch_id = null",
        "update fct_epoch_forks set winner_epoch_id = 'another' where winner_epoch_id is not null",
    ],
    "gaps_are_what_links_and_roots_miss": [
        "delete from fct_tangle_gaps",
        "insert into stg_ssb__messages by name"
        " select missing_id as message_id, false as has_claimed_id from fct_tangle_gaps",
        "update fct_tangle_gaps set needed_by_count = needed_by_count + 1",
        "update fct_tangle_gaps set blocked_count = 0",
        "update dim_tangles set set_aside_count = 0",
        "update dim_tangles set candidate_count = candidate_count + 1",
        "update dim_tangles set root_id = 'another'",
        "update fct_tangle_links set is_in_log = false",
    ],
    "member_counts_count_declared_members": [
        "update dim_epochs set member_count = member_count + 1",
        "update dim_groups set person_count = person_count + 1",
        "update fct_epoch_members set is_declared = true",
        "delete from fct_epoch_members",
    ],
    "members_fetch_the_feeds_of_remaining_members": [
        "update fct_replication_plan set should_fetch = not should_fetch where feed_id is not null",
        "update fct_replication_plan set should_serve = not should_serve",
        "update fct_replication_plan set person_id = 'somebody' where feed_id is not null",
        "update fct_replication_plan set should_fetch = false where missing_id is not null",
        "delete from fct_replication_plan where missing_id is not null",
        "delete from fct_tangle_gaps",
        "update fct_epoch_members set is_excluded = not is_excluded",
        "update fct_preferred_epochs set epoch_id = 'another'",
    ],
    "membership_history_has_no_gaps": [
        "update fct_membership_history set valid_to_position = valid_to_position + 1",
        "update fct_membership_history set is_current = not is_current",
        "update fct_membership_history set valid_from_position = valid_to_position",
        "update fct_membership_history set is_excluded = not is_excluded",
        "delete from fct_membership_history",
        "delete from fct_preferred_epochs",
    ],
    "messages_follow_from_their_links": [
        "update fct_tangle_messages set status = 'set_aside' where status = 'in'",
        "update fct_tangle_messages set status = 'in' where status = 'set_aside'",
        "update fct_tangle_messages set rank = rank + 1 where not is_root",
        "update fct_tangle_messages set thread_position = -thread_position",
        "update fct_tangle_messages set blocking_ids = null where status = 'set_aside'",
        "insert into fct_tangle_links by name select tangle_id, message_id, true as is_in_graph"
        " from fct_tangle_messages where is_root",
        *(
            f"update fct_tangle_messages set status_reason = '{reason}' where status = 'set_aside'"
            for reason in ("no_previous", "loop", "missing", "previous_set_aside")
        ),
    ],
    "nothing_in_the_graph_lists_a_tip": [
        "update fct_tangle_messages set is_tip = not is_tip",
        "update fct_tangle_messages set status = 'set_aside'",
        "update dim_tangles set tip_count = tip_count + 1",
        "delete from dim_tangles",
        "delete from fct_tangle_tips",
        "update fct_tangle_tips set message_id = 'another'",
        "delete from fct_tangle_links",
    ],
    "precedence_follows_the_links": [
        "delete from fct_epoch_precedence",
        "delete from fct_epoch_links",
        "update fct_epoch_precedence set distance = distance + 1",
        "insert into fct_epoch_precedence by name"
        " select group_id, epoch_id, epoch_id as predecessor_id from dim_epochs",
        "insert into fct_epoch_precedence by name"
        " select group_id, epoch_id, 'another' as predecessor_id from dim_epochs, range(101)",
    ],
    "pruning_keeps_the_last_change": [
        "update fct_set_messages set is_prunable = true",
    ],
    "rejected_lines_add_up": [
        "delete from fct_rejected_lines",
        "update fct_rejected_lines set line_count = line_count + 1",
        "insert into fct_rejected_lines by name"
        " select source_file, reason, 0 as line_count from int_logs__rejected_lines, range(101)",
        "update dim_logs set rejected_line_count = rejected_line_count + 1",
    ],
    "repairs_complete_epochs_and_mend_forks": [
        "delete from fct_epoch_repairs where action = 'add'",
        "delete from fct_epoch_repairs where action = 'exclude'",
        "insert into fct_epoch_repairs by name select 'add' as action, 'somebody' as person_id",
        "insert into fct_epoch_repairs by name select 'exclude' as action, 'somebody' as person_id, epoch_id"
        " from fct_epoch_repairs where action = 'exclude'",
        "insert into fct_epoch_repairs by name select 'exclude' as action, person_id, epoch_id"
        " from fct_epoch_members where is_declared",
    ],
    "set_counts_add_up": [
        *(
            f"update dim_sets set {count} = {count} + 1"
            for count in (
                "message_count",
                "set_aside_count",
                "rejected_count",
                "item_count",
                "prunable_count",
                "freed_bytes",
            )
        ),
        "delete from dim_sets",
        "delete from fct_set_messages",
        "delete from fct_set_prunings",
    ],
    "set_positions_have_no_holes": [
        "update fct_set_messages set position = position + 1",
        "update fct_set_items set position = position + 1",
        "update fct_set_items set placed_by_id = 'another'",
        "update fct_set_items set placed_by_id = (select max_by(message_id, position) from fct_set_messages"
        " where fct_set_messages.set_id = fct_set_items.set_id) where position = 0",
    ],
    "tangles_add_up": [
        *(
            f"update dim_tangles set {count} = {count} + 1"
            for count in (
                "candidate_count",
                "message_count",
                "set_aside_count",
                "rejected_count",
                "gap_count",
            )
        ),
        "delete from dim_tangles",
        "delete from fct_tangle_messages",
        "update fct_tangle_messages set position = position + 1",
        "update fct_tangle_messages set position = 0 where status != 'in'",
        "update fct_tangle_messages set thread_position = thread_position + 1",
        "update fct_tangle_messages set is_root = false",
        "update fct_tangle_messages set rank = rank + 1",
        "update dim_tangles set root_id = 'another'",
    ],
    "the_audit_log_is_the_timeline_of_the_group": [
        "delete from fct_group_audit_log",
        "delete from fct_tangle_messages",
        "update fct_tangle_messages set position = position + 1",
        *(
            f"update fct_group_audit_log set {column} = 'another'"
            for column in ("subject_id", "action", "epoch_id")
        ),
    ],
    "threads_read_after_what_they_answer": [
        "update fct_thread_messages set thread_position = thread_position + 1",
        "insert into fct_tangle_links by name"
        " select tangle_id, previous_id as message_id, message_id as previous_id, is_in_graph"
        " from fct_tangle_links",
    ],
    "timeline_updates_end_in_the_order": [
        "delete from fct_timeline_updates",
        "delete from fct_tangle_messages",
        "update fct_tangle_messages set status = 'set_aside'",
        "update fct_timeline_updates set command = 'del'",
        "insert into fct_timeline_updates from fct_timeline_updates",
        "update fct_timeline_updates set step = step + 1",
    ],
}

# Functions that Spark has and DuckDB has not.
FUNCTIONS = {
    "array_join(a, b)": "array_to_string(a, b)",
    "array_union(a, b)": "list_distinct(a || b)",
    "collect_list(a)": "list(a)",
    "explode(a)": "unnest(a)",
    "as_int(a)": "cast(a as int)",
    "struct(a, b)": "row(a, b)",
}


@pytest.fixture(scope="module")
def tables(built: Build) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published tables of a build, and some of the others."""
    with duckdb.connect() as connection:
        connection.execute(f"attach '{built.serving_file}' as serving (read_only)")
        for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall():
            connection.execute(f"create table {name} as from serving.{name}")
        for name, rows in built.unpublished.items():
            connection.register("landed", pa.Table.from_pylist(rows))
            connection.execute(f"create table {name} as from landed")
        for function, body in FUNCTIONS.items():
            connection.execute(f"create macro {function} as {body}")
        yield connection


def in_duckdb(test: Path) -> str:
    """A test of dbt as DuckDB's SQL."""

    def itself(name: str) -> str:
        return name

    sql = Template(test.read_text()).render(ref=itself, tested_rows=itself, is_tested="true".format)
    sql = re.sub(r"\bleft (anti|semi) join\b", r"\1 join", sql)
    return re.sub(r"\bint\(", "as_int(", sql).replace("<=>", "is not distinct from")


@pytest.mark.parametrize("test", sorted(FOLDER.glob("*.sql")), ids=lambda path: path.stem)
def test_wrong_tables_are_told(test: Path, tables: duckdb.DuckDBPyConnection) -> None:
    sql = in_duckdb(test)
    assert tables.execute(sql).fetchall() == []
    for change in WRONG[test.stem]:
        tables.execute("begin")
        tables.execute(change)
        faults = tables.execute(sql).fetchall()
        tables.execute("rollback")
        assert faults, change
