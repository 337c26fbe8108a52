{{ config(materialized='incremental', unique_key='feed_id', replaced_keys_from='int_changes__shown_feeds') }}

with

messages as (

    select * from {{ ref('int_feeds__messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}
    where {{ is_touched('feed_id', 'int_changes__shown_feeds') }}

),

standings as (

    select * from {{ ref('int_feeds__standings') }}

),

-- Anybody can write an invalid message under the name of another person's feed, so it does not count.
feed_sequences as (

    select
        feed_id,
        sequence,
        -- Nor does a message that nobody can check make a fork of a feed whose messages can be checked.
        count_if({{ counts_as_signed('validity', 'feed_format') }}) as signed_count
    from messages
    where validity != 'invalid' and sequence >= 1
    group by feed_id, sequence

),

chains as (

    select
        feed_id,
        min(sequence) as first_sequence,
        max(sequence) as last_sequence,
        max(sequence) - count(*) as gap_count,
        max(signed_count) > 1 as is_forked
    from feed_sequences
    group by feed_id

),

valid_chains as (

    select
        feed_id,
        coalesce(max(case when feed_fault is null then sequence end), 0) as valid_through_sequence
    from standings
    group by feed_id

),

dated_messages as (

    select
        feed_id,
        feed_format,
        validity,
        unix_millis({{ timestamp_of(told_ms('asserted_ms', 'received_ms')) }}) as time_ms
    from messages

),

feed_messages as (

    select
        feed_id,
        max(feed_format) as feed_format,
        count(*) as message_count,
        min(case when validity != 'invalid' then time_ms end) as first_message_ms,
        max(case when validity != 'invalid' then time_ms end) as last_message_ms
    from dated_messages
    group by feed_id

),

final as (

    select
        people.feed_id,
        people.person_id,
        feed_messages.feed_format,
        people.feed_purpose,
        chains.first_sequence,
        chains.last_sequence,
        people.has_known_person,
        coalesce(feed_messages.message_count, 0) as message_count,
        case
            when feed_messages.feed_format = 'classic' then coalesce(valid_chains.valid_through_sequence, 0)
            else valid_chains.valid_through_sequence
        end as valid_through_sequence,
        coalesce(chains.gap_count, 0) as gap_count,
        coalesce(chains.is_forked, false) as is_forked,
        {{ timestamp_of('feed_messages.first_message_ms') }} as first_message_at,
        {{ timestamp_of('feed_messages.last_message_ms') }} as last_message_at
    from people
    left join feed_messages on people.feed_id = feed_messages.feed_id
    left join chains on people.feed_id = chains.feed_id
    left join valid_chains on people.feed_id = valid_chains.feed_id

)

select * from final
