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

met_messages as (

    select
        links.tangle_id,
        links.message_id,
        bool_and(
            links.is_previous_candidate
            and (
                links.is_previous_root
                or {{ is_below_watermark('links.previous_sequence', 'settled') }}
            )
        ) as has_all_previous
    from links
    left join settled
        on links.tangle_id = settled.tangle_id and links.previous_feed_id = settled.feed_id
    group by links.tangle_id, links.message_id

),

final as (

    select
        candidates.tangle_id,
        bool_and(
            candidates.is_root
            or {{ is_below_watermark('candidates.sequence', 'settled') }}
            = coalesce(met_messages.has_all_previous, false)
        ) as is_settled
    from candidates
    left join settled
        on candidates.tangle_id = settled.tangle_id and candidates.feed_id = settled.feed_id
    left join met_messages
        on
            candidates.tangle_id = met_messages.tangle_id
            and candidates.message_id = met_messages.message_id
    group by candidates.tangle_id

)

select * from final
