with

tangle_messages as (

    select * from {{ tested_rows(ref('fct_tangle_messages')) }}
    where status != 'rejected'

),

links as (

    select * from {{ tested_rows(ref('fct_tangle_links')) }}

),

previous_messages as (

    select
        tangle_id,
        message_id,
        rank,
        thread_position
    from tangle_messages
    where status = 'in'

),

-- Each link is joined with its message once. Everything below reads these rows.
link_summaries as (

    select
        links.tangle_id,
        links.message_id,
        bool_and(links.is_in_graph) as has_all_previous,
        max(previous_messages.rank) as greatest_rank,
        max(previous_messages.thread_position) as last_thread_position,
        bool_or(not links.is_in_graph and not links.is_in_log) as is_missing,
        bool_or(not links.is_in_graph and links.is_in_log) as is_known
    from links
    left join previous_messages
        on links.tangle_id = previous_messages.tangle_id and links.previous_id = previous_messages.message_id
    group by links.tangle_id, links.message_id

),

-- Few messages wait for another. A list for every message would take much longer.
blocking_lists as (

    select
        tangle_id,
        message_id,
        array_join(array_sort(collect_list(previous_id)), ' ') as expected_blocking_ids
    from links
    where not is_in_graph
    group by tangle_id, message_id

),

linked_messages as (

    select
        tangle_messages.*,
        link_summaries.has_all_previous,
        link_summaries.greatest_rank,
        link_summaries.last_thread_position,
        blocking_lists.expected_blocking_ids,
        link_summaries.message_id is not null as has_links,
        coalesce(link_summaries.is_missing, false) as is_missing,
        coalesce(link_summaries.is_known, false) as is_known
    from tangle_messages
    left join link_summaries
        on
            tangle_messages.tangle_id = link_summaries.tangle_id
            and tangle_messages.message_id = link_summaries.message_id
    left join blocking_lists
        on
            tangle_messages.tangle_id = blocking_lists.tangle_id
            and tangle_messages.message_id = blocking_lists.message_id

),

judged_messages as (

    select
        tangle_id,
        message_id,
        case
            when
                (status = 'in') != (is_root or coalesce(has_all_previous, false))
                or (is_root and has_links)
                then 'a candidate is in just when all its previous are'
            when status = 'in' and not coalesce(rank = coalesce(greatest_rank + 1, 0), false)
                then 'a rank is one more than the greatest rank before it'
            when status = 'in' and thread_position <= last_thread_position
                then 'a message of a thread reads after what it answers'
            when status = 'set_aside' and not blocking_ids <=> expected_blocking_ids
                then 'a message set aside names the previous that it waits for'
            when
                status = 'set_aside'
                and not coalesce(
                    case status_reason
                        when 'no_previous' then expected_blocking_ids is null
                        when 'loop' then is_known
                        when 'missing' then is_missing
                        else not is_missing
                    end,
                    false
                )
                then 'a message set aside says why it waits'
        end as broken_rule
    from linked_messages

),

faults as (

    select * from judged_messages
    where broken_rule is not null

)

select * from faults
