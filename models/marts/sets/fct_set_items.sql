with

items as (

    select * from {{ ref('int_sets__items') }}

),

final as (

    select
        set_id,
        item,
        placed_by_id,
        last_added_by_id,
        position,
        is_lost_by_reference
    from items

)

select * from final
