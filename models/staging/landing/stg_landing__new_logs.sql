with

logs as (

    select * from {{ ref('stg_landing__logs') }}

),

final as (

    select source_file
    from logs
    where
        status in ('new', 'changed', 'moved', 'copy')
        -- It keeps no lines if a copy of it is read.
        or (status = 'left_out' and batch_id is null)

)

select * from final
