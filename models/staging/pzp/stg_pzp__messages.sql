{{ config(
    materialized='incremental',
    unique_key='message_id',
    replaced_keys_from='stg_changes__sighted_messages'
) }}

with

lines as (

    select * from {{ ref('stg_pzp__landed_lines') }}
    where validity = 'valid' and {{ is_touched('message_id', 'stg_changes__sighted_messages') }}

),

-- A message may be seen in several logs. A line with data counts before a line without, and a line with
-- opened data before ciphertext. The rest only makes the choice repeatable.
sightings as (

    select
        *,
        row_number() over (
            partition by message_id
            order by is_erased, set_fault is not null, source_file, line_number
        ) as sighting_number,
        coalesce(
            min({{ plausible_ms('received_ms') }}) over (partition by message_id),
            min(received_ms) over (partition by message_id)
        ) as first_received_ms
    from lines

),

final as (

    select
        message_id,
        account_id,
        domain,
        tangle_id,
        previous_ids,
        device_key,
        added_key,
        added_items,
        deleted_items,
        superseded_ids,
        set_fault,
        source_file,
        depth,
        data_bytes,
        line_bytes,
        line_number,
        is_moot,
        is_account_message,
        is_erased,
        first_received_ms as received_ms
    from sightings
    where sighting_number = 1

)

select * from final
