-- The people who should be members of an epoch (4.9 of the group exclusion specification, by its letter):
-- everybody who was ever added to the group, except those with an exclusion that leads up to the epoch. In
-- older epochs of a very large group, only the declared ones.
with

epochs as (

    select * from {{ ref('int_groups__judged_epochs') }}
    where counts

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

people as (

    select distinct
        group_id,
        person_id
    from changes
    where change = 'add' and counts

),

excluded as (

    select
        epoch_id,
        explode(excluded_before_ids) as person_id
    from epochs

),

candidates as (

    select
        epochs.epoch_id,
        epochs.group_id,
        people.person_id
    from epochs
    inner join people on epochs.group_id = people.group_id
    where epochs.has_all_missing
    union all
    select
        epoch_id,
        group_id,
        explode(member_ids) as person_id
    from epochs
    where not has_all_missing

),

final as (

    select
        candidates.epoch_id,
        candidates.group_id,
        candidates.person_id
    from candidates
    left anti join excluded
        on candidates.epoch_id = excluded.epoch_id and candidates.person_id = excluded.person_id

)

select * from final
