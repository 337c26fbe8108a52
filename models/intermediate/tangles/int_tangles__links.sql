with

candidates as (

    select * from {{ ref('int_tangles__candidates') }}
    where reject_reason is null

),

-- Anybody can write an invalid line under the id of a missing message.
messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where not has_claimed_id

),

links as (

    select
        tangle_id,
        message_id,
        feed_id,
        sequence,
        explode(previous_ids) as previous_id
    from candidates
    where not is_root

),

linked as (

    select
        links.tangle_id,
        links.message_id,
        links.feed_id,
        links.previous_id,
        previous.feed_id as previous_feed_id,
        links.sequence,
        previous.sequence as previous_sequence,
        coalesce(previous.is_root, false) as is_previous_root,
        -- A message does not come before itself (ruling R7).
        coalesce(previous.message_id != links.message_id, false) as is_previous_candidate,
        previous.message_id is not null as is_previous_known
    from links
    left join candidates as previous
        on links.tangle_id = previous.tangle_id and links.previous_id = previous.message_id

),

unknown_ids as (

    select distinct previous_id from linked
    where not is_previous_known

),

unknown_messages as (

    select
        messages.message_id,
        {{ is_readable('messages') }} is false as is_encrypted
    from messages
    left semi join unknown_ids on messages.message_id = unknown_ids.previous_id

),

final as (

    select
        linked.tangle_id,
        linked.message_id,
        linked.feed_id,
        linked.previous_id,
        linked.previous_feed_id,
        linked.sequence,
        linked.previous_sequence,
        linked.is_previous_root,
        linked.is_previous_candidate,
        linked.is_previous_known or unknown_messages.message_id is not null as is_in_log,
        coalesce(unknown_messages.is_encrypted, false) as is_previous_encrypted
    from linked
    left join unknown_messages on linked.previous_id = unknown_messages.message_id

)

select * from final
