{{ config(
    materialized='incremental',
    unique_key='message_id',
    replaced_keys_from='int_refresh__sighted_messages'
) }}

with

lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}
    where reject_reason is null and {{ is_touched('message_id', 'int_refresh__sighted_messages') }}

),

published_messages as (

    select * from {{ base_of('stg_ssb__messages', {'message_id': 'string', 'received_ms': 'double'}) }}
    where {{ is_touched('message_id', 'int_refresh__sighted_messages') }}

),

encrypted_lines as (

    select distinct
        message_id,
        feed_id,
        sequence
    from lines
    where validity = 'valid' and is_private and not is_decrypted

),

-- A message that was opened and lost its ciphertext on the way is the one that another log has encrypted: the
-- plaintext is somebody's word in any case (ruling R36).
confirmed_lines as (

    select
        lines.* except (validity, warning),
        if(encrypted_lines.message_id is null, lines.validity, 'valid') as validity,
        if(encrypted_lines.message_id is null, lines.warning, null) as warning
    from lines
    left join encrypted_lines
        on
            lines.warning = 'ciphertext_not_in_log'
            and lines.message_id = encrypted_lines.message_id
            and lines.feed_id = encrypted_lines.feed_id
            and lines.sequence = encrypted_lines.sequence

),

-- A message may be seen in several logs. What holds against the others: a line that is not invalid,
-- then one that somebody could decrypt (ruling R2); the rest only makes the choice repeatable.
sightings as (

    select
        *,
        row_number() over (
            partition by message_id
            order by
                case validity when 'valid' then 0 when 'not_checked' then 1 else 2 end,
                is_decrypted desc,
                content asc,
                source_file asc,
                line_number asc
        ) as sighting_number,
        min(received_ms) over (partition by message_id) as first_received_ms
    from confirmed_lines

),

final as (

    select
        sightings.message_id,
        sightings.feed_id,
        sightings.previous_id,
        sightings.feed_format,
        sightings.content_type,
        sightings.content,
        sightings.validity,
        sightings.invalid_reason,
        sightings.warning,
        sightings.key_hash,
        sightings.source_file,
        sightings.sequence,
        sightings.line_number,
        sightings.is_private,
        sightings.is_decrypted,
        sightings.asserted_ms,
        -- The group that a message is for is its first recipient.
        case
            when
                sightings.content like '%"ssb:identity/group/%'
                or sightings.content like '%"ssb:message/cloaked/%'
                then get_json_object(sightings.content, '$.recps[0]')
        end as addressed_group_id,
        -- The earliest time persists, whatever became of the log that had it (ruling R2).
        least(sightings.first_received_ms, published_messages.received_ms) as received_ms
    from sightings
    left join published_messages on sightings.message_id = published_messages.message_id
    where sightings.sighting_number = 1

)

select * from final
