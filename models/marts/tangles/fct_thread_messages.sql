with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where
        tangle_kind = 'thread'
        and status = 'in'
        and {{ is_computed('int_tangles__messages') }}

),

links as (

    select * from {{ ref('int_tangles__links') }}

),

times as (

    select * from {{ ref('int_feeds__message_times') }}

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
        times.asserted_time_fault,
        placed_messages.thread_position,
        placed_messages.rank as depth,
        placed_messages.is_tip,
        -- Nothing stands between neighbours, so whoever knows of the one above lists it.
        case when placed_messages.above_id is not null then links.message_id is null end as is_concurrent,
        {{ timestamp_of('times.asserted_ms') }} as asserted_at,
        {{ timestamp_of('times.received_ms') }} as received_at,
        {{ timestamp_of('times.thread_ms') }} as ordered_at
    from placed_messages
    inner join times on placed_messages.message_id = times.message_id
    inner join people on placed_messages.feed_id = people.feed_id
    left join links
        on
            placed_messages.tangle_id = links.tangle_id
            and placed_messages.message_id = links.message_id
            and placed_messages.above_id = links.previous_id

)

select * from final
