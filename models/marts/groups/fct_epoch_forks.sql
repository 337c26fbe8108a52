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
        loser_epoch_id,
        healed_by_epoch_id,
        rule,
        is_criss_cross,
        is_current,
        healed_by_epoch_id is not null as is_healed,
        size(witness_ids) as witness_count,
        needs_repair,
        {{ timestamp_of('began_ms') }} as began_at
    from forks

)

select * from final
