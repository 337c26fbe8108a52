def model(dbt, session):
    dbt.config(materialized="table")
    checked = dbt.ref("int_tangles__checked")
    candidates = dbt.ref("int_tangles__candidates")
    return candidates.select("tangle_id", "message_id").limit(0)
