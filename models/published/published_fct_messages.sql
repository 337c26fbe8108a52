with

fct_messages as (

    select * from {{ published_version('fct_messages') }}

),

final as (

    select
        message_id,
        feed_id,
        person_id,
        previous_id,
        epoch_id,
        content_type,
        validity,
        invalid_reason,
        warning,
        source_file,
        sequence,
        line_number,
        is_private,
        is_decrypted,
        asserted_at,
        received_at
    from fct_messages

)

select * from final
