with

ssb_lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}

),

pzp_lines as (

    select * from {{ ref('stg_pzp__landed_lines') }}

),

logs as (

    select * from {{ ref('stg_landing__logs') }}

),

lines as (

    select
        source_file,
        batch_id,
        message_id
    from ssb_lines
    union all
    select
        source_file,
        batch_id,
        message_id
    from pzp_lines

),

-- What this build reads, and what no longer counts because its log has changed.
batches as (

    select
        source_file,
        batch_id
    from logs
    where status in ('new', 'changed')
    union all
    select
        source_file,
        replaced_batch_id as batch_id
    from logs
    where status = 'changed'

),

final as (

    select distinct lines.message_id
    from lines
    left semi join batches on lines.source_file = batches.source_file and lines.batch_id = batches.batch_id
    where lines.message_id is not null and {{ is_refresh() | lower }}

)

select * from final
