def model(dbt, session):
    dbt.config(materialized="versioned_table")
    tables = [dbt.ref("dim_groups")]
    return session.createDataFrame([], "build_id string, table_name string, expectation string, column_name string, is_success boolean, observed string")
