with

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}
    where status = 'set_aside' and {{ is_tested('fct_tangle_messages') }}

),

links as (

    select * from {{ ref('fct_tangle_links') }}
    where not is_in_graph and {{ is_tested('fct_tangle_links') }}

),

waits as (

    select
        tangle_id,
        message_id,
        array_join(array_sort(collect_list(previous_id)), ' ') as blocking_ids,
        bool_or(not is_in_log) as is_missing,
        bool_or(is_in_log) as is_known
    from links
    group by tangle_id, message_id

),

faults as (

    select
        tangle_messages.tangle_id,
        tangle_messages.message_id
    from tangle_messages
    left join waits
        on tangle_messages.tangle_id = waits.tangle_id and tangle_messages.message_id = waits.message_id
    where
        not tangle_messages.blocking_ids <=> waits.blocking_ids
        or not coalesce(
            case tangle_messages.status_reason
                when 'no_previous' then waits.message_id is null
                when 'loop' then waits.is_known
                when 'missing' then waits.is_missing
                else not waits.is_missing
            end,
            false
        )

)

select * from faults
