with

fields as (

    select * from {{ ref('int_tangles__fields') }}

),

-- Anybody can write an invalid line under the id of a missing message.
messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where not has_claimed_id

),

kinds as (

    select
        tangle_kind,
        is_root_implicit,
        is_for_group,
        split(nullif(root_types, ''), ' ') as root_types,
        split(nullif(member_types, ''), ' ') as member_types
    from {{ ref('tangle_kinds') }}

),

group_roots as (

    select * from {{ ref('int_groups__roots') }}

),

root_ids as (

    select distinct root_id from fields

),

roots as (

    select messages.*
    from messages
    left semi join root_ids on messages.message_id = root_ids.root_id

),

tangles as (

    select
        tangle_id,
        tangle_kind,
        root_id,
        bool_or(is_root) as has_field_of_root,
        bool_or(message_id != root_id) as has_others
    from fields
    group by tangle_id, tangle_kind, root_id

),

-- The root of a thread need not know that it is a root: what it says of that may be faulty, or name itself.
implicit_roots as (

    select
        tangles.tangle_id,
        tangles.tangle_kind,
        tangles.root_id,
        tangles.root_id as message_id,
        null as feed_id,
        null as previous_ids,
        null as content_type,
        null as validity,
        null as fault,
        null as sequence,
        null as asserted_ms,
        null as received_ms,
        null as addressed_group_id,
        true as is_root,
        true as is_implicit
    from tangles
    inner join kinds on tangles.tangle_kind = kinds.tangle_kind and kinds.is_root_implicit
    where tangles.has_others and not tangles.has_field_of_root

),

fields_of_others as (

    select fields.* from fields
    left anti join implicit_roots
        on fields.tangle_id = implicit_roots.tangle_id and fields.message_id = implicit_roots.message_id

),

all_fields as (

    select
        tangle_id,
        tangle_kind,
        root_id,
        message_id,
        feed_id,
        previous_ids,
        content_type,
        validity,
        fault,
        sequence,
        asserted_ms,
        received_ms,
        addressed_group_id,
        is_root,
        false as is_implicit
    from fields_of_others
    union all
    select * from implicit_roots

),

rooted_fields as (

    select
        all_fields.tangle_id,
        all_fields.tangle_kind,
        all_fields.root_id,
        all_fields.message_id,
        all_fields.previous_ids,
        all_fields.fault,
        all_fields.is_root,
        all_fields.addressed_group_id,
        roots.addressed_group_id as addressed_group_of_root,
        roots.message_id is not null as is_root_in_log,
        coalesce({{ is_readable('roots') }}, false) as is_root_readable,
        if(all_fields.is_implicit, roots.feed_id, all_fields.feed_id) as feed_id,
        if(all_fields.is_implicit, roots.content_type, all_fields.content_type) as content_type,
        if(all_fields.is_implicit, roots.validity, all_fields.validity) as validity,
        if(all_fields.is_implicit, roots.sequence, all_fields.sequence) as sequence,
        if(all_fields.is_implicit, roots.asserted_ms, all_fields.asserted_ms) as asserted_ms,
        if(all_fields.is_implicit, roots.received_ms, all_fields.received_ms) as received_ms
    from all_fields
    left join roots on all_fields.root_id = roots.message_id
    where not all_fields.is_implicit or roots.message_id is not null

),

-- A tangle belongs to the group that has its root as first message, or that its root is addressed to. If
-- nobody can read the root, nobody knows whether a message is for its group: it waits (ruling R8).
described_fields as (

    select
        rooted_fields.tangle_id,
        rooted_fields.tangle_kind,
        rooted_fields.root_id,
        rooted_fields.message_id,
        rooted_fields.feed_id,
        rooted_fields.content_type,
        rooted_fields.sequence,
        rooted_fields.validity,
        rooted_fields.is_root,
        rooted_fields.previous_ids,
        rooted_fields.asserted_ms,
        rooted_fields.received_ms,
        rooted_fields.is_root_in_log,
        coalesce(
            group_roots.group_id,
            -- Anybody can begin an epoch tangle in the name of a group. Only that of its root counts.
            case when not coalesce(kinds.is_for_group, false) then rooted_fields.addressed_group_of_root end
        ) as group_id,
        case
            when rooted_fields.validity = 'invalid' then 'invalid_message'
            when rooted_fields.fault is not null then rooted_fields.fault
            when
                not coalesce(
                    array_contains(
                        case when rooted_fields.is_root then kinds.root_types else kinds.member_types end,
                        coalesce(rooted_fields.content_type, '')
                    ),
                    true
                )
                then 'type_not_allowed'
            when
                kinds.is_for_group
                and rooted_fields.is_root_readable
                and not rooted_fields.is_root
                and not coalesce(rooted_fields.addressed_group_id = group_roots.group_id, false)
                then 'not_for_the_group'
        end as reject_reason
    from rooted_fields
    left join kinds on rooted_fields.tangle_kind = kinds.tangle_kind
    left join group_roots on rooted_fields.root_id = group_roots.root_id

),

final as (

    select
        tangle_id,
        tangle_kind,
        root_id,
        group_id,
        message_id,
        feed_id,
        previous_ids,
        content_type,
        reject_reason,
        sequence,
        asserted_ms,
        received_ms,
        is_root,
        is_root_in_log,
        {{ told_ms('asserted_ms', 'received_ms') }} as told_ms,
        validity = 'not_checked' as is_unverified
    from described_fields

)

select * from final
