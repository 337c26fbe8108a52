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

chains as (

    select
        owners.source_file,
        explode(
            array(owners.owner_id, v1s.subfeed_id, shards.subfeed_id, leaves.subfeed_id)
        ) as feed_id
    from owners
    left join announcements as v1s on owners.owner_id = v1s.metafeed_id
    left join announcements as shards on v1s.subfeed_id = shards.metafeed_id
    left join announcements as leaves on shards.subfeed_id = leaves.metafeed_id

),

final as (

    select distinct
        source_file,
        feed_id
    from chains
    where feed_id is not null

)

select * from final
