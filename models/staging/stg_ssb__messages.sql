with

lines as (

    select * from {{ ref('stg_ssb__lines') }}
    where reject_reason is null

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
    from lines

),

final as (

    select
        message_id,
        feed_id,
        previous_id,
        feed_format,
        content_type,
        content,
        validity,
        invalid_reason,
        warning,
        key_hash,
        source_file,
        sequence,
        line_number,
        key_rank,
        is_private,
        is_decrypted,
        asserted_ms,
        first_received_ms as received_ms
    from sightings
    where sighting_number = 1

)

select * from final
