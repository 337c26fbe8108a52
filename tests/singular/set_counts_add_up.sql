with

dim_sets as (

    select * from {{ tested_rows(ref('dim_sets')) }}

),

set_messages as (

    select * from {{ tested_rows(ref('fct_set_messages')) }}

),

items as (

    select * from {{ tested_rows(ref('fct_set_items')) }}

),

prunings as (

    select * from {{ tested_rows(ref('fct_set_prunings')) }}

),

message_counts as (

    select
        set_id,
        count_if(status = 'in') as message_count,
        count(*) as candidate_count,
        count_if(is_prunable) as prunable_count
    from set_messages
    group by set_id

),

item_counts as (

    select
        set_id,
        count(*) as item_count
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

faults as (

    select dim_sets.set_id
    from dim_sets
    full outer join message_counts on dim_sets.set_id = message_counts.set_id
    left join item_counts on dim_sets.set_id = item_counts.set_id
    left join pruning_counts on dim_sets.set_id = pruning_counts.set_id
    where
        not coalesce(
            dim_sets.message_count = message_counts.message_count
            and dim_sets.set_aside_count + dim_sets.rejected_count
            = message_counts.candidate_count - message_counts.message_count
            and dim_sets.item_count = coalesce(item_counts.item_count, 0)
            and dim_sets.prunable_count = message_counts.prunable_count
            and dim_sets.prunable_count = coalesce(pruning_counts.prunable_count, 0)
            and dim_sets.freed_bytes = coalesce(pruning_counts.freed_bytes, 0),
            false
        )

)

select * from faults
