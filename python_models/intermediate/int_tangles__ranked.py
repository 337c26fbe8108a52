def model(dbt, session):
    dbt.config(materialized="table")
    grown = dbt.ref("int_tangles__grown")
    return grown.selectExpr("tangle_id", "message_id", "cast(1 as bigint) as rank", "cast(0 as bigint) as position", "false as is_in_loop")
