with

dim_epochs as (

    select * from {{ published_version('dim_epochs') }}

),

final as (

    select
        epoch_id,
        group_id,
        creator_id,
        depth,
        key_rank,
        member_count,
        is_root,
        is_tip,
        is_empty,
        has_foreign_creator,
        has_unfollowed_exclusion,
        has_late_post,
        has_wrong_secret,
        asserted_at
    from dim_epochs

)

select * from final
