from datetime import UTC, datetime
from typing import Any

from dbt_common.invocation import get_invocation_id
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.catalog import home_folder
from scuttlehouse.quality import SUITES
from scuttlehouse.quality.check import check
from scuttlehouse.quality.data_docs import write_data_docs
from scuttlehouse.runs import tests_touched_rows

COLUMNS = (
    "build_id string, table_name string, expectation string, column_name string,"
    " description string, observed string, is_success boolean"
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    marts = {
        "dim_logs": dbt.ref("dim_logs"),
        "fct_rejected_lines": dbt.ref("fct_rejected_lines"),
        "dim_feeds": dbt.ref("dim_feeds"),
        "fct_messages": dbt.ref("fct_messages"),
        "fct_feed_forks": dbt.ref("fct_feed_forks"),
        "dim_tangles": dbt.ref("dim_tangles"),
        "fct_tangle_messages": dbt.ref("fct_tangle_messages"),
        "fct_tangle_links": dbt.ref("fct_tangle_links"),
        "fct_tangle_gaps": dbt.ref("fct_tangle_gaps"),
        "fct_tangle_tips": dbt.ref("fct_tangle_tips"),
        "fct_thread_messages": dbt.ref("fct_thread_messages"),
        "fct_timeline_updates": dbt.ref("fct_timeline_updates"),
        "dim_groups": dbt.ref("dim_groups"),
        "dim_epochs": dbt.ref("dim_epochs"),
        "fct_epoch_members": dbt.ref("fct_epoch_members"),
        "fct_epoch_forks": dbt.ref("fct_epoch_forks"),
        "fct_fork_witnesses": dbt.ref("fct_fork_witnesses"),
        "fct_exclusions": dbt.ref("fct_exclusions"),
        "fct_epoch_preferences": dbt.ref("fct_epoch_preferences"),
        "fct_rule_violations": dbt.ref("fct_rule_violations"),
        "fct_preferred_epochs": dbt.ref("fct_preferred_epochs"),
        "fct_epoch_repairs": dbt.ref("fct_epoch_repairs"),
        "fct_replication_plan": dbt.ref("fct_replication_plan"),
        "fct_group_audit_log": dbt.ref("fct_group_audit_log"),
        "fct_membership_history": dbt.ref("fct_membership_history"),
        "fct_epoch_links": dbt.ref("fct_epoch_links"),
        "fct_epoch_precedence": dbt.ref("fct_epoch_precedence"),
        "dim_sets": dbt.ref("dim_sets"),
        "fct_set_items": dbt.ref("fct_set_items"),
        "fct_set_messages": dbt.ref("fct_set_messages"),
        "fct_set_prunings": dbt.ref("fct_set_prunings"),
        "fct_set_links": dbt.ref("fct_set_links"),
        "fct_set_changes": dbt.ref("fct_set_changes"),
    }
    touched = {
        "feed_id": dbt.ref("int_refresh__feeds"),
        "tangle_id": dbt.ref("int_refresh__tangles"),
        "group_id": dbt.ref("int_refresh__groups"),
        "epoch_id": dbt.ref("int_refresh__epochs"),
        "set_id": dbt.ref("int_refresh__sets"),
    }
    refreshed_by = dbt.config.get("refreshed_by") if tests_touched_rows() else {}
    tables = {
        name: mart.join(touched[refreshed_by[name]], refreshed_by[name], "left_semi")
        if name in refreshed_by
        else mart
        for name, mart in marts.items()
    }
    # The id of this run: what dbt renders into a model's settings may be that of an earlier parse.
    build_id = get_invocation_id()
    checked = check(SUITES, tables)
    built_at = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
    write_data_docs(home_folder() / "data_docs", checked, build_id, built_at)
    rows = [
        (
            build_id,
            suite.table_name,
            outcome.expectation.name,
            outcome.expectation.column,
            outcome.expectation.sentence,
            outcome.observed,
            outcome.is_success,
        )
        for suite, outcomes, _ in checked
        for outcome in outcomes
    ]
    return session.createDataFrame(rows, COLUMNS)
