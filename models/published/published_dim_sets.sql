with

dim_sets as (

    select * from {{ published_version('dim_sets') }}

),

final as (

    select
        set_id,
        account_id,
        domain,
        message_count,
        set_aside_count,
        rejected_count,
        erased_count,
        device_count,
        tip_count,
        depth,
        min_required_depth,
        min_ghost_depth,
        item_count,
        lost_by_reference_count,
        prunable_count,
        freed_bytes
    from dim_sets

)

select * from final
