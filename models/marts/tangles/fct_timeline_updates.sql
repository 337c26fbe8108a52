with

updates as (

    select * from {{ ref('int_tangles__updates') }}

),

final as (

    select
        refresh_number,
        refresh_id,
        tangle_id,
        step,
        command,
        message_id,
        from_position,
        to_position,
        refreshed_at
    from updates

)

select * from final
