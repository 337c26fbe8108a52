with

lines as (

    select * from {{ ref('int_logs__rejected_lines') }}

),

reported_lines as (

    select * from {{ ref('fct_rejected_lines') }}

),

logs as (

    select * from {{ ref('dim_logs') }}

),

counts as (

    select
        source_file,
        reason,
        sum(line_count) as line_count
    from lines
    where not is_of_vanished_log and not is_repeated
    group by source_file, reason

),

reported_counts as (

    select
        source_file,
        reason,
        sum(line_count) as line_count,
        count(*) as counting_rows
    from reported_lines
    group by source_file, reason

),

totals as (

    select
        source_file,
        sum(line_count) as line_count
    from lines
    group by source_file

),

faults as (

    select
        coalesce(counts.source_file, reported_counts.source_file) as source_file,
        'fct_rejected_lines' as counted_by
    from counts
    full outer join reported_counts
        on counts.source_file = reported_counts.source_file and counts.reason = reported_counts.reason
    where counts.line_count is distinct from reported_counts.line_count or reported_counts.counting_rows > 101
    union all
    select
        logs.source_file,
        'dim_logs' as counted_by
    from logs
    left join totals on logs.source_file = totals.source_file
    where logs.rejected_line_count != coalesce(totals.line_count, 0)

)

select * from faults
