with

tangles as (

    select * from {{ tested_rows(ref('dim_tangles')) }}

),

tangle_messages as (

    select * from {{ tested_rows(ref('fct_tangle_messages')) }}

),

gaps as (

    select * from {{ tested_rows(ref('fct_tangle_gaps')) }}

),

-- Messages in the graph come first, in the order that they should have.
numbered_messages as (

    select
        *,
        row_number() over (partition by tangle_id order by status = 'in' desc, rank asc, message_id asc)
        - 1 as expected_position,
        row_number() over (partition by tangle_id order by status = 'in' desc, thread_position asc)
        - 1 as expected_thread_position
    from tangle_messages

),

message_counts as (

    select
        tangle_id,
        count_if(status = 'in') as message_count,
        count_if(status = 'set_aside') as set_aside_count,
        count_if(status = 'rejected') as rejected_count,
        count_if(status = 'in' and not coalesce(position = expected_position, false)) as misplaced_count,
        count_if(status != 'in' and position is not null) as extra_position_count,
        count_if(
            status = 'in' and not thread_position <=> expected_thread_position
        ) as misplaced_in_thread_count,
        count_if(is_root and status = 'in') as root_count,
        min(case when is_root and status = 'in' then message_id end) as root_id,
        min(case when is_root and status = 'in' then rank end) as root_rank
    from numbered_messages
    group by tangle_id

),

gap_counts as (

    select
        tangle_id,
        count(*) as gap_count
    from gaps
    group by tangle_id

),

judged_tangles as (

    select
        coalesce(tangles.tangle_id, message_counts.tangle_id) as tangle_id,
        case
            when
                not coalesce(
                    tangles.candidate_count = tangles.message_count + tangles.set_aside_count
                    and tangles.message_count = message_counts.message_count
                    and tangles.set_aside_count = message_counts.set_aside_count
                    and tangles.rejected_count = message_counts.rejected_count
                    and tangles.gap_count = coalesce(gap_counts.gap_count, 0),
                    false
                )
                then 'the counts of a tangle count its messages'
            when message_counts.misplaced_count > 0 or message_counts.extra_position_count > 0
                then 'positions follow the order, and have no holes'
            when message_counts.misplaced_in_thread_count > 0
                then 'positions in a thread have no holes'
            when
                message_counts.root_count != int(tangles.message_count > 0)
                or message_counts.root_id != tangles.root_id
                or message_counts.root_rank != 0
                then 'a grown tangle has one root'
        end as broken_rule
    from tangles
    full outer join message_counts on tangles.tangle_id = message_counts.tangle_id
    left join gap_counts on tangles.tangle_id = gap_counts.tangle_id

),

faults as (

    select * from judged_tangles
    where broken_rule is not null

)

select * from faults
