-- Everything of its own that a group's rows depend on: its tangles, the tangles of its epochs, and the feeds
-- that are announced for the keys of its epochs. A message after a cut-off is on a feed that an exclusion
-- names.
{%- set tangle_columns = ['message_id', 'tangle_kind', 'content_type', 'root_id', 'group_id'] %}
{%- set message_columns = ['addressed_group_id'] %}
with

changed_people as (

    select * from {{ ref('int_changes__people') }}

),

tangle_messages as (

    {{ touched_now_and_before('int_tangles__messages', 'tangle_id', 'int_changes__tangles', tangle_columns) }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where addressed_group_id is not null

),

feeds as (

    {{ now_and_before('int_feeds__people', ['feed_id', 'key_hash']) }}

),

epochs as (

    select * from {{ ref('int_groups__known_epochs') }}

),

-- For a message that is in no tangle: the group that it is for.
addressed_messages as (

    {{ touched_now_and_before('stg_ssb__messages', 'message_id', 'stg_changes__messages', message_columns) }}

),

touched_views as (

    select * from {{ ref('int_changes__views') }}

),

published_tangle_messages as (

    select * from {{ base_of('int_tangles__messages', ['tangle_id', 'message_id', 'root_id', 'group_id']) }}

),

published_links as (

    select * from {{ base_of('fct_tangle_links', ['tangle_id', 'previous_id']) }}

),

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

explicit_epochs as (

    select * from {{ ref('int_groups__explicit_epochs') }}

),

touched_feeds as (

    select * from {{ ref('int_changes__feeds') }}

),

published_cutoffs as (

    select * from {{ base_of('int_groups__cutoffs', ['group_id', 'feed_id']) }}

),

-- A message that is in no tangle of its group breaks a rule, so its feed is here.
published_violations as (

    select * from {{ base_of('fct_rule_violations', ['group_id', 'feed_id']) }}

),

tangles_of_links as (

    select published_links.tangle_id
    from published_links
    left semi join touched_views on published_links.previous_id = touched_views.message_id

),

-- What the owner of a log knows of a group depends on which of its messages the log holds.
touched_tangles as (

    select
        root_id,
        group_id
    from tangle_messages
    union
    select
        root_id,
        group_id
    from published_tangle_messages
    where
        message_id in (select touched_views.message_id from touched_views)
        or tangle_id in (select tangles_of_links.tangle_id from tangles_of_links)

),

-- An addition or exclusion for one group may be to an epoch of another one, which breaks a rule. While nobody
-- can read the first message of that epoch, it may be of the group, and follow any exclusion there.
member_acts as (

    select message_id from tangle_messages
    where tangle_kind = 'members' and content_type in ('group/add-member', 'group/exclude-member')

),

groups_of_member_acts as (

    select messages.addressed_group_id as group_id
    from messages
    left semi join member_acts on messages.message_id = member_acts.message_id

),

groups_of_tangles as (

    select explode(array(touched_tangles.group_id, epochs.group_id)) as group_id
    from touched_tangles
    left join epochs on touched_tangles.root_id = epochs.epoch_id

),

-- The author, and those whom the message names. People may be named by any of their feeds.
named_feeds as (

    select
        message_id,
        group_id,
        explode(
            flatten(array_compact(array(array(feed_id), recipient_ids, excluded_ids, cutoff_feed_ids)))
        ) as feed_id
    from group_messages

),

changed_acts as (

    select
        named_feeds.message_id,
        named_feeds.group_id
    from named_feeds
    left semi join changed_people on named_feeds.feed_id = changed_people.feed_id

),

-- A message for one group may act on an epoch of another one.
changed_epochs as (

    select explicit_epochs.epoch_id
    from explicit_epochs
    left semi join changed_acts on explicit_epochs.message_id = changed_acts.message_id

),

changed_keys as (

    select feeds.key_hash
    from feeds
    left semi join changed_people on feeds.feed_id = changed_people.feed_id

),

final as (

    select group_id from groups_of_tangles
    where group_id is not null
    union
    select group_id from groups_of_member_acts
    union
    select addressed_group_id as group_id from addressed_messages
    where addressed_group_id is not null
    union
    select epochs.group_id
    from epochs
    left semi join changed_keys on epochs.key_hash = changed_keys.key_hash
    union
    select group_id from changed_acts
    where group_id is not null
    union
    select epochs.group_id
    from epochs
    left semi join changed_epochs on epochs.epoch_id = changed_epochs.epoch_id
    union
    select published_cutoffs.group_id
    from published_cutoffs
    left semi join touched_feeds on published_cutoffs.feed_id = touched_feeds.feed_id
    union
    select published_violations.group_id
    from published_violations
    left semi join changed_people on published_violations.feed_id = changed_people.feed_id

)

select * from final
