with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}

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
        is_root,
        is_tip,
        is_unverified
    from tangle_messages

)

select * from final
