-- What the rules of authority and exclusion read of a message: the messages that it knows of in the tangles
-- of its group, and what it does there.
with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where tangle_kind in ('group', 'epoch', 'members') and status != 'rejected'

),

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where {{ is_touched('group_id', 'int_changes__groups') }}

),

timelines as (

    select * from {{ ref('int_groups__timelines') }}

),

acts as (

    select * from {{ ref('int_groups__acts') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

-- What these messages say is known. Nobody knows what stands under an id that anybody may have written.
readable_messages as (

    select staged.message_id from {{ ref('stg_ssb__messages') }} as staged
    where
        {{ is_readable('staged') }}
        and not staged.has_claimed_id
        and (
            staged.validity = 'invalid'
            or {{ counts_as_signed('staged.validity', 'staged.feed_format', 'staged.message_id') }}
        )

),

-- The tangles of a group: its own two, whose root is its first epoch, and the members tangles of its epochs.
candidates as (

    select
        epochs.group_id,
        tangle_messages.tangle_kind,
        tangle_messages.message_id,
        tangle_messages.feed_id,
        tangle_messages.content_type,
        tangle_messages.status,
        tangle_messages.position,
        tangle_messages.asserted_ms,
        tangle_messages.received_ms,
        tangle_messages.is_unverified,
        case when tangle_messages.tangle_kind = 'members' then epochs.epoch_id end as members_root_id,
        case
            when
                tangle_messages.tangle_kind = 'members'
                and tangle_messages.status = 'in'
                and not tangle_messages.is_root
                then epochs.epoch_id
        end as epoch_id
    from tangle_messages
    inner join epochs on tangle_messages.root_id = epochs.epoch_id
    where tangle_messages.tangle_kind = 'members' or epochs.is_root

),

linked_candidates as (

    select
        candidates.*,
        candidates.tangle_kind = 'group' and candidates.status = 'in' as is_in_timeline,
        {{ counts_as_signed(
            "if(candidates.is_unverified, 'not_checked', 'valid')",
            feed_format('candidates.feed_id'),
            'candidates.message_id'
        ) }} as is_signed,
        coalesce(tangle_fields.previous_ids, array()) as said_previous_ids,
        tangle_fields.sequence
    from candidates
    left join tangle_fields
        on
            candidates.message_id = tangle_fields.message_id
            and candidates.tangle_kind = tangle_fields.tangle_kind

),

-- Anybody can write an unsigned message under the id of a missing one. Nobody knows what that one lists.
known_candidates as (

    select
        *,
        if(is_signed, said_previous_ids, array()) as previous_ids,
        if(is_signed, array(), said_previous_ids) as only_said_ids
    from linked_candidates

),

messages as (

    select
        group_id,
        message_id,
        any_value(feed_id) as feed_id,
        any_value(content_type) as content_type,
        max(if(is_signed, sequence, null)) as sequence,
        any_value(asserted_ms) as asserted_ms,
        any_value({{ told_ms('asserted_ms', 'received_ms') }}) as told_ms,
        max(epoch_id) as epoch_id,
        max(case when is_in_timeline then position end) as position,
        max(members_root_id) as members_root_id,
        array_sort(array_distinct(flatten(collect_list(previous_ids)))) as previous_ids,
        array_sort(
            array_distinct(flatten(collect_list(case when members_root_id is null then previous_ids end)))
        ) as own_previous_ids,
        max(case when members_root_id is not null then previous_ids end) as members_previous_ids,
        max(case when is_in_timeline then previous_ids end) as timeline_previous_ids,
        max(case when is_in_timeline then only_said_ids end) as said_timeline_ids,
        max(case when epoch_id is not null then only_said_ids end) as said_members_ids,
        max(
            case when tangle_kind = 'epoch' and status = 'in' then said_previous_ids end
        ) as previous_epoch_ids,
        bool_and(is_signed) as is_signed
    from known_candidates
    group by group_id, message_id

),

listed as (

    select
        group_id,
        message_id,
        explode(previous_ids) as previous_id
    from messages

),

-- Few of all messages are listed: the join with these does not sort the others.
readable_listed as (

    select readable_messages.message_id
    from readable_messages
    left semi join listed on readable_messages.message_id = listed.previous_id

),

lacking as (

    select distinct
        listed.group_id,
        listed.message_id
    from listed
    left anti join readable_listed on listed.previous_id = readable_listed.message_id

),

timeline_lengths as (

    select
        group_id,
        count(*) as message_count
    from timelines
    group by group_id

),

described_messages as (

    select
        messages.*,
        people.person_id as author_id,
        epochs.key_rank,
        epochs.has_valid_members_tangle,
        timelines.epoch_id as written_in_epoch_id,
        acts.recipient_ids,
        acts.excluded_ids,
        not messages.is_signed or lacking.message_id is not null as lacks_previous,
        coalesce(timeline_lengths.message_count, 0) as timeline_length,
        case
            when epochs.epoch_id is not null then 'init'
            -- Anybody can write an act that nobody can check under a member's name: it is none.
            when messages.epoch_id is null or acts.message_id is null then 'other'
            when messages.content_type = 'group/add-member' then 'add'
            when messages.content_type = 'group/exclude-member' then 'exclude'
            else 'other'
        end as kind
    from messages
    inner join people on messages.feed_id = people.feed_id
    left join epochs on messages.message_id = epochs.epoch_id and messages.group_id = epochs.group_id
    left join timelines
        on messages.message_id = timelines.message_id and messages.group_id = timelines.group_id
    left join timeline_lengths on messages.group_id = timeline_lengths.group_id
    left join acts on messages.message_id = acts.message_id
    left join lacking
        on messages.message_id = lacking.message_id and messages.group_id = lacking.group_id

),

final as (

    select
        group_id,
        message_id,
        feed_id,
        sequence,
        author_id,
        kind,
        previous_ids,
        timeline_previous_ids,
        own_previous_ids,
        members_root_id,
        lacks_previous,
        asserted_ms,
        key_rank,
        epoch_id is not null as is_in_members_graph,
        case
            when kind in ('add', 'exclude') then epoch_id
            when kind = 'other' and not coalesce(content_type like 'group/%', false) then written_in_epoch_id
        end as epoch_id,
        case kind
            when 'add' then recipient_ids
            when 'exclude' then excluded_ids
        end as person_ids,
        coalesce(members_previous_ids, array()) as members_previous_ids,
        coalesce(said_timeline_ids, array()) as said_timeline_ids,
        coalesce(said_members_ids, array()) as said_members_ids,
        coalesce(previous_epoch_ids, array()) as previous_epoch_ids,
        coalesce(has_valid_members_tangle, false) as declares_members,
        -- A time outside the calendar counts as no time.
        unix_millis({{ timestamp_of('told_ms') }}) as time_ms,
        -- Messages outside the timeline come after all messages in it.
        coalesce(position, timeline_length) as position
    from described_messages

)

select * from final
