{{ config(materialized='ephemeral') }}

-- The rules about tangles that a message to a group breaks: fields that nobody can read, and places that it
-- does not claim.
with

addressed_messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where addressed_group_id is not null and content is not null and validity != 'invalid'

),

first_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root and {{ is_touched('group_id', 'int_changes__groups') }}

),

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}

),

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}

),

-- The first message of a group may be addressed to nobody. Its tangles make the group, so they are an object.
messages_with_fields as (

    select
        first_epochs.group_id,
        addressed_messages.message_id,
        addressed_messages.content_type,
        coalesce(get_json_object(addressed_messages.content, '$.tangles') = '0', false) as has_other_tangles,
        get_json_object(addressed_messages.content, '$.tangles.thread') is not null as has_thread_field,
        true as has_epoch_tangle
    from addressed_messages
    inner join first_epochs on addressed_messages.addressed_group_id = first_epochs.group_id
    where addressed_messages.message_id != first_epochs.epoch_id
    union all
    select
        group_id,
        epoch_id as message_id,
        'group/init' as content_type,
        false as has_other_tangles,
        true as has_thread_field,
        -- In a group before epochs (ruling R38) it has none.
        has_epoch_tangle is distinct from false as has_epoch_tangle
    from first_epochs

),

-- The tangles in which a message claims a place.
claimed_tangles as (

    select
        messages_with_fields.*,
        -- If nobody can read the root of a members tangle, it may be that of an epoch of the group.
        case
            when
                tangle_messages.status != 'rejected'
                and (
                    tangle_messages.group_id = messages_with_fields.group_id
                    or (tangle_messages.group_id is null and tangle_messages.tangle_kind = 'members')
                )
                then tangle_messages.tangle_kind
        end as claimed_kind,
        cast(null as string) as unreadable_field
    from messages_with_fields
    left join tangle_messages on messages_with_fields.message_id = tangle_messages.message_id

),

-- A field that nobody can read is one whatever others say of the message, for example that it is the root of
-- a thread. A thread's `root` and `branch` are no such field (ruling R11). Only a root may list nothing.
unreadable_fields as (

    select
        messages_with_fields.*,
        cast(null as string) as claimed_kind,
        concat(
            tangle_fields.tangle_kind, ' ', coalesce(tangle_fields.fault, 'no_previous')
        ) as unreadable_field
    from messages_with_fields
    inner join tangle_fields on messages_with_fields.message_id = tangle_fields.message_id
    where
        (
            tangle_fields.fault is not null
            or (tangle_fields.root_id is not null and size(tangle_fields.previous_ids) = 0)
        )
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

final as (

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

)

select * from final
