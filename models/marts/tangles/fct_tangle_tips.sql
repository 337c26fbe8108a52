with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where {{ is_touched('tangle_id', 'int_changes__tangles') }}

),

final as (

    select
        tangle_id,
        message_id,
        tangle_kind,
        group_id
    from tangle_messages
    where is_tip

)

select * from final
