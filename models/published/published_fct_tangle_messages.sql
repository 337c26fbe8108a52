with

fct_tangle_messages as (

    select * from {{ published_version('fct_tangle_messages') }}

),

final as (

    select
        tangle_id,
        message_id,
        status,
        status_reason,
        blocking_ids,
        rank,
        position,
        thread_position,
        is_root,
        is_tip,
        is_unverified,
        is_on_declared_feed
    from fct_tangle_messages

)

select * from final
