with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where
        tangle_kind = 'group'
        and status = 'in'
        and group_id is not null
        and {{ is_touched('group_id', 'int_refresh__groups') }}

),

said_epochs as (

    select * from {{ ref('int_groups__said_epochs') }}

),

feed_epochs as (

    select * from {{ ref('int_feeds__epochs') }}

),

final as (

    select
        tangle_messages.tangle_id,
        tangle_messages.group_id,
        tangle_messages.message_id,
        tangle_messages.feed_id,
        tangle_messages.content_type,
        tangle_messages.position,
        tangle_messages.asserted_ms,
        coalesce(said_epochs.epoch_id, feed_epochs.epoch_id) as epoch_id
    from tangle_messages
    left join said_epochs on tangle_messages.message_id = said_epochs.message_id
    left join feed_epochs on tangle_messages.feed_id = feed_epochs.feed_id

)

select * from final
