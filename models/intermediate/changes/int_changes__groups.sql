-- Everything that a group's rows depend on: its tangles, the tangles of its epochs, the feeds that are
-- announced for the keys of its epochs, and the epochs of the people who write to it. Groups that share a
-- key share the epoch of a message with that key. A message after a cut-off is on a feed that an exclusion
-- names. Names of people are beside their ids.
{%- set tangle_columns = ['root_id', 'group_id'] %}
{%- set exclusion_columns = {'group_id': 'string', 'group_feed_id': 'string'} %}
{%- set message_columns = ['addressed_group_id'] %}
{%- set tangle_message_columns = {
    'tangle_id': 'string', 'message_id': 'string', 'root_id': 'string', 'group_id': 'string'
} %}
{%- set link_columns = {'tangle_id': 'string', 'previous_id': 'string'} %}
{%- set feed_columns = {'feed_id': 'string', 'key_hash': 'string'} %}
{%- set text = 'string' %}
{%- set people_columns = {
    'dim_epochs': {'group_id': text, 'creator_id': text},
    'fct_epoch_members': {'group_id': text, 'person_id': text, 'added_by_id': text, 'excluded_by_id': text},
    'fct_exclusions': {'group_id': text, 'excluded_id': text, 'excluded_by_id': text},
    'fct_group_audit_log': {'group_id': text, 'actor_id': text, 'subject_id': text},
    'fct_peer_epochs': {'group_id': text, 'owner_id': text},
    'fct_rule_violations': {'group_id': text, 'person_id': text}
} %}
with

changed_people as (

    select * from {{ ref('int_changes__people') }}

),

tangle_messages as (

    {{ touched_now_and_before('int_tangles__messages', 'tangle_id', 'int_changes__tangles', tangle_columns) }}

),

feeds as (

    {{ now_and_before('int_feeds__people', feed_columns) }}

),

epochs as (

    select * from {{ ref('int_groups__known_epochs') }}

),

timelines as (

    select * from {{ ref('int_tangles__messages') }}
    where tangle_kind = 'group' and group_id is not null

),

-- For a message that is in no tangle: the group that it is for.
addressed_messages as (

    {{ touched_now_and_before('stg_ssb__messages', 'message_id', 'stg_changes__messages', message_columns) }}

),

touched_views as (

    select * from {{ ref('int_changes__views') }}

),

published_tangle_messages as (

    select * from {{ base_of('int_tangles__messages', tangle_message_columns) }}

),

published_links as (

    select * from {{ base_of('fct_tangle_links', link_columns) }}

),

-- What the owner of a log knows of a group depends on which of its messages the log holds.
viewed_tangles as (

    select published_tangle_messages.tangle_id
    from published_tangle_messages
    left semi join touched_views on published_tangle_messages.message_id = touched_views.message_id
    union
    select published_links.tangle_id
    from published_links
    left semi join touched_views on published_links.previous_id = touched_views.message_id

),

touched_tangles as (

    select
        root_id,
        group_id
    from tangle_messages
    union
    select
        published_tangle_messages.root_id,
        published_tangle_messages.group_id
    from published_tangle_messages
    left semi join viewed_tangles on published_tangle_messages.tangle_id = viewed_tangles.tangle_id

),

changed_keys as (

    select feeds.key_hash
    from feeds
    left semi join changed_people on feeds.feed_id = changed_people.feed_id

),

touched_feeds as (

    select * from {{ ref('int_changes__feeds') }}

),

published_exclusions as (

    select * from {{ base_of('fct_exclusions', exclusion_columns) }}

),

changed_names as (

    {{ changed_ids('person_id', 'int_feeds__person_names') }}

),

published_people as (

    {% for table, columns in people_columns.items() %}
        select
            group_id,
            explode(array({{ columns | reject('equalto', 'group_id') | join(', ') }})) as person_id
        from {{ base_of(table, columns) }}
        {{ 'union all' if not loop.last }}
    {% endfor %}

),

touched_groups as (

    select group_id from touched_tangles
    where group_id is not null
    union
    select addressed_group_id as group_id from addressed_messages
    where addressed_group_id is not null
    union
    select epochs.group_id
    from epochs
    left semi join touched_tangles on epochs.epoch_id = touched_tangles.root_id
    union
    select epochs.group_id
    from epochs
    left semi join changed_keys on epochs.key_hash = changed_keys.key_hash
    union
    select published_exclusions.group_id
    from published_exclusions
    left semi join touched_feeds on published_exclusions.group_feed_id = touched_feeds.feed_id

),

touched_keys as (

    select epochs.key_hash
    from epochs
    left semi join touched_groups on epochs.group_id = touched_groups.group_id

),

-- A person may write to a group on a feed that was announced for an epoch of another group.
feeds_of_touched_keys as (

    select feeds.feed_id
    from feeds
    left semi join touched_keys on feeds.key_hash = touched_keys.key_hash

),

final as (

    select group_id from touched_groups
    union
    select epochs.group_id
    from epochs
    left semi join touched_keys on epochs.key_hash = touched_keys.key_hash
    union
    select timelines.group_id
    from timelines
    left semi join feeds_of_touched_keys on timelines.feed_id = feeds_of_touched_keys.feed_id
    union
    select published_people.group_id
    from published_people
    left semi join changed_names on published_people.person_id = changed_names.person_id

)

select * from final
