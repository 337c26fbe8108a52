with

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

first_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}
    where content_type = 'group/init' and key_hash is not null

),

-- Whoever knows a key can make another epoch with it, and take the key over if that one has a lesser depth.
epochs_of_groups as (

    select
        first_messages.key_hash,
        epochs.group_id,
        min_by(epochs.epoch_id, struct(epochs.depth, epochs.epoch_id)) as epoch_id
    from epochs
    inner join first_messages on epochs.epoch_id = first_messages.message_id
    group by first_messages.key_hash, epochs.group_id

),

final as (

    select
        key_hash,
        group_id,
        epoch_id,
        count(*) over (partition by key_hash) = 1 as is_only_group
    from epochs_of_groups

)

select * from final
