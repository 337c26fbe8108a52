-- Who should be a member of an epoch (4.9 of the group exclusion specification, by its letter): everyone
-- who was ever added to the group, less everyone whose exclusion leads up to the epoch.
with

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

leading_exclusions as (

    select * from {{ ref('int_groups__leading_exclusions') }}

),

people as (

    select distinct
        group_id,
        person_id
    from changes
    where change = 'add'

),

final as (

    select
        epochs.epoch_id,
        epochs.group_id,
        people.person_id
    from epochs
    inner join people on epochs.group_id = people.group_id
    left anti join leading_exclusions
        on epochs.epoch_id = leading_exclusions.epoch_id and people.person_id = leading_exclusions.person_id

)

select * from final
