with

forks as (

    select * from {{ ref('int_groups__forks') }}

),

final as (

    select
        group_id,
        left_epoch_id,
        right_epoch_id,
        nearest_epoch_id,
        winner_epoch_id,
        rule,
        is_criss_cross,
        size(witness_ids) as witness_count,
        rule = 'overlapping' and size(witness_ids) > 0 as needs_repair
    from forks

)

select * from final
