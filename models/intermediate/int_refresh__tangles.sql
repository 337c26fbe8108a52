-- All that a tangle's rows hang on: its candidates, its root, what it lists, the feeds of its candidates and
-- the group that its root begins. A tangle of which none has changed is carried over as it was.
with

changed_messages as (

    select * from {{ ref('int_refresh__messages') }}

),

changed_people as (

    select * from {{ ref('int_refresh__people') }}

),

changed_group_roots as (

    {{ changed_ids('root_id', 'int_groups__roots') }}

),

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}

),

touched_fields as (

    {{ touched_now_and_published('stg_ssb__tangle_fields', ['message_id', 'tangle_kind', 'root_id']) }}

),

published_messages as (

    select * from {{ base_of('int_tangles__messages', {'tangle_id': 'string', 'feed_id': 'string'}) }}

),

published_links as (

    select * from {{ base_of('fct_tangle_links', {'tangle_id': 'string', 'previous_id': 'string'}) }}

),

fields as (

    select
        coalesce(root_id, message_id) as root_id,
        {{ tangle_id('tangle_kind', 'coalesce(root_id, message_id)') }} as tangle_id
    from tangle_fields

),

changed_roots as (

    select root_id from changed_group_roots
    union all
    select message_id as root_id from changed_messages

),

by_candidate as (

    select {{ tangle_id('tangle_kind', 'coalesce(root_id, message_id)') }} as tangle_id
    from touched_fields

),

by_root as (

    select fields.tangle_id
    from fields
    left semi join changed_roots on fields.root_id = changed_roots.root_id

),

by_previous as (

    select published_links.tangle_id
    from published_links
    left semi join changed_messages on published_links.previous_id = changed_messages.message_id

),

by_feed as (

    select published_messages.tangle_id
    from published_messages
    left semi join changed_people on published_messages.feed_id = changed_people.feed_id

),

final as (

    select tangle_id from by_candidate
    union
    select tangle_id from by_root
    union
    select tangle_id from by_previous
    union
    select tangle_id from by_feed

)

select * from final
