with

preferences as (

    select * from {{ ref('int_groups__preferences') }}
    where person_id is not null

),

judged_epochs as (

    select * from {{ ref('int_groups__judged_epochs') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

final as (

    select
        preferences.group_id,
        {{ group_name('preferences.group_id', 'root_epochs.said_name') }} as group_name,
        preferences.person_id,
        {{ person_name('preferences.person_id', 'names.name') }} as person_name,
        preferences.epoch_id,
        preferences.rule,
        preferences.is_witness,
        judged_epochs.is_tip
    from preferences
    inner join judged_epochs on preferences.epoch_id = judged_epochs.epoch_id
    left join root_epochs on preferences.group_id = root_epochs.group_id
    left join names on preferences.person_id = names.person_id

)

select * from final
