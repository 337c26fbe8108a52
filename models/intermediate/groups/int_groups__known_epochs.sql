with

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

published_epochs as (

    select * from {{ base_of('dim_epochs', ['epoch_id', 'group_id']) }}

),

published_messages as (

    select * from {{ base_of('stg_ssb__group_messages', ['message_id', 'key_hash']) }}

),

final as (

    select
        epoch_id,
        group_id,
        key_hash
    from epochs
    union
    select
        published_epochs.epoch_id,
        published_epochs.group_id,
        published_messages.key_hash
    from published_epochs
    inner join published_messages on published_epochs.epoch_id = published_messages.message_id

)

select * from final
