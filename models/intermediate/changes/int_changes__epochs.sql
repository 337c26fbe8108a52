with

epochs as (

    select * from {{ ref('int_groups__known_epochs') }}

),

groups as (

    select * from {{ ref('int_changes__groups') }}

),

final as (

    select epochs.epoch_id
    from epochs
    left semi join groups on epochs.group_id = groups.group_id

)

select * from final
