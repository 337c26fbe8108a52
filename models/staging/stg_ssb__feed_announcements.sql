with

messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where content is not null and validity != 'invalid'

),

contents as (

    select
        message_id,
        feed_id,
        content_type,
        key_hash,
        from_json(content, 'metafeed string, subfeed string, feedpurpose string') as content
    from messages
    where content_type in ('metafeed/add/derived', 'metafeed/add/existing', 'metafeed/announce')

),

-- A metafeed speaks for its subfeeds, a main feed for itself: what others say of them is nothing.
final as (

    select
        message_id,
        content.metafeed as metafeed_id,
        content.subfeed as subfeed_id,
        content_type,
        content.feedpurpose as purpose,
        key_hash
    from contents
    where
        content.metafeed != content.subfeed
        and case
            when content_type = 'metafeed/announce' then feed_id = content.subfeed
            else feed_id = content.metafeed
        end

)

select * from final
