with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where
        tangle_kind = 'group'
        and status = 'in'
        and group_id is not null
        and {{ is_touched('group_id', 'int_changes__groups') }}

),

explicit_epochs as (

    select * from {{ ref('int_groups__explicit_epochs') }}

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
        coalesce(explicit_epochs.epoch_id, feed_epochs.epoch_id) as epoch_id
    from tangle_messages
    left join explicit_epochs on tangle_messages.message_id = explicit_epochs.message_id
    left join feed_epochs
        on
            tangle_messages.feed_id = feed_epochs.feed_id
            and (tangle_messages.group_id = feed_epochs.group_id or feed_epochs.is_only_group)

)

select * from final
