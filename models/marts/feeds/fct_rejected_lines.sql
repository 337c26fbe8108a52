with

ssb_lines as (

    select * from {{ ref('stg_ssb__rejected_lines') }}

),

pzp_lines as (

    select * from {{ ref('stg_pzp__rejected_lines') }}

),

reasons as (

    select * from {{ ref('reject_reasons') }}

),

all_rejects as (

    select
        source_file,
        line_number,
        reason
    from ssb_lines
    union all
    select
        source_file,
        line_number,
        reason
    from pzp_lines

),

-- A line may hold several messages glued together. It is rejected once, with the first of its reasons.
rejected_lines as (

    select
        source_file,
        line_number,
        min(reason) as reason
    from all_rejects
    group by source_file, line_number

),

final as (

    select
        rejected_lines.source_file,
        rejected_lines.reason,
        reasons.remedy,
        rejected_lines.line_number
    from rejected_lines
    inner join reasons on rejected_lines.reason = reasons.reason

)

select * from final
