with

messages as (

    select * from {{ ref('stg_pzp__messages') }}

),

device_keys as (

    select * from {{ ref('int_sets__device_keys') }}

),

accounts as (

    select distinct account_id from device_keys

),

messages_of_sets as (

    select
        *,
        tangle_id as set_id
    from messages
    where
        domain like 'set!_v1!_!_%' escape '!'
        and tangle_id is not null
        and not is_account_message

),

set_messages as (

    select * from messages_of_sets
    where {{ is_touched('set_id', 'int_changes__sets') }}

),

signatures as (

    select
        message_id,
        account_id,
        explode(device_keys) as device_key
    from set_messages

),

-- Devices of one account may sign the same message, and a stranger may sign it, too.
signing_devices as (

    select
        signatures.message_id,
        min(signatures.device_key) as device_key
    from signatures
    inner join device_keys
        on signatures.account_id = device_keys.account_id and signatures.device_key = device_keys.device_key
    group by signatures.message_id

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
        coalesce(signing_devices.device_key, array_min(set_messages.device_keys)) as device_key,
        case
            when accounts.account_id is not null then signing_devices.device_key is not null
        end as is_by_device
    from set_messages
    left join accounts on set_messages.account_id = accounts.account_id
    left join signing_devices on set_messages.message_id = signing_devices.message_id

)

select * from final
