with

members as (

    select * from {{ tested_rows(ref('fct_epoch_members')) }}
    where is_declared

),

precedence as (

    select * from {{ tested_rows(ref('fct_epoch_precedence')) }}

),

preferences as (

    select * from {{ tested_rows(ref('fct_preferred_epochs')) }}

),

succeeded_members as (

    select distinct
        members.epoch_id,
        members.person_id
    from members
    inner join precedence on members.epoch_id = precedence.predecessor_id
    inner join members as later_members
        on precedence.epoch_id = later_members.epoch_id and members.person_id = later_members.person_id

),

newest_members as (

    select members.*
    from members
    left anti join succeeded_members
        on members.epoch_id = succeeded_members.epoch_id and members.person_id = succeeded_members.person_id

),

people as (

    select distinct
        group_id,
        person_id
    from members

),

faults as (

    select
        people.group_id,
        people.person_id
    from people
    left join preferences
        on people.group_id = preferences.group_id and people.person_id = preferences.person_id
    left join newest_members
        on preferences.epoch_id = newest_members.epoch_id and preferences.person_id = newest_members.person_id
    where newest_members.person_id is null
    union all
    select
        preferences.group_id,
        preferences.person_id
    from preferences
    left anti join people
        on preferences.group_id = people.group_id and preferences.person_id = people.person_id

)

select * from faults
