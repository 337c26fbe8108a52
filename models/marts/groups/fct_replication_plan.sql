-- Who should fetch and serve what (4.8.2 of the group exclusion specification, ruling R25): the feeds of
-- every epoch that a person is a member of, and the messages missing from the group's tangles. A stranger may
-- make a group with thousands of members, feeds and missing messages: so a group has a limited number of rows
-- for each of its messages.
with

epoch_members as (

    select * from {{ touched_rows(ref('fct_epoch_members'), 'group_id', 'int_changes__groups') }}

),

preferred_epochs as (

    select * from {{ touched_rows(ref('fct_preferred_epochs'), 'group_id', 'int_changes__groups') }}

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

gaps as (

    select * from {{ ref('fct_tangle_gaps') }}
    where group_id is not null

),

messages as (

    select * from {{ ref('int_groups__messages') }}

),

-- Every member of an epoch prefers one epoch of the group.
members as (

    select
        epoch_members.group_id,
        epoch_members.epoch_id,
        epoch_members.person_id,
        epoch_members.epoch_id = preferred_epochs.epoch_id as prefers_epoch
    from epoch_members
    inner join preferred_epochs
        on
            epoch_members.group_id = preferred_epochs.group_id
            and epoch_members.person_id = preferred_epochs.person_id
    where epoch_members.is_declared

),

message_counts as (

    select
        group_id,
        count(*) as message_count
    from messages
    group by group_id

),

member_counts as (

    select
        epoch_id,
        count(*) as member_count,
        count_if(prefers_epoch) as preferring_count
    from members
    group by epoch_id

),

-- Whoever knows a key may make thousands of epochs with it, and announce thousands of feeds for it. An epoch
-- without members is in nobody's plan.
epochs_of_keys as (

    select
        epochs.epoch_id,
        epochs.group_id,
        epochs.key_hash,
        member_counts.member_count,
        member_counts.preferring_count,
        {{ most_rows_of_a_group('message_counts.message_count', 100000) }} as most_rows,
        count(*) over (partition by epochs.group_id, epochs.key_hash) as epoch_count
    from epochs
    inner join message_counts on epochs.group_id = message_counts.group_id
    inner join member_counts on epochs.epoch_id = member_counts.epoch_id
    where epochs.key_hash is not null

),

keys_of_groups as (

    select distinct
        group_id,
        key_hash,
        epoch_count,
        most_rows
    from epochs_of_keys

),

members_of_keys as (

    select distinct
        epochs_of_keys.group_id,
        epochs_of_keys.key_hash,
        members.person_id
    from epochs_of_keys
    inner join members on epochs_of_keys.epoch_id = members.epoch_id

),

feeds_of_keys as (

    select
        feed_id,
        person_id,
        key_hash,
        row_number() over (partition by key_hash, person_id order by feed_id asc) as own_number
    from people
    where key_hash is not null

),

-- Nobody's feeds take the places of a member's first one.
numbered_feeds as (

    select
        keys_of_groups.group_id,
        feeds_of_keys.feed_id,
        feeds_of_keys.person_id,
        feeds_of_keys.key_hash,
        feeds_of_keys.own_number,
        keys_of_groups.epoch_count,
        keys_of_groups.most_rows,
        row_number() over (
            partition by keys_of_groups.group_id, keys_of_groups.key_hash
            order by
                members_of_keys.person_id is null asc,
                feeds_of_keys.own_number asc,
                feeds_of_keys.feed_id asc
        ) as feed_number
    from keys_of_groups
    inner join feeds_of_keys on keys_of_groups.key_hash = feeds_of_keys.key_hash
    left join members_of_keys
        on
            keys_of_groups.group_id = members_of_keys.group_id
            and keys_of_groups.key_hash = members_of_keys.key_hash
            and feeds_of_keys.person_id = members_of_keys.person_id

),

first_feeds as (

    select * from numbered_feeds
    where feed_number * epoch_count <= most_rows

),

-- A group feed is announced with the key of its epoch (ruling R15).
group_feeds as (

    select
        epochs_of_keys.epoch_id,
        epochs_of_keys.group_id,
        epochs_of_keys.member_count,
        epochs_of_keys.preferring_count,
        epochs_of_keys.most_rows,
        first_feeds.feed_id,
        first_feeds.own_number,
        first_feeds.person_id as owner_id,
        coalesce(epoch_members.is_declared, false) as is_members_feed,
        coalesce(epoch_members.is_excluded, false) as is_excluded_from_epoch
    from epochs_of_keys
    inner join first_feeds
        on
            epochs_of_keys.group_id = first_feeds.group_id
            and epochs_of_keys.key_hash = first_feeds.key_hash
    left join epoch_members
        on
            epochs_of_keys.epoch_id = epoch_members.epoch_id
            and first_feeds.person_id = epoch_members.person_id

),

-- Each feed has a row for every member of its epoch. The first feeds of members come first, and those in the
-- epoch that most people prefer.
counted_feeds as (

    select
        *,
        sum(member_count) over (
            partition by group_id
            order by
                is_members_feed desc,
                own_number asc,
                preferring_count desc,
                epoch_id asc,
                feed_id asc
            rows between unbounded preceding and current row
        ) as rows_so_far
    from group_feeds

),

planned_feeds as (

    select * from counted_feeds
    where rows_so_far <= most_rows

),

feed_rows as (

    select
        members.group_id,
        members.person_id,
        members.epoch_id,
        planned_feeds.feed_id,
        planned_feeds.owner_id,
        cast(null as string) as missing_id,
        case
            when not planned_feeds.is_members_feed then 'no_member'
            when members.prefers_epoch then 'preferred_epoch'
            when planned_feeds.is_excluded_from_epoch then 'excluded_member'
            else 'remaining_member'
        end as rule
    from members
    inner join planned_feeds on members.epoch_id = planned_feeds.epoch_id

),

missing as (

    select distinct
        group_id,
        missing_id
    from gaps

),

listed as (

    select
        messages.group_id,
        messages.author_id,
        explode(messages.previous_ids) as missing_id
    from messages
    left semi join preferred_epochs
        on
            messages.group_id = preferred_epochs.group_id
            and messages.author_id = preferred_epochs.person_id

),

-- What each member lists is numbered, so that nobody's ids take the places of what others list.
numbered_by_member as (

    select
        missing.group_id,
        missing.missing_id,
        case
            when listed.author_id is not null
                then
                    dense_rank() over (
                        partition by missing.group_id, listed.author_id
                        order by missing.missing_id asc
                    )
        end as own_number
    from missing
    left join listed on missing.group_id = listed.group_id and missing.missing_id = listed.missing_id

),

-- Anybody may list any ids in the tangles of a group, as many as one likes: what members list comes first.
numbered_missing as (

    select
        group_id,
        missing_id,
        row_number() over (
            partition by group_id
            order by min(own_number) asc nulls last, missing_id asc
        ) as missing_number
    from numbered_by_member
    group by group_id, missing_id

),

person_counts as (

    select
        group_id,
        count(*) as person_count
    from preferred_epochs
    group by group_id

),

planned_missing as (

    select
        numbered_missing.group_id,
        numbered_missing.missing_id
    from numbered_missing
    inner join person_counts on numbered_missing.group_id = person_counts.group_id
    inner join message_counts on numbered_missing.group_id = message_counts.group_id
    where
        numbered_missing.missing_number * person_counts.person_count
        <= {{ most_rows_of_a_group('message_counts.message_count', 10000) }}

),

missing_rows as (

    select
        preferred_epochs.group_id,
        preferred_epochs.person_id,
        cast(null as string) as epoch_id,
        cast(null as string) as feed_id,
        cast(null as string) as owner_id,
        planned_missing.missing_id,
        'missing_message' as rule
    from preferred_epochs
    inner join planned_missing on preferred_epochs.group_id = planned_missing.group_id

),

all_rows as (

    select * from feed_rows
    union all
    select * from missing_rows

),

final as (

    select
        group_id,
        person_id,
        epoch_id,
        feed_id,
        owner_id,
        missing_id,
        rule,
        rule in ('preferred_epoch', 'remaining_member', 'missing_message') as should_fetch,
        rule != 'no_member' as should_serve
    from all_rows

)

select * from final
