with

periods as (

    select * from {{ ref('int_groups__membership_periods') }}

),

final as (

    select
        group_id,
        person_id,
        epoch_id,
        from_position as valid_from_position,
        to_position as valid_to_position,
        is_excluded,
        to_position is null as is_current,
        {{ timestamp_of('from_ms') }} as valid_from_at,
        {{ timestamp_of('to_ms') }} as valid_to_at
    from periods

)

select * from final
