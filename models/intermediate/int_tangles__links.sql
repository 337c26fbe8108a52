with

candidates as (

    select * from {{ ref('int_tangles__candidates') }}
    where reject_reason is null

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}

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

final as (

    select
        links.tangle_id,
        links.message_id,
        links.feed_id,
        links.previous_id,
        previous.feed_id as previous_feed_id,
        links.sequence,
        previous.sequence as previous_sequence,
        coalesce(previous.is_root, false) as is_previous_root,
        -- Nothing comes before itself (ruling R7).
        coalesce(previous.message_id != links.message_id, false) as is_previous_candidate,
        messages.message_id is not null as is_in_log
    from links
    left join candidates as previous
        on links.tangle_id = previous.tangle_id and links.previous_id = previous.message_id
    left join messages on links.previous_id = messages.message_id

)

select * from final
