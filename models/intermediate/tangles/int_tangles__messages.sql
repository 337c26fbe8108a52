{{ config(materialized='incremental', unique_key='tangle_id', replaced_keys_from='int_changes__tangles') }}

with

candidates as (

    select * from {{ ref('int_tangles__candidates') }}

),

links as (

    select * from {{ ref('int_tangles__links') }}

),

-- A message without a rank is not in the graph, or is in a loop or behind one (ruling R7).
ranked as (

    select * from {{ ref('int_tangles__ranked') }}

),

blocking_links as (

    select
        links.tangle_id,
        links.message_id,
        links.previous_id,
        links.is_in_log,
        links.is_previous_candidate,
        links.is_previous_encrypted
    from links
    inner join ranked
        on links.tangle_id = ranked.tangle_id and links.message_id = ranked.message_id
    left join ranked as previous
        on links.tangle_id = previous.tangle_id and links.previous_id = previous.message_id
    where ranked.rank is null and previous.rank is null

),

blocks as (

    select
        tangle_id,
        message_id,
        case
            when bool_or(not is_in_log) then 'missing'
            when bool_or(is_previous_encrypted) then 'previous_encrypted'
            when bool_or(not is_previous_candidate) then 'previous_no_candidate'
            else 'previous_set_aside'
        end as reason,
        array_join(array_sort(collect_list(previous_id)), ' ') as blocking_ids
    from blocking_links
    group by tangle_id, message_id

),

final as (

    select
        candidates.tangle_id,
        candidates.tangle_kind,
        candidates.root_id,
        candidates.group_id,
        candidates.message_id,
        candidates.feed_id,
        candidates.content_type,
        ranked.grown_by,
        candidates.is_root,
        candidates.is_unverified,
        candidates.asserted_ms,
        candidates.received_ms,
        blocks.blocking_ids,
        ranked.rank,
        ranked.position,
        ranked.thread_position,
        case
            when candidates.reject_reason is not null then 'rejected'
            when ranked.rank is not null then 'in'
            else 'set_aside'
        end as status,
        case
            when candidates.reject_reason is not null then candidates.reject_reason
            when ranked.rank is not null then null
            when ranked.is_in_loop then 'loop'
            when not candidates.is_root and size(candidates.previous_ids) = 0 then 'no_previous'
            else blocks.reason
        end as status_reason,
        coalesce(ranked.is_tip, false) as is_tip
    from candidates
    left join ranked
        on candidates.tangle_id = ranked.tangle_id and candidates.message_id = ranked.message_id
    left join blocks
        on candidates.tangle_id = blocks.tangle_id and candidates.message_id = blocks.message_id

)

select * from final
