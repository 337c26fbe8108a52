with

forks as (

    select * from {{ ref('int_groups__forks') }}

),

final as (

    select
        group_id,
        left_epoch_id,
        right_epoch_id,
        explode(witness_ids) as person_id
    from forks

)

select * from final
