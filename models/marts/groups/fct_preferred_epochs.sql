with

preferences as (

    select * from {{ ref('int_groups__preferences') }}
    where person_id is not null

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

final as (

    select
        preferences.group_id,
        preferences.person_id,
        preferences.epoch_id,
        preferences.rule,
        preferences.is_witness,
        epochs.is_tip
    from preferences
    inner join epochs on preferences.epoch_id = epochs.epoch_id

)

select * from final
