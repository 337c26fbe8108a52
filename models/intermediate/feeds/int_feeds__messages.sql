with

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

final as (

    select
        message_id,
        feed_id,
        previous_id,
        addressed_group_id,
        feed_format,
        content_type,
        validity,
        invalid_reason,
        warning,
        source_file,
        differing_source_file,
        sequence,
        line_number,
        is_private,
        is_decrypted,
        asserted_ms,
        received_ms
    from messages
    where {{ is_touched('feed_id', 'int_changes__shown_feeds') }}

)

select * from final
