with

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

receptions as (

    select * from {{ ref('int_feeds__receptions') }}

),

first_receptions as (

    select
        message_id,
        min(received_ms) as received_ms
    from receptions
    group by message_id

),

final as (

    select
        messages.message_id,
        messages.asserted_ms,
        first_receptions.received_ms,
        least(messages.asserted_ms, first_receptions.received_ms) as thread_ms,
        case
            when messages.asserted_ms is null then 'missing'
            when messages.asserted_ms < 0 then 'before_1970'
            when messages.asserted_ms > first_receptions.received_ms then 'after_received'
        end as asserted_time_fault
    from messages
    left join first_receptions on messages.message_id = first_receptions.message_id

)

select * from final
