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
        started_at
    from builds

)

select * from final
