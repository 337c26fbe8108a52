with

tangle_messages as (

    select * from {{ touched_rows(ref('int_tangles__messages'), 'tangle_id', 'int_changes__tangles') }}
    where tangle_kind = 'thread'

),

threads as (

    select * from {{ ref('int_tangles__threads') }}

),

links as (

    select * from {{ ref('int_tangles__links') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

placed_messages as (

    select
        tangle_messages.* except (thread_position),
        threads.thread_position,
        threads.has_branch,
        {{ told_ms('tangle_messages.asserted_ms', 'tangle_messages.received_ms') }} as told_ms,
        lag(tangle_messages.message_id) over (
            partition by tangle_messages.tangle_id order by threads.thread_position
        ) as above_id
    from tangle_messages
    inner join threads
        on
            tangle_messages.tangle_id = threads.tangle_id
            and tangle_messages.message_id = threads.message_id

),

final as (

    select
        placed_messages.tangle_id,
        placed_messages.message_id,
        placed_messages.group_id,
        placed_messages.feed_id as author_id,
        people.person_id,
        placed_messages.content_type,
        placed_messages.thread_position,
        placed_messages.rank as depth,
        placed_messages.is_tip,
        case
            when placed_messages.status = 'in' then 'linked'
            when placed_messages.has_branch then 'branch_missing'
            else 'by_time'
        end as attached_by,
        case
            when placed_messages.asserted_ms is null then 'missing'
            when placed_messages.asserted_ms < 0 then 'before_1970'
            when placed_messages.asserted_ms > placed_messages.received_ms then 'after_received'
        end as asserted_time_fault,
        -- Every message names the root. There is no message between neighbours, so an author who knows of
        -- another one above lists it.
        case
            when placed_messages.above_id = placed_messages.root_id then false
            when placed_messages.above_id is not null then links.message_id is null
        end as is_concurrent,
        {{ timestamp_of('placed_messages.asserted_ms') }} as asserted_at,
        {{ timestamp_of('placed_messages.received_ms') }} as received_at,
        {{ timestamp_of('placed_messages.told_ms') }} as ordered_at
    from placed_messages
    inner join people on placed_messages.feed_id = people.feed_id
    left join links
        on
            placed_messages.tangle_id = links.tangle_id
            and placed_messages.message_id = links.message_id
            and placed_messages.above_id = links.previous_id

)

select * from final
