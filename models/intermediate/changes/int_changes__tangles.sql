-- Everything that a tangle's rows depend on: its candidates, its root, their links, the feeds of its
-- candidates and the group that its root begins. If none of these has changed, the tangle keeps its rows.
with

changed_messages as (

    select * from {{ ref('stg_changes__messages') }}

),

changed_people as (

    select * from {{ ref('int_changes__people') }}

),

changed_group_roots as (

    {{ changed_ids('root_id', 'int_groups__roots') }}

),

new_fields as (

    select * from {{ touched_rows(ref('stg_ssb__tangle_fields'), 'message_id', 'stg_changes__messages') }}
    where {{ is_refresh() | lower }}

),

published_fields as (

    select * from {{ base_of('stg_ssb__tangle_fields', ['message_id', 'tangle_id', 'root_id']) }}

),

published_people as (

    select * from {{ base_of('int_feeds__people', ['feed_id']) }}

),

published_messages as (

    select * from {{ base_of('int_tangles__messages', ['tangle_id', 'feed_id']) }}

),

published_links as (

    select * from {{ base_of('fct_tangle_links', ['tangle_id', 'previous_id']) }}

),

changed_roots as (

    select root_id from changed_group_roots
    union all
    select message_id as root_id from changed_messages

),

-- New fields have been read again. All other fields are those of the published build.
by_candidate as (

    select tangle_id from new_fields

),

by_published_candidate as (

    select published_fields.tangle_id
    from published_fields
    where
        published_fields.message_id in (select changed_messages.message_id from changed_messages)
        or coalesce(published_fields.root_id, published_fields.message_id) in (
            select changed_roots.root_id
            from changed_roots
        )

),

by_previous as (

    select published_links.tangle_id
    from published_links
    left semi join changed_messages on published_links.previous_id = changed_messages.message_id

),

-- A new feed has no message there.
moved_feeds as (

    select changed_people.feed_id
    from changed_people
    left semi join published_people on changed_people.feed_id = published_people.feed_id

),

by_feed as (

    select published_messages.tangle_id
    from published_messages
    left semi join moved_feeds on published_messages.feed_id = moved_feeds.feed_id

),

final as (

    select tangle_id from by_candidate
    union
    select tangle_id from by_published_candidate
    union
    select tangle_id from by_previous
    union
    select tangle_id from by_feed

)

select * from final
