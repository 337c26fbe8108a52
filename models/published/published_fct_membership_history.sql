with

fct_membership_history as (

    select * from {{ published_version('fct_membership_history') }}

),

final as (

    select
        group_id,
        person_id,
        epoch_id,
        valid_from_position,
        valid_to_position,
        is_excluded,
        is_current,
        valid_from_at,
        valid_to_at
    from fct_membership_history

)

select * from final
