-- The rules of the group exclusion specification and of the tangle SIP that a message of a group breaks.
-- seeds/rules.csv describes each rule. A violation alone changes no other table (ruling R35).

-- A message of 8192 bytes lists 221 others at most. One of an unchecked format may list thousands: the work
-- would grow with the square of its length.
{%- set most_compared = 250 %}

with

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

acts as (

    select * from {{ ref('int_groups__acts') }}

),

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}

),

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}

),

group_messages as (

    select * from {{ ref('int_groups__messages') }}

),

judged as (

    select * from {{ ref('int_groups__judged') }}

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

judged_epochs as (

    select * from {{ ref('int_groups__judged_epochs') }}

),

rules as (

    select * from {{ ref('rules') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

addressed_messages as (

    select
        message_id,
        content_type,
        addressed_group_id as group_id,
        coalesce(get_json_object(content, '$.tangles') = '0', false) as has_other_tangles,
        get_json_object(content, '$.tangles.thread') is not null as has_thread_field
    from messages
    where addressed_group_id is not null and content is not null and validity != 'invalid'

),

-- Each with its first epoch. In a group before epochs (ruling R38) that has no epoch tangle.
groups as (

    select
        group_id,
        epoch_id as first_epoch_id,
        has_epoch_tangle is distinct from false as has_epoch_tangle
    from epochs
    where is_root and {{ is_touched('group_id', 'int_changes__groups') }}

),

addressed_to_groups as (

    select
        addressed_messages.*,
        addressed_messages.message_id = groups.first_epoch_id as is_first
    from addressed_messages
    inner join groups on addressed_messages.group_id = groups.group_id

),

-- Acts that are in no graph break rules, too. Other messages are no acts.
acts_of_groups as (

    select
        group_id,
        message_id,
        coalesce(epoch_id, members_root_id, message_id) as epoch_id
    from group_messages
    union all
    select
        addressed_to_groups.group_id,
        addressed_to_groups.message_id,
        addressed_to_groups.message_id as epoch_id
    from addressed_to_groups
    left anti join group_messages
        on
            addressed_to_groups.message_id = group_messages.message_id
            and addressed_to_groups.group_id = group_messages.group_id

),

-- Epochs whose creator is added by a message that waits for others.
awaited_epochs as (

    select distinct epochs.epoch_id
    from epochs
    inner join group_messages
        on epochs.epoch_id = group_messages.members_root_id and epochs.group_id = group_messages.group_id
    inner join acts on group_messages.message_id = acts.message_id
    where
        group_messages.kind = 'other'
        and acts.content_type = 'group/add-member'
        and array_contains(acts.recipient_ids, epochs.creator_id)

),

-- Thousands of acts may be of one epoch with thousands of members: its list of members is not joined to them.
epochs_without_creator as (

    select epochs.epoch_id
    from epochs
    inner join judged_epochs on epochs.epoch_id = judged_epochs.epoch_id
    where not array_contains(judged_epochs.member_ids, epochs.creator_id)

),

-- Groups with an epoch whose first message nobody can read: it may follow any exclusion. Another epoch
-- follows it, or somebody is added to it.
groups_with_unknown_epochs as (

    select group_id
    from tangle_messages
    where tangle_kind = 'epoch' and status_reason in ('missing', 'previous_encrypted')
    union
    select addressed_to_groups.group_id
    from addressed_to_groups
    inner join tangle_messages on addressed_to_groups.message_id = tangle_messages.message_id
    where
        addressed_to_groups.content_type = 'group/add-member'
        and tangle_messages.tangle_kind = 'members'
        and tangle_messages.group_id is null
        and tangle_messages.status_reason in ('missing', 'previous_encrypted')

),

-- Facts about each act: the epoch that it makes or changes, and the feed that it is on.
described_acts as (

    select
        acts_of_groups.group_id,
        acts_of_groups.message_id,
        people.person_id as author_id,
        judged.is_authorized,
        judged.counts,
        judged.is_before_init,
        judged.is_stale,
        judged.following_epoch_id,
        epochs.has_short_key,
        epochs.key_hash as epoch_key_hash,
        acts.key_hash,
        acts.recipient_ids,
        acts.excluded_ids,
        acts.has_other_recipients,
        coalesce(epochs.has_epoch_tangle, groups.has_epoch_tangle) as has_epoch_tangle,
        epochs_without_creator.epoch_id is not null as is_creator_missing,
        awaited_epochs.epoch_id is not null as is_creator_awaited,
        groups_with_unknown_epochs.group_id is not null as has_unknown_epoch,
        case acts.content_type
            when 'group/init' then 'init'
            when 'group/add-member' then 'add'
            when 'group/exclude-member' then 'exclude'
        end as kind,
        case
            when people.key_hash != if(acts.content_type = 'group/init', acts.key_hash, epochs.key_hash)
                then 'a feed for another key'
            when people.key_hash is null and people.feed_purpose is not null then 'a feed for something else'
        end as other_feed,
        exists(acts.cutoff_feed_ids, feed_id -> feed_id is null)
        or exists(acts.cutoff_sequences, sequence -> sequence is null) as is_without_cutoff,
        people.feed_purpose != 'group/additions' or people.key_hash is not null as is_on_other_feed
    from acts_of_groups
    inner join acts on acts_of_groups.message_id = acts.message_id
    inner join people on acts.feed_id = people.feed_id
    inner join groups on acts_of_groups.group_id = groups.group_id
    left join judged
        on acts_of_groups.message_id = judged.message_id and acts_of_groups.group_id = judged.group_id
    left join epochs
        on acts_of_groups.epoch_id = epochs.epoch_id and acts_of_groups.group_id = epochs.group_id
    left join epochs_without_creator on epochs.epoch_id = epochs_without_creator.epoch_id
    left join awaited_epochs on epochs.epoch_id = awaited_epochs.epoch_id
    left join groups_with_unknown_epochs on acts_of_groups.group_id = groups_with_unknown_epochs.group_id

),

violations_of_acts as (

    select
        described_acts.group_id,
        described_acts.message_id,
        items.rule_id,
        items.found
    from described_acts,
        lateral explode(
            map(
                'epoch_key_is_short',
                case when kind = 'init' and has_short_key then 'a key of less than 32 bytes' end,
                'init_on_other_feed', case when kind = 'init' then other_feed end,
                'exclusion_on_other_feed', case when kind = 'exclude' then other_feed end,
                'excludes_oneself',
                case when kind = 'exclude' and array_contains(excluded_ids, author_id) then author_id end,
                'excludes_nobody',
                case when kind = 'exclude' and coalesce(array_size(excluded_ids), 0) = 0 then 'nobody' end,
                'exclusion_without_cutoff',
                case when kind = 'exclude' and is_without_cutoff then array_join(excluded_ids, ' ') end,
                'exclusion_for_others_too',
                case
                    when kind != 'exclude' then null
                    when size(recipient_ids) > 0 then array_join(recipient_ids, ' ')
                    when has_other_recipients then 'recipients that are no people'
                end,
                'adds_nobody',
                case when kind = 'add' and coalesce(array_size(recipient_ids), 0) = 0 then 'nobody' end,
                'addition_without_secret', case when kind = 'add' and key_hash is null then 'no key' end,
                'addition_with_other_secret',
                case when kind = 'add' and key_hash != epoch_key_hash then 'another key' end,
                'addition_on_other_feed',
                case when kind = 'add' and is_on_other_feed then 'a feed for something else' end,
                'creator_not_added',
                case
                    when
                        kind = 'init'
                        and counts
                        and is_creator_missing
                        and not is_creator_awaited
                        then author_id
                end,
                'exclusion_without_epoch',
                case
                    when
                        kind = 'exclude'
                        and counts
                        and following_epoch_id is null
                        and not has_unknown_epoch
                        and size(excluded_ids) > 0
                        then 'no epoch after it'
                end,
                'act_of_outsider', case when not is_authorized then author_id end,
                'exclusion_before_init',
                case
                    when kind = 'exclude' and is_before_init and size(excluded_ids) > 0
                        then 'no epoch before it'
                end,
                'epoch_after_succeeded_one',
                case when kind = 'init' and is_stale then 'a later epoch is known' end
            )
        ) as items (rule_id, found)
    where
        items.found is not null
        -- Software before epochs (ruling R38) could not follow the other rules.
        and (described_acts.has_epoch_tangle or items.rule_id = 'act_of_outsider')

),

late_posts as (

    select
        judged.group_id,
        judged.message_id,
        'late_post' as rule_id,
        'an epoch to prefer is known' as found
    from judged
    left semi join groups on judged.group_id = groups.group_id
    where judged.is_late

),

-- The first message of a group may be addressed to nobody. Its tangles make the group, so they are an object.
messages_with_fields as (

    select
        group_id,
        message_id,
        content_type,
        has_other_tangles,
        has_thread_field,
        true as has_epoch_tangle
    from addressed_to_groups
    where not is_first
    union all
    select
        group_id,
        first_epoch_id as message_id,
        'group/init' as content_type,
        false as has_other_tangles,
        true as has_thread_field,
        has_epoch_tangle
    from groups

),

-- The tangles in which a message claims a place.
claimed_tangles as (

    select
        messages_with_fields.*,
        -- A tangle of the group and the epochs whose root nobody can read is not that of this group.
        case
            when
                tangle_messages.status != 'rejected'
                and (
                    tangle_messages.group_id is not null
                    or tangle_messages.tangle_kind not in ('group', 'epoch')
                )
                then tangle_messages.tangle_kind
        end as claimed_kind,
        cast(null as string) as unreadable_field
    from messages_with_fields
    left join tangle_messages on messages_with_fields.message_id = tangle_messages.message_id

),

-- A field that nobody can read is one whatever others say of the message, for example that it is the root of
-- a thread. A thread's `root` and `branch` are no such field (ruling R11).
unreadable_fields as (

    select
        messages_with_fields.*,
        cast(null as string) as claimed_kind,
        concat(tangle_fields.tangle_kind, ' ', tangle_fields.fault) as unreadable_field
    from messages_with_fields
    inner join tangle_fields on messages_with_fields.message_id = tangle_fields.message_id
    where
        tangle_fields.fault is not null
        and (tangle_fields.tangle_kind != 'thread' or messages_with_fields.has_thread_field)

),

named_tangles as (

    select * from claimed_tangles
    union all
    select * from unreadable_fields

),

-- What a message says about tangles, and the places that it lacks.
described_messages as (

    select
        group_id,
        message_id,
        has_other_tangles,
        array_join(array_sort(collect_set(unreadable_field)), ', ') as unreadable_fields,
        count_if(claimed_kind = 'group') = 0 as lacks_group,
        content_type = 'group/init' and count_if(claimed_kind = 'epoch') = 0 as lacks_epoch,
        content_type in ('group/add-member', 'group/exclude-member')
        and count_if(claimed_kind = 'members') = 0 as lacks_members,
        -- Only a root of a members tangle is a group/init there.
        content_type = 'group/init'
        and has_epoch_tangle
        and count_if(claimed_kind = 'members') = 0 as lacks_own_members
    from named_tangles
    group by group_id, message_id, content_type, has_other_tangles, has_epoch_tangle

),

-- Most messages break none of these rules, so they need no map.
messages_with_faults as (

    select * from described_messages
    where
        has_other_tangles
        or unreadable_fields != ''
        or lacks_group
        or lacks_epoch
        or lacks_members
        or lacks_own_members

),

violations_of_claims as (

    select
        messages_with_faults.group_id,
        messages_with_faults.message_id,
        items.rule_id,
        items.found
    from messages_with_faults,
        lateral explode(
            map(
                'tangles_are_no_object', case when has_other_tangles then 'tangles that are no object' end,
                'tangle_field_is_unreadable',
                case when unreadable_fields != '' then unreadable_fields end,
                'message_without_group_tangle', case when lacks_group then 'no place in a group tangle' end,
                'init_without_epoch_tangle', case when lacks_epoch then 'no place in an epoch tangle' end,
                'change_without_members_tangle',
                case when lacks_members then 'no place in a members tangle' end,
                'init_without_members_tangle', case when lacks_own_members then 'no members tangle' end
            )
        ) as items (rule_id, found)
    where items.found is not null

),

-- A message that nobody has signed does not show what its author knew.
placed_messages as (

    select tangle_messages.*
    from tangle_messages
    left semi join groups on tangle_messages.group_id = groups.group_id
    where
        tangle_messages.tangle_kind in ('group', 'epoch', 'members')
        and tangle_messages.status = 'in'
        and {{ counts_as_signed(
            "if(tangle_messages.is_unverified, 'not_checked', 'valid')",
            feed_format('tangle_messages.feed_id'),
            'tangle_messages.message_id'
        ) }}

),

-- Two messages of a forked feed may have the same sequence. Then neither is known to come before a later one.
placed_fields as (

    select
        placed_messages.group_id,
        placed_messages.tangle_id,
        placed_messages.message_id,
        placed_messages.feed_id,
        tangle_fields.sequence,
        tangle_fields.previous_ids,
        tangle_fields.sequence in (
            lag(tangle_fields.sequence) over feed_order, lead(tangle_fields.sequence) over feed_order
        ) as is_in_fork
    from placed_messages
    inner join tangle_fields
        on
            placed_messages.message_id = tangle_fields.message_id
            and placed_messages.tangle_kind = tangle_fields.tangle_kind
    window feed_order as (
        partition by placed_messages.tangle_id, placed_messages.feed_id
        order by tangle_fields.sequence
    )

),

listed as (

    select
        group_id,
        tangle_id,
        message_id,
        feed_id,
        sequence,
        is_in_fork,
        if(size(previous_ids) <= {{ most_compared }}, previous_ids, null) as compared_ids,
        explode(previous_ids) as previous_id
    from placed_fields

),

-- What a feed lists, and where it lists that first.
numbered as (

    select
        group_id,
        message_id,
        previous_id,
        sequence,
        min(if(is_in_fork, null, sequence)) over (
            partition by tangle_id, feed_id, previous_id
        ) as first_sequence
    from listed

),

-- A message that the same feed listed before was not a tip for the author. Nor was one that is listed
-- together with a message after it, in the tangle of any epoch, nor one that a message lists of which the
-- author knew, in those of the group's epochs.
no_tips as (

    select
        group_id,
        message_id,
        previous_id
    from numbered
    where first_sequence < sequence
    union
    select
        listed.group_id,
        listed.message_id,
        further.previous_id
    from listed
    inner join listed as further
        on listed.tangle_id = further.tangle_id and listed.previous_id = further.message_id
    where
        size(listed.compared_ids) > 1
        and further.compared_ids is not null
        and array_contains(listed.compared_ids, further.previous_id)
    union
    select
        judged.group_id,
        judged.message_id,
        explode(judged.no_tip_ids) as previous_id
    from judged
    left semi join groups on judged.group_id = groups.group_id

),

violations_of_links as (

    select
        group_id,
        message_id,
        'previous_is_no_tip' as rule_id,
        array_join(array_sort(collect_set(previous_id)), ' ') as found
    from no_tips
    group by group_id, message_id

),

violations as (

    select * from violations_of_acts
    union all
    select * from late_posts
    union all
    select * from violations_of_claims
    union all
    select * from violations_of_links

),

final as (

    select
        violations.group_id,
        violations.message_id,
        messages.feed_id,
        people.person_id,
        {{ person_name('people.person_id', 'names.name') }} as person_name,
        violations.rule_id,
        rules.document,
        rules.section,
        rules.severity,
        violations.found
    from violations
    inner join rules on violations.rule_id = rules.rule_id
    inner join messages on violations.message_id = messages.message_id
    inner join people on messages.feed_id = people.feed_id
    left join names on people.person_id = names.person_id
    -- Anybody can write the others under somebody's name.
    where {{ counts_as_signed('messages.validity', 'messages.feed_format', 'messages.message_id') }}

)

select * from final
