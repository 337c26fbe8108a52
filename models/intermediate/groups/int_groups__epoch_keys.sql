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

written_messages as (

    select
        group_messages.message_id,
        group_messages.content_type,
        group_messages.key_hash,
        group_messages.has_epoch_tangle,
        people.person_id
    from group_messages
    inner join people on group_messages.feed_id = people.feed_id

),

epochs as (

    select
        tangle_messages.message_id as epoch_id,
        tangle_messages.group_id,
        written_messages.person_id as creator_id,
        written_messages.key_hash,
        written_messages.has_epoch_tangle
    from tangle_messages
    inner join written_messages on tangle_messages.message_id = written_messages.message_id
    where tangle_messages.tangle_kind = 'epoch' and tangle_messages.group_id is not null

),

additions as (

    select
        tangle_messages.root_id as epoch_id,
        tangle_messages.position,
        written_messages.person_id,
        written_messages.key_hash
    from tangle_messages
    inner join written_messages on tangle_messages.message_id = written_messages.message_id
    where
        tangle_messages.tangle_kind = 'members'
        and written_messages.content_type = 'group/add-member'
        and written_messages.key_hash is not null

),

-- Groups before epochs (ruling R38): the first message holds no key. The founder's word counts most.
keys_of_additions as (

    select
        epochs.epoch_id,
        min_by(
            additions.key_hash, struct(additions.person_id != epochs.creator_id, additions.position)
        ) as key_hash
    from epochs
    inner join additions on epochs.epoch_id = additions.epoch_id
    where not epochs.has_epoch_tangle
    group by epochs.epoch_id

),

epoch_keys as (

    select
        epochs.epoch_id,
        epochs.group_id,
        coalesce(epochs.key_hash, keys_of_additions.key_hash) as key_hash
    from epochs
    left join keys_of_additions on epochs.epoch_id = keys_of_additions.epoch_id

),

final as (

    select * from epoch_keys
    where key_hash is not null

)

select * from final
