with

epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where {{ is_touched('group_id', 'int_refresh__groups') }}

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

preferences as (

    select * from {{ ref('int_groups__preferences') }}
    where person_id is null

),

groups as (

    select
        group_id,
        max(case when is_root then epoch_id end) as root_id,
        count(*) as epoch_count,
        count_if(is_tip) as tip_count
    from epochs
    group by group_id

),

people as (

    select
        group_id,
        count(distinct person_id) as person_count
    from changes
    where change = 'add'
    group by group_id

),

final as (

    select
        groups.group_id,
        groups.root_id,
        preferences.epoch_id as preferred_epoch_id,
        groups.epoch_count,
        groups.tip_count,
        coalesce(people.person_count, 0) as person_count
    from groups
    left join people on groups.group_id = people.group_id
    left join preferences on groups.group_id = preferences.group_id

)

select * from final
