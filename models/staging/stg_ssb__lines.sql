-- The plan comes first: it may find that all of this can stay as it is.
-- depends_on: {{ ref('int_refresh__plan') }}
{{ config(materialized='view') }}

with

logs as (

    select * from {{ ref('stg_landing__logs') }}

),

landed_lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}

),

final as (

    select
        landed_lines.source_file,
        landed_lines.line_number,
        landed_lines.reject_reason,
        landed_lines.message_id,
        landed_lines.feed_id,
        landed_lines.feed_format,
        landed_lines.sequence,
        landed_lines.previous_id,
        landed_lines.content_type,
        landed_lines.asserted_ms,
        landed_lines.received_ms,
        landed_lines.is_private,
        landed_lines.is_decrypted,
        landed_lines.content,
        landed_lines.key_hash,
        landed_lines.validity,
        landed_lines.invalid_reason,
        landed_lines.warning,
        landed_lines.batch_id
    from landed_lines
    left semi join logs
        on landed_lines.batch_id = logs.batch_id and landed_lines.source_file = logs.source_file

)

select * from final
