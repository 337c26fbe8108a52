-- The plan comes first: it may find that all of this can stay as it is.
-- depends_on: {{ ref('int_refresh__plan') }}
{{ config(materialized='view') }}

with

logs as (

    select * from {{ ref('stg_landing__logs') }}

),

landed_lines as (

    select * from {{ ref('stg_pzp__landed_lines') }}

),

final as (

    select
        landed_lines.source_file,
        landed_lines.line_number,
        landed_lines.reject_reason,
        landed_lines.message_id,
        landed_lines.account_id,
        landed_lines.domain,
        landed_lines.tangle_id,
        landed_lines.depth,
        landed_lines.previous_ids,
        landed_lines.account_tip_ids,
        landed_lines.device_key,
        landed_lines.is_moot,
        landed_lines.is_account_message,
        landed_lines.is_erased,
        landed_lines.added_key,
        landed_lines.added_items,
        landed_lines.deleted_items,
        landed_lines.superseded_ids,
        landed_lines.set_fault,
        landed_lines.data_bytes,
        landed_lines.line_bytes,
        landed_lines.received_ms,
        landed_lines.validity,
        landed_lines.invalid_reason,
        landed_lines.batch_id
    from landed_lines
    left semi join logs
        on landed_lines.batch_id = logs.batch_id and landed_lines.source_file = logs.source_file

)

select * from final
