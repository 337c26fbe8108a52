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

candidates as (

    select
        messages.tangle_id as set_id,
        messages.message_id,
        messages.account_id,
        messages.domain,
        messages.previous_ids,
        messages.device_key,
        messages.added_items,
        messages.deleted_items,
        messages.superseded_ids,
        messages.set_fault,
        messages.depth,
        messages.data_bytes,
        messages.line_bytes,
        messages.is_moot,
        messages.is_erased,
        messages.received_ms,
        case when accounts.account_id is not null then device_keys.device_key is not null end as is_by_device
    from messages
    left join accounts on messages.account_id = accounts.account_id
    left join device_keys
        on messages.account_id = device_keys.account_id and messages.device_key = device_keys.device_key
    where
        messages.domain like 'set!_v1!_!_%' escape '!'
        and messages.tangle_id is not null
        and not messages.is_account_message

),

final as (

    select * from candidates
    where {{ is_touched('set_id', 'int_changes__sets') }}

)

select * from final
