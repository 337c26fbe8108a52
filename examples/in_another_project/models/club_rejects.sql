-- Which logs hold lines that cannot be used.
with

lines as (

    select * from {{ ref('scuttlehouse', 'fct_rejected_lines') }}

),

final as (

    select
        source_file,
        sum(line_count) as line_count
    from lines
    group by source_file

)

select * from final
