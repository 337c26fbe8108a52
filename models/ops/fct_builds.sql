-- A log: every run of dbt appends to it (src/scuttlehouse/builds/ending.py). No build removes anything.
{{ config(
    materialized='incremental',
    incremental_strategy='append',
    full_refresh=false,
    schema='log'
) }}

with

final as (

    select
        cast(null as string) as build_id,
        cast(null as string) as step,
        cast(null as string) as step_kind,
        cast(null as string) as status,
        cast(null as string) as message,
        cast(null as double) as seconds,
        cast(null as bigint) as rows_in,
        cast(null as bigint) as rows_out,
        cast(null as bigint) as rows_added,
        cast(null as bigint) as rows_changed,
        cast(null as bigint) as rows_deleted,
        cast(null as bigint) as settling_steps,
        cast(null as timestamp) as started_at

)

select * from final
where false
