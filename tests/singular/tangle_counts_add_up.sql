with

tangles as (

    select * from {{ ref('dim_tangles') }}
    where {{ is_tested('dim_tangles') }}

),

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}
    where {{ is_tested('fct_tangle_messages') }}

),

gaps as (

    select * from {{ ref('fct_tangle_gaps') }}
    where {{ is_tested('fct_tangle_gaps') }}

),

message_counts as (

    select
        tangle_id,
        count_if(status = 'in') as message_count,
        count_if(status = 'set_aside') as set_aside_count,
        count_if(status = 'rejected') as rejected_count,
        max(position) + 1 as position_count
    from tangle_messages
    group by tangle_id

),

gap_counts as (

    select
        tangle_id,
        count(*) as gap_count
    from gaps
    group by tangle_id

),

faults as (

    select coalesce(tangles.tangle_id, message_counts.tangle_id) as tangle_id
    from tangles
    full outer join message_counts on tangles.tangle_id = message_counts.tangle_id
    left join gap_counts on tangles.tangle_id = gap_counts.tangle_id
    where not coalesce(
        tangles.candidate_count = tangles.message_count + tangles.set_aside_count
        and tangles.message_count = message_counts.message_count
        and tangles.message_count = coalesce(message_counts.position_count, 0)
        and tangles.set_aside_count = message_counts.set_aside_count
        and tangles.rejected_count = message_counts.rejected_count
        and tangles.gap_count = coalesce(gap_counts.gap_count, 0),
        false
    )

)

select * from faults
