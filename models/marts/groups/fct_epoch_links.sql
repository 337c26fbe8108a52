with

messages as (

    select * from {{ ref('int_groups__messages') }}
    where kind = 'init'

),

final as (

    select
        message_id as epoch_id,
        group_id,
        explode(previous_epoch_ids) as previous_epoch_id
    from messages

)

select * from final
