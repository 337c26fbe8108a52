with

tangle_messages as (

    select * from {{ touched_rows(ref('int_tangles__messages'), 'tangle_id', 'int_changes__tangles') }}

),

gaps as (

    select * from {{ ref('fct_tangle_gaps') }}

),

tangles as (

    select
        tangle_id,
        tangle_kind,
        root_id,
        max(group_id) as group_id,
        max(grown_by) as grown_by,
        count_if(status != 'rejected') as candidate_count,
        count_if(status = 'in') as message_count,
        count_if(status = 'set_aside') as set_aside_count,
        count_if(status = 'rejected') as rejected_count,
        count_if(is_tip) as tip_count,
        count(distinct case when status = 'in' then feed_id end) as author_count,
        max(rank) as depth
    from tangle_messages
    group by tangle_id, tangle_kind, root_id

),

tangle_gaps as (

    select
        tangle_id,
        count(*) as gap_count
    from gaps
    group by tangle_id

),

final as (

    select
        tangles.tangle_id,
        tangles.root_id,
        tangles.group_id,
        tangles.tangle_kind,
        tangles.grown_by,
        tangles.candidate_count,
        tangles.message_count,
        tangles.set_aside_count,
        tangles.rejected_count,
        tangles.tip_count,
        tangles.author_count,
        tangles.depth,
        coalesce(tangle_gaps.gap_count, 0) as gap_count
    from tangles
    left join tangle_gaps on tangles.tangle_id = tangle_gaps.tangle_id

)

select * from final
