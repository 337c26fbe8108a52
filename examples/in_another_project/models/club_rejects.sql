-- Which logs hold lines that cannot be used. fct_rejected_lines has a line that several logs have under one name alone.
with

logs as (

    select * from {{ ref('scuttlehouse', 'dim_logs') }}

),

final as (

    select
        source_file,
        rejected_line_count as line_count
    from logs
    where rejected_line_count > 0

)

select * from final
