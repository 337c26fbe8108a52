with

epochs as (

    select * from {{ tested_rows(ref('dim_epochs')) }}

),

groups as (

    select * from {{ tested_rows(ref('dim_groups')) }}

),

members as (

    select * from {{ tested_rows(ref('fct_epoch_members')) }}
    where is_declared

),

epoch_counts as (

    select
        epoch_id,
        count(*) as member_count
    from members
    group by epoch_id

),

group_counts as (

    select
        group_id,
        count(distinct person_id) as person_count
    from members
    group by group_id

),

faults as (

    select epochs.epoch_id as id
    from epochs
    left join epoch_counts on epochs.epoch_id = epoch_counts.epoch_id
    where epochs.member_count != coalesce(epoch_counts.member_count, 0)
    union all
    select groups.group_id as id
    from groups
    left join group_counts on groups.group_id = group_counts.group_id
    where groups.person_count != coalesce(group_counts.person_count, 0)

)

select * from faults
