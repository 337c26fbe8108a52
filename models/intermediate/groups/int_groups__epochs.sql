with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where tangle_kind in ('epoch', 'members') and status = 'in'

),

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

epoch_keys as (

    select * from {{ ref('int_groups__epoch_keys') }}

),

key_ranks as (

    select * from {{ ref('int_groups__key_ranks') }}

),

epochs as (

    select * from tangle_messages
    where tangle_kind = 'epoch' and group_id is not null

),

-- Without the signed bytes of its first message, nobody can tell whose group it is, nor who may act there.
groups as (

    select epochs.group_id
    from epochs
    inner join group_messages on epochs.message_id = group_messages.message_id
    where epochs.is_root

),

members_roots as (

    select message_id from tangle_messages
    where tangle_kind = 'members' and is_root

),

final as (

    select
        epochs.message_id as epoch_id,
        epochs.group_id,
        people.person_id as creator_id,
        epoch_keys.key_hash,
        key_ranks.key_rank,
        epochs.rank as depth,
        epochs.is_root,
        group_messages.asserted_ms,
        group_messages.said_name,
        group_messages.has_epoch_tangle,
        epoch_keys.key_hash is not null and key_ranks.key_rank is null as has_short_key,
        members_roots.message_id is not null as has_valid_members_tangle
    from epochs
    left semi join groups on epochs.group_id = groups.group_id
    inner join group_messages on epochs.message_id = group_messages.message_id
    inner join people on epochs.feed_id = people.feed_id
    left join epoch_keys on epochs.message_id = epoch_keys.epoch_id
    left join key_ranks
        on epoch_keys.group_id = key_ranks.group_id and epoch_keys.key_hash = key_ranks.key_hash
    left join members_roots on epochs.message_id = members_roots.message_id

)

select * from final
