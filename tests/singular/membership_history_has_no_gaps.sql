with

periods as (

    select * from {{ tested_rows(ref('fct_membership_history')) }}

),

preferred_epochs as (

    select * from {{ tested_rows(ref('fct_preferred_epochs')) }}

),

epoch_members as (

    select * from {{ tested_rows(ref('fct_epoch_members')) }}

),

followed as (

    select
        *,
        lead(valid_from_position) over (
            partition by group_id, person_id order by valid_from_position
        ) as next_from_position
    from periods

),

current_periods as (

    select
        group_id,
        person_id,
        epoch_id,
        is_excluded
    from periods
    where is_current

),

preferences as (

    select
        group_id,
        person_id,
        epoch_id
    from preferred_epochs

),

faults as (

    select
        group_id,
        person_id,
        epoch_id
    from followed
    where
        valid_to_position is distinct from next_from_position
        or is_current != (valid_to_position is null)
        or valid_from_position >= valid_to_position
    union all
    select
        coalesce(current_periods.group_id, preferences.group_id) as group_id,
        coalesce(current_periods.person_id, preferences.person_id) as person_id,
        coalesce(current_periods.epoch_id, preferences.epoch_id) as epoch_id
    from current_periods
    full outer join preferences
        on
            current_periods.group_id = preferences.group_id
            and current_periods.person_id = preferences.person_id
            and current_periods.epoch_id = preferences.epoch_id
    where current_periods.epoch_id is null or preferences.epoch_id is null
    union all
    select
        current_periods.group_id,
        current_periods.person_id,
        current_periods.epoch_id
    from current_periods
    left join epoch_members
        on
            current_periods.epoch_id = epoch_members.epoch_id
            and current_periods.person_id = epoch_members.person_id
    where current_periods.is_excluded is distinct from epoch_members.is_still_excluded

)

select * from faults
