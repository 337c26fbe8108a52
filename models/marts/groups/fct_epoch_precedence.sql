with

precedence as (

    select * from {{ ref('int_groups__precedence') }}

),

final as (

    select
        epoch_id,
        group_id,
        predecessor_id,
        distance
    from precedence

)

select * from final
