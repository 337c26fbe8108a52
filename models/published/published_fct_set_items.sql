with

fct_set_items as (

    select * from {{ published_version('fct_set_items') }}

),

final as (

    select
        set_id,
        item,
        placed_by_id,
        last_added_by_id,
        position,
        is_lost_by_reference
    from fct_set_items

)

select * from final
