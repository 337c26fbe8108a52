with

feed_messages as (

    select * from {{ ref('int_feeds__messages') }}

),

-- Anybody can write an invalid line under the id of a missing message.
messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where not has_claimed_id

),

-- Anybody can write an invalid message under the name of another person's feed, so it does not count.
own_messages as (

    select
        message_id,
        feed_id,
        previous_id,
        sequence
    from feed_messages
    where validity = 'valid' and feed_format in ('classic', 'bendybutt-v1')

),

previous_messages as (

    select
        message_id,
        feed_id,
        validity,
        sequence
    from messages
    -- A refresh needs only a few of all messages.
    where {{ 'message_id in (select previous_id from own_messages)' if is_refresh() else 'true' }}

),

linked_messages as (

    select
        own_messages.message_id,
        own_messages.feed_id,
        own_messages.previous_id,
        own_messages.sequence,
        case
            when own_messages.sequence = 1 and own_messages.previous_id is null then null
            when own_messages.sequence = 1 then 'first_has_previous'
            when coalesce(own_messages.sequence < 1, true) then 'sequence_is_no_place'
            when own_messages.previous_id is null then 'has_no_previous'
            when own_messages.previous_id not like 'ssb:message/%' then 'previous_is_no_message_id'
            when previous_messages.message_id is null then 'previous_not_in_log'
            when previous_messages.validity = 'invalid' then 'previous_is_invalid'
            -- Nobody knows that such a message is what it says, so neither its feed nor its sequence counts.
            when previous_messages.validity = 'not_checked' then 'previous_is_not_checked'
            when previous_messages.feed_id != own_messages.feed_id then 'previous_of_other_feed'
            when own_messages.sequence is distinct from previous_messages.sequence + 1
                then 'sequence_is_not_next'
        end as link_fault
    from own_messages
    left join previous_messages on own_messages.previous_id = previous_messages.message_id

),

final as (

    select
        message_id,
        feed_id,
        previous_id,
        link_fault,
        sequence,
        count(*) over (partition by feed_id, sequence) as claim_count
    from linked_messages

)

select * from final
