with

logs as (

    select * from {{ ref('stg_landing__logs') }}

),

final as (

    select source_file
    from logs
    where status in ('new', 'changed', 'moved', 'copy')

)

select * from final
