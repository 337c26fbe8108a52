with

lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}
    where reject_reason is not null or validity = 'invalid'

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where validity != 'invalid'

),

claimed_ids as (

    select distinct message_id from lines
    where reject_reason is null

),

-- Anybody can write a line with the id of another person's message, and software can write a message
-- otherwise than it was signed. If another line holds the real message, this line says nothing about it.
held_ids as (

    select
        messages.message_id,
        messages.is_private
    from messages
    left semi join claimed_ids on messages.message_id = claimed_ids.message_id

),

final as (

    select
        lines.source_file,
        lines.line_number,
        lines.line_hash,
        lines.line_count,
        case
            when lines.reject_reason is not null then lines.reject_reason
            -- Only the hash and the signature tell that somebody says what the author did not. Of an opened
            -- message they cover the ciphertext, which this line does not have.
            when
                lines.invalid_reason in ('id_mismatch', 'signature_is_wrong')
                and not coalesce(held_ids.is_private and not lines.is_private, false)
                then 'forged'
            else 'rewritten'
        end as reason
    from lines
    left join held_ids on lines.reject_reason is null and lines.message_id = held_ids.message_id
    where lines.reject_reason is not null or held_ids.message_id is not null

)

select * from final
