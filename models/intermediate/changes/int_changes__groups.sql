-- The groups that are touched directly, and those that depend on them. Groups that share a key share the
-- epoch of a message with that key. Names of people are beside their ids.
{%- set people_columns = {
    'dim_epochs': ['creator_id'],
    'fct_epoch_members': ['person_id', 'added_by_id', 'excluded_by_id'],
    'fct_exclusions': ['excluded_id', 'excluded_by_id'],
    'fct_group_audit_log': ['actor_id', 'subject_id'],
    'fct_peer_epochs': ['owner_id'],
    'fct_rule_violations': ['person_id']
} %}
with

touched_groups as (

    select * from {{ ref('int_changes__directly_touched_groups') }}

),

feeds as (

    {{ now_and_before('int_feeds__people', ['feed_id', 'key_hash']) }}

),

epochs as (

    select * from {{ ref('int_groups__known_epochs') }}

),

timelines as (

    select * from {{ ref('int_tangles__messages') }}
    where tangle_kind = 'group' and group_id is not null

),

changed_names as (

    {{ changed_ids('person_id', 'int_feeds__person_names') }}

),

published_people as (

    {% for table, columns in people_columns.items() %}
        select
            group_id,
            explode(array({{ columns | join(', ') }})) as person_id
        from {{ base_of(table, ['group_id'] + columns) }}
        {{ 'union all' if not loop.last }}
    {% endfor %}

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
