with

logs as (

    select * from {{ ref('stg_landing__logs') }}

),

ssb_lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}

),

pzp_lines as (

    select * from {{ ref('stg_pzp__landed_lines') }}

),

rejected_lines as (

    select * from {{ ref('int_logs__rejected_lines') }}

),

owners as (

    select * from {{ ref('int_logs__owners') }}

),

lines as (

    select
        source_file,
        line_count
    from ssb_lines
    union all
    select
        source_file,
        line_count
    from pzp_lines

),

line_counts as (

    select
        source_file,
        sum(line_count) as line_count
    from lines
    group by source_file

),

rejected_counts as (

    select
        source_file,
        sum(line_count) as rejected_line_count
    from rejected_lines
    group by source_file

),

final as (

    select
        logs.landing_folder,
        logs.source_file,
        owners.owner_id,
        logs.status,
        logs.status_reason,
        logs.form,
        logs.compression,
        logs.encoding,
        logs.content_hash,
        logs.batch_id,
        logs.lines_hash,
        logs.size_bytes,
        coalesce(line_counts.line_count, 0) as line_count,
        coalesce(rejected_counts.rejected_line_count, 0) as rejected_line_count,
        {{ timestamp_of('logs.modified_ms') }} as modified_at
    from logs
    left join owners on logs.source_file = owners.source_file
    left join line_counts on logs.source_file = line_counts.source_file
    left join rejected_counts on logs.source_file = rejected_counts.source_file

)

select * from final
