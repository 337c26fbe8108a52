with

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}

),

final as (

    select
        tangle_id,
        tangle_kind,
        message_id,
        feed_id,
        previous_ids,
        content_type,
        addressed_group_id,
        validity,
        fault,
        sequence,
        asserted_ms,
        received_ms,
        coalesce(root_id, message_id) as root_id,
        root_id is null and fault is null as is_root
    from tangle_fields
    where {{ is_touched('tangle_id', 'int_changes__tangles') }}

)

select * from final
