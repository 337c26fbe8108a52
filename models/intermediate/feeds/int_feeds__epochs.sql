with

people as (

    select * from {{ ref('int_feeds__people') }}

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

-- Whoever knows a key can make an epoch with it, but not an earlier one in its group.
epochs_of_groups as (

    select
        key_hash,
        group_id,
        min_by(epoch_id, struct(depth, epoch_id)) as epoch_id
    from epochs
    where key_hash is not null
    group by key_hash, group_id

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
