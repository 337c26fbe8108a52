-- depends_on: {{ ref('int_quality__passed') }}
with

builds as (

    select * from {{ builds_log() }}

),

final as (

    select
        build_id,
        step,
        step_kind,
        status,
        message,
        seconds,
        rows_in,
        rows_out,
        rows_added,
        rows_changed,
        rows_gone,
        settling_steps,
        started_at
    from builds

)

select * from final
