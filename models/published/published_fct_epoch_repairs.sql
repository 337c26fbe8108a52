with

fct_epoch_repairs as (

    select * from {{ published_version('fct_epoch_repairs') }}

),

final as (

    select
        group_id,
        epoch_id,
        person_id,
        action,
        because
    from fct_epoch_repairs

)

select * from final
