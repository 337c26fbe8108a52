with

dim_groups as (

    select * from {{ published_version('dim_groups') }}

),

final as (

    select
        group_id,
        root_id,
        preferred_epoch_id,
        epoch_count,
        tip_count,
        person_count
    from dim_groups

)

select * from final
