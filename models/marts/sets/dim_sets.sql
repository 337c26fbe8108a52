with

candidates as (

    select * from {{ ref('int_sets__candidates') }}

),

set_messages as (

    select * from {{ ref('fct_set_messages') }}

),

items as (

    select * from {{ ref('fct_set_items') }}

),

prunings as (

    select * from {{ ref('fct_set_prunings') }}

),

accounts as (

    select distinct
        set_id,
        account_id,
        domain
    from candidates

),

set_counts as (

    select
        set_id,
        count_if(status = 'in') as message_count,
        count_if(status = 'set_aside') as set_aside_count,
        count_if(status = 'rejected') as rejected_count,
        count_if(status = 'in' and is_erased) as erased_count,
        count(distinct case when status = 'in' and not is_moot then device_key end) as device_count,
        count_if(is_tip) as tip_count,
        max(case when status = 'in' then depth end) as depth,
        min(case when is_item_root then depth end) as min_required_depth
    from set_messages
    group by set_id

),

item_counts as (

    select
        set_id,
        count(*) as item_count,
        count_if(is_lost_by_reference) as lost_by_reference_count
    from items
    group by set_id

),

pruning_counts as (

    select
        set_id,
        count(*) as prunable_count,
        sum(freed_bytes) as freed_bytes
    from prunings
    group by set_id

),

final as (

    select
        accounts.set_id,
        accounts.account_id,
        accounts.domain,
        set_counts.message_count,
        set_counts.set_aside_count,
        set_counts.rejected_count,
        set_counts.erased_count,
        set_counts.device_count,
        set_counts.tip_count,
        set_counts.depth,
        set_counts.min_required_depth,
        case
            when set_counts.min_required_depth is not null
                then greatest(set_counts.min_required_depth - {{ var('set_ghost_span') }}, 0)
        end as min_ghost_depth,
        coalesce(item_counts.item_count, 0) as item_count,
        coalesce(item_counts.lost_by_reference_count, 0) as lost_by_reference_count,
        coalesce(pruning_counts.prunable_count, 0) as prunable_count,
        coalesce(pruning_counts.freed_bytes, 0) as freed_bytes
    from accounts
    inner join set_counts on accounts.set_id = set_counts.set_id
    left join item_counts on accounts.set_id = item_counts.set_id
    left join pruning_counts on accounts.set_id = pruning_counts.set_id

)

select * from final
