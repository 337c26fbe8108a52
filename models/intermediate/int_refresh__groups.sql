-- All that a group's rows hang on: its tangles, those of its epochs, and the feeds that are announced for
-- the keys of its epochs. Groups that share a key share the epoch that a message with that key belongs to.
{%- set tangle_columns = {'tangle_id': 'string', 'root_id': 'string', 'group_id': 'string'} %}
with

changed_feeds as (

    select * from {{ ref('int_refresh__feeds') }}

),

changed_tangles as (

    select * from {{ ref('int_refresh__tangles') }}

),

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}

),

published_tangle_messages as (

    select * from {{ base_of('int_tangles__messages', tangle_columns) }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

published_people as (

    select * from {{ base_of('int_feeds__people', {'feed_id': 'string', 'key_hash': 'string'}) }}

),

epochs as (

    select * from {{ ref('int_groups__known_epochs') }}

),

all_tangle_messages as (

    select
        tangle_id,
        root_id,
        group_id
    from tangle_messages
    union all
    select
        tangle_id,
        root_id,
        group_id
    from published_tangle_messages

),

touched_tangles as (

    select distinct
        all_tangle_messages.root_id,
        all_tangle_messages.group_id
    from all_tangle_messages
    left semi join changed_tangles on all_tangle_messages.tangle_id = changed_tangles.tangle_id

),

all_people as (

    select
        feed_id,
        key_hash
    from people
    union all
    select
        feed_id,
        key_hash
    from published_people

),

changed_keys as (

    select all_people.key_hash
    from all_people
    left semi join changed_feeds on all_people.feed_id = changed_feeds.feed_id

),

touched_groups as (

    select group_id from touched_tangles
    where group_id is not null
    union
    select epochs.group_id
    from epochs
    left semi join touched_tangles on epochs.epoch_id = touched_tangles.root_id
    union
    select epochs.group_id
    from epochs
    left semi join changed_keys on epochs.key_hash = changed_keys.key_hash

),

touched_keys as (

    select epochs.key_hash
    from epochs
    left semi join touched_groups on epochs.group_id = touched_groups.group_id

),

final as (

    select group_id from touched_groups
    union
    select epochs.group_id
    from epochs
    left semi join touched_keys on epochs.key_hash = touched_keys.key_hash

)

select * from final
