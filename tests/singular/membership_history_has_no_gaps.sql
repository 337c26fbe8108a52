with

stretches as (

    select * from {{ ref('fct_membership_history') }}

),

preferred_epochs as (

    select * from {{ ref('fct_preferred_epochs') }}

),

followed as (

    select
        *,
        lead(valid_from_position) over (
            partition by group_id, person_id order by valid_from_position
        ) as next_from_position
    from stretches

),

current_stretches as (

    select
        group_id,
        person_id,
        epoch_id
    from stretches
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
    (
        select * from current_stretches
        except
        select * from preferences
    )
    union all
    (
        select * from preferences
        except
        select * from current_stretches
    )

)

select * from faults
