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
        feed_fault,
        source_file,
        sequence,
        feed_fault_sequence,
        line_number,
        is_valid_in_feed,
        is_private,
        is_decrypted,
        asserted_at,
        received_at
    from fct_messages

)

select * from final
