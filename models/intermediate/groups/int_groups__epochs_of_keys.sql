with

people as (

    select * from {{ ref('int_feeds__people') }}

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

first_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}
    where content_type = 'group/init' and key_hash is not null

),

-- Whoever knows a key can make an epoch with it, but not an earlier one in its group.
epochs_of_groups as (

    select
        first_messages.key_hash,
        epochs.group_id,
        min_by(epochs.epoch_id, struct(epochs.depth, epochs.epoch_id)) as epoch_id
    from epochs
    inner join first_messages on epochs.epoch_id = first_messages.message_id
    group by first_messages.key_hash, epochs.group_id

),

epoch_keys as (

    select
        *,
        count(*) over (partition by key_hash) = 1 as is_only_group
    from epochs_of_groups

),

final as (

    select
        people.feed_id,
        epoch_keys.group_id,
        epoch_keys.epoch_id,
        epoch_keys.is_only_group
    from people
    inner join epoch_keys on people.key_hash = epoch_keys.key_hash

)

select * from final
