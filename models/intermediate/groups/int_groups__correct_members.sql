-- The people who should be members of an epoch (4.9 of the group exclusion specification, by its letter):
-- everybody who was ever added to the group, except those with an exclusion that leads up to the epoch.
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

final as (

    select
        epochs.epoch_id,
        epochs.group_id,
        people.person_id
    from epochs
    inner join people on epochs.group_id = people.group_id
    left anti join excluded
        on epochs.epoch_id = excluded.epoch_id and people.person_id = excluded.person_id

)

select * from final
