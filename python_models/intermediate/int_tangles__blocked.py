def model(dbt, session):
    dbt.config(materialized="table")
    candidates = dbt.ref("int_tangles__candidates")
    return candidates.selectExpr("tangle_id", "message_id as missing_id", "cast(1 as bigint) as blocked_count").limit(0)
