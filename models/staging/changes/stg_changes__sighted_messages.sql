{%- set types = {'source_file': 'string', 'message_id': 'string'} %}
with

new_logs as (

    select * from {{ ref('stg_landing__new_logs') }}

),

-- The lines that this build reads, and the lines that no longer count because their log has changed.
ssb_lines as (

    {{ now_and_before('stg_ssb__landed_lines', types) }}

),

pzp_lines as (

    {{ now_and_before('stg_pzp__landed_lines', types) }}

),

lines as (

    select * from ssb_lines
    union all
    select * from pzp_lines

),

final as (

    select distinct lines.message_id
    from lines
    left semi join new_logs on lines.source_file = new_logs.source_file
    where lines.message_id is not null and {{ is_refresh() | lower }}

)

select * from final
