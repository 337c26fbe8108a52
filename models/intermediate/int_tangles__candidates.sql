with

fields as (

    select * from {{ ref('int_tangles__fields') }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}

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

    select {{ in_memory('root_ids', 'int_refresh__tangles') }}
        messages.message_id,
        messages.feed_id,
        messages.sequence,
        messages.content_type,
        messages.addressed_group_id,
        messages.validity,
        messages.asserted_ms,
        messages.received_ms
    from messages
    left semi join root_ids on messages.message_id = root_ids.root_id

),

-- The root of a thread need not know that it is one.
implicit_roots as (

    select distinct
        fields.tangle_id,
        fields.tangle_kind,
        fields.root_id,
        fields.root_id as message_id,
        roots.feed_id,
        cast(null as array<string>) as previous_ids,
        roots.content_type,
        roots.addressed_group_id,
        roots.validity,
        cast(null as string) as fault,
        roots.sequence,
        roots.asserted_ms,
        roots.received_ms,
        true as is_root
    from fields
    inner join kinds on fields.tangle_kind = kinds.tangle_kind and kinds.is_root_implicit
    inner join roots on fields.root_id = roots.message_id
    left anti join fields as own_fields
        on
            fields.tangle_id = own_fields.tangle_id
            and fields.root_id = own_fields.message_id

),

all_fields as (

    select * from fields
    union all
    select * from implicit_roots

),

-- A tangle belongs to the group whose first message is its root, or that its root is addressed to.
described_fields as (

    select
        all_fields.tangle_id,
        all_fields.tangle_kind,
        all_fields.root_id,
        all_fields.message_id,
        all_fields.feed_id,
        all_fields.content_type,
        all_fields.sequence,
        all_fields.validity,
        all_fields.is_root,
        all_fields.previous_ids,
        all_fields.asserted_ms,
        all_fields.received_ms,
        roots.message_id is not null as is_root_in_log,
        coalesce(
            group_roots.group_id,
            -- Anybody can begin a tangle of epochs in the name of a group: it has only the one of its root.
            case when not coalesce(kinds.is_for_group, false) then roots.addressed_group_id end
        ) as group_id,
        case
            when all_fields.validity = 'invalid' then 'invalid_message'
            when all_fields.fault is not null then all_fields.fault
            when
                not coalesce(
                    array_contains(
                        case when all_fields.is_root then kinds.root_types else kinds.member_types end,
                        coalesce(all_fields.content_type, '')
                    ),
                    true
                )
                then 'type_not_allowed'
            when
                kinds.is_for_group
                and not all_fields.is_root
                and not coalesce(all_fields.addressed_group_id = group_roots.group_id, false)
                then 'not_for_the_group'
        end as reject_reason
    from all_fields
    left join kinds on all_fields.tangle_kind = kinds.tangle_kind
    left join group_roots on all_fields.root_id = group_roots.root_id
    left join roots on all_fields.root_id = roots.message_id

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
        validity = 'not_checked' as is_unverified
    from described_fields

)

select * from final
