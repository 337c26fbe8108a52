-- When a run ends, the results of the tables that it has checked replace the earlier ones of these tables
-- (src/scuttlehouse/builds/quality.py). What writes them replaces whole files.
{{ config(
    materialized='incremental',
    incremental_strategy='append',
    full_refresh=false,
    tblproperties={'write.delete.mode': 'copy-on-write'}
) }}

with

final as (

    select
        cast(null as string) as build_id,
        cast(null as string) as table_name,
        cast(null as string) as expectation,
        cast(null as string) as column_name,
        cast(null as string) as description,
        cast(null as string) as observed,
        cast(null as boolean) as is_success

)

select * from final
where false
