-- Settling is proved, tangle by tangle, when every candidate agrees with its links: a message is in if and
-- only if all of its previous are in. Then the settled set is what the recipe grows. (int_tangles__ranked
-- finds loops; no signed message can be in one.)
with

candidates as (

    select * from {{ ref('int_tangles__candidates') }}
    where reject_reason is null

),

links as (

    select * from {{ ref('int_tangles__links') }}

),

settled as (

    select * from {{ ref('int_tangles__settled') }}

),

settled_candidates as (

    select
        candidates.tangle_id,
        candidates.message_id,
        candidates.is_root,
        candidates.is_root
        or {{ is_below_watermark('candidates.sequence', 'settled') }} as is_below_watermark
    from candidates
    left join settled
        on candidates.tangle_id = settled.tangle_id and candidates.feed_id = settled.feed_id

),

settled_links as (

    select
        links.tangle_id,
        links.message_id,
        links.is_previous_candidate
        and (
            links.is_previous_root
            or {{ is_below_watermark('links.previous_sequence', 'settled') }}
        ) as is_previous_below_watermark
    from links
    left join settled
        on links.tangle_id = settled.tangle_id and links.previous_feed_id = settled.feed_id

),

met_messages as (

    select
        tangle_id,
        message_id,
        bool_and(is_previous_below_watermark) as has_all_previous
    from settled_links
    group by tangle_id, message_id

),

tangles as (

    select
        settled_candidates.tangle_id,
        bool_and(
            settled_candidates.is_root
            or settled_candidates.is_below_watermark = coalesce(met_messages.has_all_previous, false)
        ) as is_settled
    from settled_candidates
    left join met_messages
        on
            settled_candidates.tangle_id = met_messages.tangle_id
            and settled_candidates.message_id = met_messages.message_id
    group by settled_candidates.tangle_id

),

final as (

    select
        tangle_id,
        is_settled
    from tangles

)

select * from final
