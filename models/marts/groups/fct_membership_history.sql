with

periods as (

    select * from {{ ref('int_groups__membership_periods') }}

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
        periods.group_id,
        {{ group_name('periods.group_id', 'root_epochs.said_name') }} as group_name,
        periods.person_id,
        {{ person_name('periods.person_id', 'names.name') }} as person_name,
        periods.epoch_id,
        periods.from_position as valid_from_position,
        periods.to_position as valid_to_position,
        periods.is_excluded,
        periods.to_position is null as is_current,
        {{ timestamp_of('periods.from_ms') }} as valid_from_at,
        {{ timestamp_of('periods.to_ms') }} as valid_to_at
    from periods
    left join root_epochs on periods.group_id = root_epochs.group_id
    left join names on periods.person_id = names.person_id

)

select * from final
