with

forks as (

    select * from {{ tested_rows(ref('fct_epoch_forks')) }}

),

witnesses as (

    select * from {{ tested_rows(ref('fct_fork_witnesses')) }}

),

members as (

    select * from {{ tested_rows(ref('fct_epoch_members')) }}
    where is_declared

),

member_witnesses as (

    select
        witnesses.left_epoch_id,
        witnesses.right_epoch_id,
        witnesses.person_id
    from witnesses
    inner join members as left_members
        on witnesses.left_epoch_id = left_members.epoch_id and witnesses.person_id = left_members.person_id
    inner join members as right_members
        on witnesses.right_epoch_id = right_members.epoch_id and witnesses.person_id = right_members.person_id

),

witness_counts as (

    select
        witnesses.left_epoch_id,
        witnesses.right_epoch_id,
        count(*) as witness_count,
        count(member_witnesses.person_id) as member_count
    from witnesses
    left join member_witnesses
        on
            witnesses.left_epoch_id = member_witnesses.left_epoch_id
            and witnesses.right_epoch_id = member_witnesses.right_epoch_id
            and witnesses.person_id = member_witnesses.person_id
    group by witnesses.left_epoch_id, witnesses.right_epoch_id

),

faults as (

    select
        coalesce(forks.left_epoch_id, witness_counts.left_epoch_id) as left_epoch_id,
        coalesce(forks.right_epoch_id, witness_counts.right_epoch_id) as right_epoch_id
    from forks
    full outer join witness_counts
        on
            forks.left_epoch_id = witness_counts.left_epoch_id
            and forks.right_epoch_id = witness_counts.right_epoch_id
    where
        forks.left_epoch_id is null
        or forks.witness_count != coalesce(witness_counts.witness_count, 0)
        or witness_counts.witness_count != witness_counts.member_count

)

select * from faults
