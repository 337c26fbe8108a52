{{ config(materialized='ephemeral') }}

-- The rules about epochs, additions and exclusions that a message breaks: by what it says, by who wrote it on
-- which feed, and by what followed.
with

addressed_messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where addressed_group_id is not null and content is not null and validity != 'invalid'

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

-- In a group before epochs (ruling R38) the first epoch has no epoch tangle.
groups as (

    select
        group_id,
        has_epoch_tangle is distinct from false as has_epoch_tangle
    from epochs
    where is_root and {{ is_touched('group_id', 'int_changes__groups') }}

),

addressed_to_groups as (

    select
        groups.group_id,
        addressed_messages.message_id,
        addressed_messages.content_type
    from addressed_messages
    inner join groups on addressed_messages.addressed_group_id = groups.group_id

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

-- Somebody who was excluded up to their own epoch should not be in it. Thousands of acts may be of one epoch
-- with thousands of members: its list of members is not joined to them.
epochs_without_creator as (

    select epochs.epoch_id
    from epochs
    inner join judged_epochs on epochs.epoch_id = judged_epochs.epoch_id
    where
        not array_contains(judged_epochs.member_ids, epochs.creator_id)
        and not array_contains(judged_epochs.excluded_before_ids, epochs.creator_id)

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
        judged.has_old_key,
        judged.following_epoch_id,
        epochs.has_short_key,
        epochs.key_hash as epoch_key_hash,
        acts.key_hash,
        acts.named_group_id,
        acts.cuts_off_others,
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
        filter(
            acts.excluded_ids,
            (person_id, place) -> acts.cutoff_feed_ids[place] is null or acts.cutoff_sequences[place] is null
        ) as ids_without_cutoff,
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

final as (

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
                'epoch_key_is_old',
                case when kind = 'init' and has_old_key then 'the key of an earlier epoch' end,
                'init_on_other_feed', case when kind = 'init' then other_feed end,
                'exclusion_on_other_feed', case when kind = 'exclude' then other_feed end,
                'excludes_oneself',
                case when kind = 'exclude' and array_contains(excluded_ids, author_id) then author_id end,
                'excludes_nobody',
                case when kind = 'exclude' and coalesce(array_size(excluded_ids), 0) = 0 then 'nobody' end,
                'exclusion_without_cutoff',
                case
                    when kind = 'exclude' and size(ids_without_cutoff) > 0
                        then array_join(ids_without_cutoff, ' ')
                end,
                'exclusion_of_other_feed', case when cuts_off_others then 'a feed of somebody else' end,
                'exclusion_for_others_too',
                case
                    when kind != 'exclude' then null
                    when size(recipient_ids) > 0 then array_join(recipient_ids, ' ')
                    when has_other_recipients then 'recipients that are no people'
                    when
                        named_group_id is distinct from described_acts.group_id
                        and described_acts.group_id not like 'unnamed:%'
                        then 'not the group'
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

)

select * from final
