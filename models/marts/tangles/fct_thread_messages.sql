with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where
        tangle_kind = 'thread'
        and status = 'in'
        and {{ is_touched('tangle_id', 'int_refresh__tangles') }}

),

links as (

    select * from {{ ref('int_tangles__links') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

placed_messages as (

    select
        *,
        lag(message_id) over (partition by tangle_id order by thread_position) as above_id
    from tangle_messages

),

final as (

    select
        placed_messages.tangle_id,
        placed_messages.message_id,
        placed_messages.feed_id as author_id,
        people.person_id,
        placed_messages.thread_position,
        placed_messages.rank as depth,
        placed_messages.is_tip,
        case
            when placed_messages.asserted_ms is null then 'missing'
            when placed_messages.asserted_ms < 0 then 'before_1970'
            when placed_messages.asserted_ms > placed_messages.received_ms then 'after_received'
        end as asserted_time_fault,
        -- Nothing stands between neighbours, so whoever knows of the one above lists it.
        case when placed_messages.above_id is not null then links.message_id is null end as is_concurrent,
        {{ timestamp_of('placed_messages.asserted_ms') }} as asserted_at,
        {{ timestamp_of('placed_messages.received_ms') }} as received_at,
        {{ timestamp_of('least(placed_messages.asserted_ms, placed_messages.received_ms)') }} as ordered_at
    from placed_messages
    inner join people on placed_messages.feed_id = people.feed_id
    left join links
        on
            placed_messages.tangle_id = links.tangle_id
            and placed_messages.message_id = links.message_id
            and placed_messages.above_id = links.previous_id

)

select * from final
