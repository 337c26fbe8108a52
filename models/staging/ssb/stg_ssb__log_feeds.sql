-- Only its owner's log has the seed of a metafeed. Only that log counts for the feeds below that metafeed:
-- leaf, shard, v1, root. Any log may have the announcements, because both feeds have signed them.
with

lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}

),

owners as (

    select distinct
        source_file,
        owner_id
    from lines
    where owner_id is not null

),

announcements as (

    select distinct
        get_json_object(content, '$.metafeed') as metafeed_id,
        get_json_object(content, '$.subfeed') as subfeed_id
    from lines
    where
        is_announcement_signed
        and feed_id = get_json_object(
            content, if(content_type = 'metafeed/announce', '$.subfeed', '$.metafeed')
        )

),

first_feeds as (

    select
        owners.source_file,
        announcements.subfeed_id
    from owners
    inner join announcements on owners.owner_id = announcements.metafeed_id

),

second_feeds as (

    select
        first_feeds.source_file,
        announcements.subfeed_id
    from first_feeds
    inner join announcements on first_feeds.subfeed_id = announcements.metafeed_id

),

third_feeds as (

    select
        second_feeds.source_file,
        announcements.subfeed_id
    from second_feeds
    inner join announcements on second_feeds.subfeed_id = announcements.metafeed_id

),

final as (

    select
        source_file,
        owner_id as feed_id
    from owners
    union
    select
        source_file,
        subfeed_id as feed_id
    from first_feeds
    union
    select
        source_file,
        subfeed_id as feed_id
    from second_feeds
    union
    select
        source_file,
        subfeed_id as feed_id
    from third_feeds

)

select * from final
