{#- The same number as in scuttlehouse.landing.rejects, which counts the lines of one part of a log. -#}
{%- set most_rejects = 100 %}
with

lines as (

    select * from {{ ref('int_logs__rejected_lines') }}
    where not is_of_vanished_log and not is_repeated

),

reasons as (

    select * from {{ ref('reject_reasons') }}

),

numbered_lines as (

    select
        *,
        least(
            row_number() over (partition by source_file, reason order by line_number), {{ most_rejects }} + 1
        ) as place
    from lines

),

-- Lines past that number are counted in one row.
counted_lines as (

    select
        source_file,
        reason,
        min(line_number) as line_number,
        sum(line_count) as line_count
    from numbered_lines
    group by source_file, reason, place

),

final as (

    select
        counted_lines.source_file,
        counted_lines.reason,
        reasons.remedy,
        counted_lines.line_number,
        counted_lines.line_count
    from counted_lines
    inner join reasons on counted_lines.reason = reasons.reason

)

select * from final
