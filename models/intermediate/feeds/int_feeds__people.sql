-- A leaf feed is three announcements below its person's root metafeed: leaf, shard, v1, root.
with

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

announcements as (

    select * from {{ ref('stg_ssb__feed_announcements') }}

),

ranked_announcements as (

    select
        subfeed_id,
        metafeed_id,
        purpose,
        key_hash,
        row_number() over (
            partition by subfeed_id
            order by
                case when content_type = 'metafeed/announce' then 1 else 0 end,
                message_id
        ) as announcement_number
    from announcements

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

final as (

    select
        feeds.feed_id,
        first_parents.purpose as feed_purpose,
        first_parents.key_hash,
        coalesce(
            third_parents.metafeed_id,
            second_parents.metafeed_id,
            first_parents.metafeed_id,
            feeds.feed_id
        ) as person_id,
        first_parents.metafeed_id is not null or metafeeds.metafeed_id is not null as has_known_person
    from feeds
    left join parents as first_parents on feeds.feed_id = first_parents.subfeed_id
    left join parents as second_parents on first_parents.metafeed_id = second_parents.subfeed_id
    left join parents as third_parents on second_parents.metafeed_id = third_parents.subfeed_id
    left join metafeeds on feeds.feed_id = metafeeds.metafeed_id

)

select * from final
