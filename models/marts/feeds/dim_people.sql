{{ config(materialized='table') }}

with

feeds as (

    select * from {{ ref('dim_feeds') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

epoch_members as (

    select * from {{ ref('fct_epoch_members') }}

),

memberships as (

    select * from {{ ref('fct_membership_history') }}
    where is_current and not is_excluded

),

preferences as (

    select * from {{ ref('fct_preferred_epochs') }}

),

groups as (

    select * from {{ ref('dim_groups') }}

),

exclusions as (

    select * from {{ ref('fct_exclusions') }}
    where counts

),

people_with_feeds as (

    select
        person_id,
        count(*) as feed_count,
        sum(message_count) as message_count,
        min(first_message_at) as first_message_at,
        max(last_message_at) as last_message_at
    from feeds
    group by person_id

),

added_people as (

    select
        person_id,
        count(distinct group_id) as ever_group_count
    from epoch_members
    where is_declared
    group by person_id

),

current_groups as (

    select
        person_id,
        count(distinct group_id) as group_count
    from memberships
    group by person_id

),

differing_preferences as (

    select
        preferences.person_id,
        count(*) as differing_group_count
    from preferences
    inner join groups on preferences.group_id = groups.group_id
    where preferences.epoch_id != groups.preferred_epoch_id
    group by preferences.person_id

),

received_exclusions as (

    select
        excluded_id as person_id,
        count(distinct message_id) as received_exclusion_count
    from exclusions
    group by excluded_id

),

made_exclusions as (

    select
        excluded_by_id as person_id,
        count(distinct message_id) as made_exclusion_count
    from exclusions
    group by excluded_by_id

),

people as (

    select person_id from people_with_feeds
    union
    select person_id from added_people

),

final as (

    select
        people.person_id,
        {{ short_id('people.person_id') }} as short_id,
        names.name,
        coalesce(people_with_feeds.feed_count, 0) as feed_count,
        coalesce(people_with_feeds.message_count, 0) as message_count,
        coalesce(current_groups.group_count, 0) as group_count,
        coalesce(added_people.ever_group_count, 0) as ever_group_count,
        coalesce(differing_preferences.differing_group_count, 0) as differing_group_count,
        coalesce(received_exclusions.received_exclusion_count, 0) as received_exclusion_count,
        coalesce(made_exclusions.made_exclusion_count, 0) as made_exclusion_count,
        people_with_feeds.first_message_at,
        people_with_feeds.last_message_at
    from people
    left join people_with_feeds on people.person_id = people_with_feeds.person_id
    left join names on people.person_id = names.person_id
    left join added_people on people.person_id = added_people.person_id
    left join current_groups on people.person_id = current_groups.person_id
    left join differing_preferences on people.person_id = differing_preferences.person_id
    left join received_exclusions on people.person_id = received_exclusions.person_id
    left join made_exclusions on people.person_id = made_exclusions.person_id

)

select * from final
