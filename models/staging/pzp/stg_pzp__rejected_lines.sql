with

lines as (

    select * from {{ ref('stg_pzp__landed_lines') }}

),

final as (

    select
        source_file,
        line_number,
        line_hash,
        line_count,
        coalesce(reject_reason, invalid_reason) as reason
    from lines
    where validity is distinct from 'valid'

)

select * from final
