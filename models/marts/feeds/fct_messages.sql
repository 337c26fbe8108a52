with

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

message_epochs as (

    select * from {{ ref('int_feeds__message_epochs') }}

),

final as (

    select
        messages.message_id,
        messages.feed_id,
        people.person_id,
        messages.previous_id,
        message_epochs.epoch_id,
        messages.content_type,
        messages.validity,
        messages.invalid_reason,
        messages.warning,
        messages.source_file,
        messages.sequence,
        messages.line_number,
        messages.is_private,
        messages.is_decrypted,
        {{ timestamp_of('messages.asserted_ms') }} as asserted_at,
        {{ timestamp_of('messages.received_ms') }} as received_at
    from messages
    inner join people on messages.feed_id = people.feed_id
    left join message_epochs on messages.message_id = message_epochs.message_id

)

select * from final
