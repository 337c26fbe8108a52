{{ config(carried_by={'feed_id': 'int_refresh__feeds'}) }}

with

messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where {{ is_touched('feed_id', 'int_refresh__feeds') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

standings as (

    select * from {{ ref('int_feeds__standings') }}

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
        standings.feed_fault,
        messages.source_file,
        messages.sequence,
        standings.feed_fault_sequence,
        messages.line_number,
        case
            when messages.validity = 'invalid' then false
            when messages.validity = 'not_checked' or standings.feed_fault = 'previous_not_in_log' then null
            else standings.feed_fault is null
        end as is_valid_in_feed,
        messages.is_private,
        messages.is_decrypted,
        {{ timestamp_of('messages.asserted_ms') }} as asserted_at,
        {{ timestamp_of('messages.received_ms') }} as received_at
    from messages
    inner join people on messages.feed_id = people.feed_id
    left join standings on messages.message_id = standings.message_id
    left join message_epochs on messages.message_id = message_epochs.message_id

)

select * from final
