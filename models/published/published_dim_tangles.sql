with

dim_tangles as (

    select * from {{ published_version('dim_tangles') }}

),

final as (

    select
        tangle_id,
        root_id,
        group_id,
        tangle_kind,
        grown_by,
        candidate_count,
        message_count,
        set_aside_count,
        rejected_count,
        tip_count,
        author_count,
        depth,
        gap_count
    from dim_tangles

)

select * from final
