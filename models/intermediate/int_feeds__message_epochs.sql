-- The epoch that a message belongs to (ruling R15); messages outside groups have no row.
with

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}
    where tangle_kind = 'members' and root_id is not null and fault is null

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

-- Additions and exclusions say which epoch they change.
said_epochs as (

    select
        message_id,
        root_id as epoch_id
    from tangle_fields
    where content_type in ('group/add-member', 'group/exclude-member')

),

epoch_keys as (

    select
        key_hash,
        min(epoch_id) as epoch_id
    from epochs
    where key_hash is not null
    group by key_hash

),

-- All other messages stand on a feed that was announced with the epoch's key.
feed_epochs as (

    select
        messages.message_id,
        epoch_keys.epoch_id
    from messages
    inner join people on messages.feed_id = people.feed_id
    inner join epoch_keys on people.key_hash = epoch_keys.key_hash
    left anti join said_epochs on messages.message_id = said_epochs.message_id

),

final as (

    select * from said_epochs
    union all
    select * from feed_epochs

)

select * from final
