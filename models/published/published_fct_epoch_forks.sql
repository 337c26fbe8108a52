with

fct_epoch_forks as (

    select * from {{ published_version('fct_epoch_forks') }}

),

final as (

    select
        group_id,
        left_epoch_id,
        right_epoch_id,
        nearest_epoch_id,
        winner_epoch_id,
        rule,
        witness_count,
        is_criss_cross,
        needs_repair
    from fct_epoch_forks

)

select * from final
