with

fct_rejected_lines as (

    select * from {{ published_version('fct_rejected_lines') }}

),

final as (

    select
        source_file,
        reason,
        remedy,
        line_number
    from fct_rejected_lines

)

select * from final
