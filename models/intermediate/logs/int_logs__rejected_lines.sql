with

ssb_lines as (

    select * from {{ ref('stg_ssb__rejected_lines') }}

),

pzp_lines as (

    select * from {{ ref('stg_pzp__rejected_lines') }}

),

logs as (

    select * from {{ ref('stg_landing__logs') }}

),

all_rejects as (

    select * from ssb_lines
    union all
    select * from pzp_lines

),

-- Messages may be glued together on one line: it is rejected once, by whichever of its reasons comes first.
-- If it is the first of many lines that one row counts, that row says why these are rejected.
rejected_lines as (

    select
        source_file,
        line_number,
        min_by(reason, struct(line_count = 1, reason)) as reason,
        if(max(line_count) = 1, max(line_hash), null) as line_hash,
        max(line_count) as line_count
    from all_rejects
    group by source_file, line_number

),

placed_lines as (

    select
        rejected_lines.*,
        logs.status = 'vanished' as is_of_vanished_log
    from rejected_lines
    inner join logs on rejected_lines.source_file = logs.source_file

),

-- A log that was appended to or mended, and saved under another name, has the same lines again: the log whose
-- name comes first reports them.
compared_lines as (

    select
        *,
        min(if(is_of_vanished_log, null, source_file)) over (
            partition by reason, line_hash
        ) as first_source_file
    from placed_lines

),

final as (

    select
        source_file,
        line_number,
        reason,
        line_count,
        is_of_vanished_log,
        coalesce(line_hash is not null and source_file > first_source_file, false) as is_repeated
    from compared_lines

)

select * from final
