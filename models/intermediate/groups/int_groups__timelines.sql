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

people as (

    select * from {{ ref('int_feeds__people') }}

),

epochs_of_keys as (

    select * from {{ ref('int_groups__epochs_of_keys') }}

),

-- A stranger may announce thousands of feeds with one key, and make thousands of groups with it. So a message
-- is joined with the epoch of its group and that of the only group, and never with all epochs of its key.
epochs_of_only_groups as (

    select * from epochs_of_keys
    where is_only_group

),

final as (

    select
        tangle_messages.group_id,
        tangle_messages.message_id,
        tangle_messages.feed_id,
        tangle_messages.content_type,
        tangle_messages.position,
        tangle_messages.asserted_ms,
        coalesce(
            explicit_epochs.epoch_id, epochs_of_keys.epoch_id, epochs_of_only_groups.epoch_id
        ) as epoch_id
    from tangle_messages
    left join explicit_epochs on tangle_messages.message_id = explicit_epochs.message_id
    left join people on tangle_messages.feed_id = people.feed_id
    left join epochs_of_keys
        on people.key_hash = epochs_of_keys.key_hash and tangle_messages.group_id = epochs_of_keys.group_id
    left join epochs_of_only_groups on people.key_hash = epochs_of_only_groups.key_hash

)

select * from final
