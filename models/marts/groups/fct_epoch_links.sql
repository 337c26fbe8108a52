with

epochs as (

    select * from {{ ref('int_groups__messages') }}
    where kind = 'init'

),

links as (

    select
        message_id as epoch_id,
        group_id,
        explode(previous_epoch_ids) as previous_epoch_id
    from epochs

),

-- An epoch may follow one whose signed bytes are not in the log. That one is no epoch of any table.
final as (

    select
        links.epoch_id,
        links.group_id,
        links.previous_epoch_id
    from links
    left semi join epochs
        on links.previous_epoch_id = epochs.message_id and links.group_id = epochs.group_id

)

select * from final
