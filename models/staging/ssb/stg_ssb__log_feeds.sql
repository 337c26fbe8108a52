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
    where is_announcement_signed

),

-- A feed may be announced below several others. It is one row of its log, not one for each way to it.
v1s as (

    select distinct
        owners.source_file,
        announcements.subfeed_id as feed_id
    from owners
    inner join announcements on owners.owner_id = announcements.metafeed_id

),

shards as (

    select distinct
        v1s.source_file,
        announcements.subfeed_id as feed_id
    from v1s
    inner join announcements on v1s.feed_id = announcements.metafeed_id

),

leaves as (

    select distinct
        shards.source_file,
        announcements.subfeed_id as feed_id
    from shards
    inner join announcements on shards.feed_id = announcements.metafeed_id

),

final as (

    select
        source_file,
        owner_id as feed_id
    from owners
    union
    select * from v1s
    union
    select * from shards
    union
    select * from leaves

)

select * from final
