with

repairs as (

    select * from {{ ref('int_groups__repairs') }}

),

final as (

    select
        group_id,
        epoch_id,
        person_id,
        action,
        because
    from repairs

)

select * from final
