with

messages as (

    select * from {{ ref('stg_pzp__messages') }}

),

signatures as (

    select * from {{ ref('int_sets__signatures') }}

),

set_messages as (

    select * from messages
    where set_id is not null and {{ is_touched('set_id', 'int_changes__sets') }}

),

-- Devices of one account may sign the same message, and a stranger may sign it, too.
signed_messages as (

    select
        message_id,
        min(case when is_by_device then device_key end) as device_key,
        max(is_by_device) as is_by_device
    from signatures
    group by message_id

),

final as (

    select
        set_messages.set_id,
        set_messages.message_id,
        set_messages.account_id,
        set_messages.domain,
        set_messages.previous_ids,
        set_messages.added_items,
        set_messages.deleted_items,
        set_messages.superseded_ids,
        set_messages.set_fault,
        set_messages.differing_source_files,
        set_messages.depth,
        set_messages.data_bytes,
        set_messages.line_bytes,
        set_messages.is_moot,
        set_messages.is_erased,
        set_messages.received_ms,
        signed_messages.is_by_device,
        coalesce(signed_messages.device_key, array_min(set_messages.device_keys)) as device_key
    from set_messages
    left join signed_messages on set_messages.message_id = signed_messages.message_id

)

select * from final
