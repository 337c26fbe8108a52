-- A table on top of the package's, published beside them because its access is public.
with

groups as (

    select * from {{ ref('scuttlehouse', 'dim_groups') }}

),

repairs as (

    select * from {{ ref('scuttlehouse', 'fct_epoch_repairs') }}

),

counted as (

    select
        group_id,
        count(*) as repair_count
    from repairs
    group by group_id

),

final as (

    select
        groups.group_id,
        groups.epoch_count,
        coalesce(counted.repair_count, 0) as repair_count,
        {{ scuttlehouse.short_id('groups.group_id') }} as shown_as
    from groups
    left join counted on groups.group_id = counted.group_id

)

select * from final
