with

tangle_messages as (

    select * from {{ touched_rows(ref('int_tangles__messages'), 'tangle_id', 'int_changes__tangles') }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where content_type in ('group/init', 'group/add-member', 'group/exclude-member')

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

epoch_keys as (

    select * from {{ ref('int_groups__epoch_keys') }}

),

-- An addition belongs on an additions feed; an exclusion and an epoch's first message belong on a feed that
-- was announced with the epoch's key (ruling R10). In a group before epochs, the additions hold that key
-- (ruling R38). If nobody announced the feed, nobody can tell.
feeds_of_changes as (

    select
        tangle_messages.tangle_id,
        tangle_messages.message_id,
        case
            when messages.content_type = 'group/add-member' and people.key_hash is not null then false
            when messages.content_type = 'group/add-member' then people.feed_purpose = 'group/additions'
            when people.key_hash is not null
                then people.key_hash = coalesce(roots.key_hash, epoch_keys.key_hash)
            when people.feed_purpose is not null then false
        end as is_on_declared_feed
    from tangle_messages
    inner join messages on tangle_messages.message_id = messages.message_id
    inner join people on tangle_messages.feed_id = people.feed_id
    left join messages as roots on tangle_messages.root_id = roots.message_id
    left join epoch_keys on tangle_messages.root_id = epoch_keys.epoch_id
    where tangle_messages.tangle_kind = 'members'

),

final as (

    select
        tangle_messages.tangle_id,
        tangle_messages.message_id,
        tangle_messages.tangle_kind,
        tangle_messages.group_id,
        coalesce(authors.person_id, tangle_messages.feed_id) as person_id,
        tangle_messages.content_type,
        tangle_messages.status,
        tangle_messages.status_reason,
        tangle_messages.blocking_ids,
        tangle_messages.rank,
        tangle_messages.position,
        tangle_messages.thread_position,
        tangle_messages.is_root,
        tangle_messages.is_tip,
        tangle_messages.is_unverified,
        feeds_of_changes.is_on_declared_feed,
        {{ timestamp_of('tangle_messages.asserted_ms') }} as asserted_at
    from tangle_messages
    left join people as authors on tangle_messages.feed_id = authors.feed_id
    left join feeds_of_changes
        on
            tangle_messages.tangle_id = feeds_of_changes.tangle_id
            and tangle_messages.message_id = feeds_of_changes.message_id

)

select * from final
