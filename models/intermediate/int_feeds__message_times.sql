{{ config(materialized='view') }}

with

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

final as (

    select
        message_id,
        asserted_ms,
        received_ms,
        least(asserted_ms, received_ms) as thread_ms,
        case
            when asserted_ms is null then 'missing'
            when asserted_ms < 0 then 'before_1970'
            when asserted_ms > received_ms then 'after_received'
        end as asserted_time_fault
    from messages

)

select * from final
