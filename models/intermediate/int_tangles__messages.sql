{{ config(materialized='incremental', unique_key='tangle_id', replaced_keys_from='int_refresh__tangles') }}

with

candidates as (

    select * from {{ ref('int_tangles__candidates') }}

),

links as (

    select * from {{ ref('int_tangles__links') }}

),

grown as (

    select * from {{ ref('int_tangles__grown') }}

),

ranked as (

    select * from {{ ref('int_tangles__ranked') }}

),

states as (

    select
        grown.tangle_id,
        grown.message_id,
        grown.grown_by,
        ranked.is_in_loop,
        ranked.rank,
        ranked.position,
        ranked.thread_position,
        -- What cannot be ranked is part of a loop or behind one, however it was grown (ruling R7).
        grown.is_grown and ranked.rank is not null as is_in_graph
    from grown
    inner join ranked
        on grown.tangle_id = ranked.tangle_id and grown.message_id = ranked.message_id

),

joined_links as (

    select
        links.tangle_id,
        links.message_id,
        links.previous_id,
        links.is_in_log,
        links.is_previous_candidate,
        links.is_previous_encrypted,
        states.is_in_graph as is_message_in_graph,
        coalesce(previous_states.is_in_graph, false) as is_in_graph
    from links
    inner join states on links.tangle_id = states.tangle_id and links.message_id = states.message_id
    left join states as previous_states
        on links.tangle_id = previous_states.tangle_id and links.previous_id = previous_states.message_id

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
    from joined_links
    where not is_in_graph
    group by tangle_id, message_id

),

listed as (

    select distinct
        tangle_id,
        previous_id as message_id
    from joined_links
    where is_message_in_graph

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
        states.grown_by,
        candidates.is_root,
        candidates.is_unverified,
        candidates.asserted_ms,
        candidates.received_ms,
        case
            when candidates.reject_reason is not null then 'rejected'
            when states.is_in_graph then 'in'
            else 'set_aside'
        end as status,
        case
            when candidates.reject_reason is not null then candidates.reject_reason
            when states.is_in_graph then null
            when states.is_in_loop then 'loop'
            when not candidates.is_root and size(candidates.previous_ids) = 0 then 'no_previous'
            else blocks.reason
        end as status_reason,
        case when not states.is_in_graph then blocks.blocking_ids end as blocking_ids,
        case when states.is_in_graph then states.rank end as rank,
        case when states.is_in_graph then states.position end as position,
        case when states.is_in_graph then states.thread_position end as thread_position,
        coalesce(states.is_in_graph and listed.message_id is null, false) as is_tip
    from candidates
    left join states
        on candidates.tangle_id = states.tangle_id and candidates.message_id = states.message_id
    left join blocks
        on candidates.tangle_id = blocks.tangle_id and candidates.message_id = blocks.message_id
    left join listed
        on candidates.tangle_id = listed.tangle_id and candidates.message_id = listed.message_id

)

select * from final
