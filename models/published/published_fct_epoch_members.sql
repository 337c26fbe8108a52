with

fct_epoch_members as (

    select * from {{ published_version('fct_epoch_members') }}

),

final as (

    select
        epoch_id,
        group_id,
        person_id,
        added_by_id,
        is_declared,
        is_excluded,
        is_correct,
        is_missing,
        is_extra,
        is_readded,
        added_at
    from fct_epoch_members

)

select * from final
