-- A leaf feed is three announcements below its person's root metafeed: leaf, shard, v1, root.
with

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

announcements as (

    select * from {{ ref('stg_ssb__feed_announcements') }}

),

own_announcements as (

    select * from announcements
    where content_type = 'metafeed/announce'

),

-- A main feed that gets another metafeed announces that one later (SIP 2, "Existing SSB identity").
last_announcements as (

    select
        subfeed_id,
        max_by(metafeed_id, struct(sequence, message_id)) as last_metafeed_id
    from own_announcements
    group by subfeed_id

),

-- A main feed may announce thousands of metafeeds: pairs, because a list of them would be read for each.
announced_pairs as (

    select distinct
        subfeed_id,
        metafeed_id
    from own_announcements

),

ranked_announcements as (

    select
        announcements.subfeed_id,
        announcements.metafeed_id,
        announcements.purpose,
        announcements.key_hash,
        row_number() over (
            partition by announcements.subfeed_id
            order by
                coalesce(announced_pairs.metafeed_id != last_announcements.last_metafeed_id, false) asc,
                announcements.content_type = 'metafeed/announce' asc,
                coalesce(announcements.metafeed_id = last_announcements.last_metafeed_id, false) desc,
                announcements.message_id asc
        ) as announcement_number
    from announcements
    left join last_announcements on announcements.subfeed_id = last_announcements.subfeed_id
    left join announced_pairs
        on
            announcements.subfeed_id = announced_pairs.subfeed_id
            and announcements.metafeed_id = announced_pairs.metafeed_id

),

parents as (

    select
        subfeed_id,
        metafeed_id,
        purpose,
        key_hash
    from ranked_announcements
    where announcement_number = 1

),

metafeeds as (

    select distinct metafeed_id from parents

),

feeds as (

    select feed_id from messages
    union
    select subfeed_id as feed_id from parents
    union
    select metafeed_id as feed_id from metafeeds

),

feeds_of_keys as (

    select
        feed_id,
        {{ feed_of_key('feed_id') }} as key_feed_id
    from feeds

),

-- What a key writes is of its person, in each of its feeds. It is announced for one of them.
final as (

    select
        feeds_of_keys.feed_id,
        if(feeds_of_keys.feed_id = first_parents.subfeed_id, first_parents.purpose, null) as feed_purpose,
        if(feeds_of_keys.feed_id = first_parents.subfeed_id, first_parents.key_hash, null) as key_hash,
        coalesce(
            third_parents.metafeed_id,
            second_parents.metafeed_id,
            first_parents.metafeed_id,
            feeds_of_keys.feed_id
        ) as person_id,
        first_parents.metafeed_id is not null or metafeeds.metafeed_id is not null as has_known_person
    from feeds_of_keys
    left join parents as first_parents on feeds_of_keys.key_feed_id = first_parents.subfeed_id
    left join parents as second_parents on first_parents.metafeed_id = second_parents.subfeed_id
    left join parents as third_parents on second_parents.metafeed_id = third_parents.subfeed_id
    left join metafeeds on feeds_of_keys.feed_id = metafeeds.metafeed_id

)

select * from final
