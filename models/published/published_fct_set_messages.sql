with

fct_set_messages as (

    select * from {{ published_version('fct_set_messages') }}

),

final as (

    select
        set_id,
        message_id,
        device_key,
        status,
        status_reason,
        set_fault,
        superseded_by_id,
        kept_because,
        depth,
        position,
        lipmaa_depth,
        added_count,
        deleted_count,
        is_moot,
        is_erased,
        is_tip,
        is_item_root,
        has_lipmaa_link,
        is_prunable,
        is_ghostable,
        received_at
    from fct_set_messages

)

select * from final
