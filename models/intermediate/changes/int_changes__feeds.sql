-- Everything that a feed's rows depend on: its messages, their previous, its person and purpose, and the
-- epoch that its key belongs to. The epoch can only change with its tangle.
with

sighted_messages as (

    select * from {{ ref('stg_changes__sighted_messages') }}

),

new_messages as (

    select * from {{ touched_rows(ref('stg_ssb__messages'), 'message_id', 'stg_changes__sighted_messages') }}
    where {{ is_refresh() | lower }}

),

published_messages as (

    select * from {{ base_of('stg_ssb__messages', ['message_id', 'feed_id', 'previous_id']) }}

),

changed_people as (

    select * from {{ ref('int_changes__people') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

changed_messages as (

    select * from {{ ref('stg_changes__messages') }}

),

touched_tangles as (

    select * from {{ ref('int_changes__tangles') }}

),

epochs as (

    select * from {{ ref('stg_ssb__tangle_fields') }}
    where {{ is_refresh() | lower }} and tangle_kind = 'epoch'

),

group_messages as (

    {{ now_and_before('stg_ssb__group_messages', ['message_id', 'content_type', 'key_hash']) }}

),

-- If an epoch was in another tangle, or had another key, the epoch itself has changed.
touched_epochs as (

    select epochs.message_id
    from epochs
    left semi join touched_tangles on epochs.tangle_id = touched_tangles.tangle_id
    union all
    select message_id from changed_messages

),

touched_keys as (

    select group_messages.key_hash
    from group_messages
    left semi join touched_epochs on group_messages.message_id = touched_epochs.message_id
    where group_messages.content_type = 'group/init'

),

-- New messages have been read again. All other messages are those of the published build.
touched_messages as (

    select published_messages.feed_id
    from published_messages
    where
        published_messages.message_id in (select sighted_messages.message_id from sighted_messages)
        or published_messages.previous_id in (select sighted_messages.message_id from sighted_messages)

),

final as (

    select feed_id from new_messages
    union
    select feed_id from touched_messages
    union
    select feed_id from changed_people
    union
    select people.feed_id
    from people
    left semi join touched_keys on people.key_hash = touched_keys.key_hash

)

select * from final
