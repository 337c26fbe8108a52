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

-- An epoch may have thousands of members and thousands of epochs after it. So each person's later epochs are
-- compared with the one that they prefer, and never all members with all later epochs.
preferences_of_members as (

    select
        members.group_id,
        members.epoch_id,
        members.person_id,
        preferences.epoch_id as preferred_epoch_id
    from members
    inner join preferences
        on members.group_id = preferences.group_id and members.person_id = preferences.person_id

),

succeeded_preferences as (

    select
        preferences_of_members.group_id,
        preferences_of_members.person_id
    from preferences_of_members
    left semi join precedence
        on
            preferences_of_members.epoch_id = precedence.epoch_id
            and preferences_of_members.preferred_epoch_id = precedence.predecessor_id

),

newest_preferences as (

    select
        preferences_of_members.group_id,
        preferences_of_members.person_id
    from preferences_of_members
    left anti join succeeded_preferences
        on
            preferences_of_members.group_id = succeeded_preferences.group_id
            and preferences_of_members.person_id = succeeded_preferences.person_id
    where preferences_of_members.epoch_id = preferences_of_members.preferred_epoch_id

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
    left anti join newest_preferences
        on people.group_id = newest_preferences.group_id and people.person_id = newest_preferences.person_id
    union all
    select
        preferences.group_id,
        preferences.person_id
    from preferences
    left anti join people
        on preferences.group_id = people.group_id and preferences.person_id = people.person_id

)

select * from faults
