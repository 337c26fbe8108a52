with

forks as (

    select * from {{ tested_rows(ref('fct_epoch_forks')) }}
    where is_current

),

epochs as (

    select * from {{ tested_rows(ref('dim_epochs')) }}
    where is_tip

),

-- An epoch is not paired with more than 50 others.
large_groups as (

    select group_id from epochs
    group by group_id
    having count(*) > 51

),

epochs_of_small_groups as (

    select epochs.*
    from epochs
    left anti join large_groups on epochs.group_id = large_groups.group_id

),

pairs as (

    select
        lefts.group_id,
        lefts.epoch_id as left_epoch_id,
        rights.epoch_id as right_epoch_id
    from epochs_of_small_groups as lefts
    inner join epochs_of_small_groups as rights
        on lefts.group_id = rights.group_id and lefts.epoch_id < rights.epoch_id

),

forks_of_small_groups as (

    select forks.*
    from forks
    left anti join large_groups on forks.group_id = large_groups.group_id

),

faults as (

    select
        coalesce(forks.left_epoch_id, pairs.left_epoch_id) as left_epoch_id,
        coalesce(forks.right_epoch_id, pairs.right_epoch_id) as right_epoch_id
    from forks_of_small_groups as forks
    full outer join pairs
        on
            forks.group_id = pairs.group_id
            and forks.left_epoch_id = pairs.left_epoch_id
            and forks.right_epoch_id = pairs.right_epoch_id
    where
        forks.left_epoch_id is null
        or pairs.left_epoch_id is null
        or (forks.rule = 'disjoint') != (forks.winner_epoch_id is null)
        or forks.winner_epoch_id not in (forks.left_epoch_id, forks.right_epoch_id)

)

select * from faults
