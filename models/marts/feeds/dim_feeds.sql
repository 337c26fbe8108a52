with

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

-- Anybody can write an invalid message under the name of somebody else's feed: it says nothing about it.
own_messages as (

    select
        message_id,
        feed_id,
        previous_id,
        validity,
        sequence
    from messages
    where validity != 'invalid' and sequence >= 1

),

-- A message stands well when it begins its feed or follows the message it names as previous.
linked_messages as (

    select
        own_messages.feed_id,
        own_messages.sequence,
        own_messages.validity = 'valid'
        and (
            (own_messages.sequence = 1 and own_messages.previous_id is null)
            or coalesce(previous.sequence = own_messages.sequence - 1, false)
        ) as is_linked
    from own_messages
    left join own_messages as previous
        on own_messages.previous_id = previous.message_id and own_messages.feed_id = previous.feed_id

),

feed_sequences as (

    select
        feed_id,
        sequence,
        bool_or(is_linked) as is_linked,
        count(*) as message_count
    from linked_messages
    group by feed_id, sequence

),

chained_sequences as (

    select
        feed_id,
        sequence,
        message_count,
        bool_and(is_linked) over (partition by feed_id order by sequence) as is_chained
    from feed_sequences

),

chains as (

    select
        feed_id,
        min(sequence) as first_sequence,
        max(sequence) as last_sequence,
        coalesce(max(case when is_chained then sequence end), 0) as valid_through_sequence,
        max(sequence) - count(*) as gap_count,
        max(message_count) > 1 as is_forked
    from chained_sequences
    group by feed_id

),

feed_messages as (

    select
        feed_id,
        max(feed_format) as feed_format,
        count(*) as message_count
    from messages
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
        case when feed_messages.feed_format = 'classic' then chains.valid_through_sequence end
            as valid_through_sequence,
        coalesce(chains.gap_count, 0) as gap_count,
        coalesce(chains.is_forked, false) as is_forked
    from people
    left join feed_messages on people.feed_id = feed_messages.feed_id
    left join chains on people.feed_id = chains.feed_id

)

select * from final
