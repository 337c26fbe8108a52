with

groups as (

    select * from {{ tested_rows(ref('dim_groups')) }}

),

epochs as (

    select * from {{ tested_rows(ref('dim_epochs')) }}
    where is_tip

),

disjoint_forks as (

    select * from {{ tested_rows(ref('fct_epoch_forks')) }}
    where rule = 'disjoint' and is_current

),

faults as (

    select groups.group_id
    from groups
    left anti join epochs
        on groups.preferred_epoch_id = epochs.epoch_id and groups.group_id = epochs.group_id
    where groups.preferred_epoch_id is not null
    union all
    -- An epoch is not paired with more than 50 others: a larger group may lack the row of a disjoint pair.
    select groups.group_id
    from groups
    left anti join disjoint_forks on groups.group_id = disjoint_forks.group_id
    where groups.preferred_epoch_id is null and groups.tip_count between 1 and 51

)

select * from faults
