from typing import Any

from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.quality.groups import GROUPS
from scuttlehouse.quality.results import check_marts


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    marts = {
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
        "fct_group_days": dbt.ref("fct_group_days"),
        "fct_peer_epochs": dbt.ref("fct_peer_epochs"),
        "fct_peer_repairs": dbt.ref("fct_peer_repairs"),
        "fct_replication_plan": dbt.ref("fct_replication_plan"),
        "fct_group_audit_log": dbt.ref("fct_group_audit_log"),
        "fct_membership_history": dbt.ref("fct_membership_history"),
        "fct_epoch_links": dbt.ref("fct_epoch_links"),
        "fct_epoch_precedence": dbt.ref("fct_epoch_precedence"),
    }
    return check_marts(session, dbt.this.schema, GROUPS, marts)
