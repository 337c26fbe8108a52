with

candidates as (

    select * from {{ ref('int_sets__candidates') }}

),

set_messages as (

    select * from {{ ref('int_sets__messages') }}

),

described_messages as (

    select
        set_messages.*,
        candidates.device_key,
        candidates.depth,
        candidates.is_moot,
        candidates.is_erased,
        candidates.set_fault,
        candidates.differing_source_files,
        candidates.received_ms,
        case
            when set_messages.status = 'in' then array_size(array_distinct(candidates.added_items))
        end as added_count,
        case
            when set_messages.status = 'in' then array_size(array_distinct(candidates.deleted_items))
        end as deleted_count,
        min(case when set_messages.is_item_root then candidates.depth end) over (
            partition by set_messages.set_id
        ) as min_required_depth
    from set_messages
    inner join candidates on set_messages.message_id = candidates.message_id

),

final as (

    select
        set_id,
        message_id,
        device_key,
        status,
        status_reason,
        set_fault,
        differing_source_files,
        superseded_by_id,
        kept_because,
        depth,
        position,
        lipmaa_depth,
        cast(added_count as bigint) as added_count,
        cast(deleted_count as bigint) as deleted_count,
        is_moot,
        is_erased,
        is_tip,
        is_item_root,
        has_lipmaa_link,
        pruning is not null as is_prunable,
        coalesce(
            status = 'in'
            and not is_moot
            and depth < min_required_depth
            and depth >= min_required_depth - {{ var('set_ghost_span') }},
            false
        ) as is_ghostable,
        {{ timestamp_of('received_ms') }} as received_at
    from described_messages

)

select * from final
