with

lines as (

    select * from {{ ref('stg_pzp__landed_lines') }}
    where validity is distinct from 'valid'

),

private_messages as (

    select message_id from {{ ref('stg_pzp__messages') }}
    where is_private

),

final as (

    select
        lines.source_file,
        lines.line_number,
        lines.line_hash,
        lines.line_count,
        coalesce(lines.reject_reason, lines.invalid_reason) as reason
    from lines
    -- The ciphertext of an opened message may be on another line.
    left anti join private_messages
        on lines.validity = 'not_checked' and lines.message_id = private_messages.message_id

)

select * from final
