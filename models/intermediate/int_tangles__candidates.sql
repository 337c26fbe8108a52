with

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}

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

-- A field whose root cannot be read stands in a tangle of its own.
fields as (

    select
        {{ tangle_id('tangle_kind', 'coalesce(root_id, message_id)') }} as tangle_id,
        message_id,
        tangle_kind,
        coalesce(root_id, message_id) as root_id,
        previous_ids,
        root_id is null and fault is null as is_root,
        fault
    from tangle_fields

),

touched_fields as (

    select * from fields
    where {{ is_touched('tangle_id', 'int_refresh__tangles') }}

),

-- The root of a thread need not know that it is one.
implicit_roots as (

    select distinct
        touched_fields.tangle_id,
        touched_fields.root_id as message_id,
        touched_fields.tangle_kind,
        touched_fields.root_id,
        cast(null as array<string>) as previous_ids,
        true as is_root,
        cast(null as string) as fault
    from touched_fields
    inner join kinds on touched_fields.tangle_kind = kinds.tangle_kind and kinds.is_root_implicit
    inner join messages on touched_fields.root_id = messages.message_id
    left anti join touched_fields as own_fields
        on
            touched_fields.tangle_id = own_fields.tangle_id
            and touched_fields.root_id = own_fields.message_id

),

all_fields as (

    select * from touched_fields
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
        messages.feed_id,
        messages.sequence,
        messages.validity,
        all_fields.is_root,
        all_fields.previous_ids,
        coalesce(
            group_roots.group_id,
            -- Anybody can begin a tangle of epochs in the name of a group: it has only the one of its root.
            case when not coalesce(kinds.is_for_group, false) then roots.addressed_group_id end
        ) as group_id,
        case
            when messages.validity = 'invalid' then 'invalid_message'
            when all_fields.fault is not null then all_fields.fault
            when
                not coalesce(
                    array_contains(
                        case when all_fields.is_root then kinds.root_types else kinds.member_types end,
                        coalesce(messages.content_type, '')
                    ),
                    true
                )
                then 'type_not_allowed'
            when
                kinds.is_for_group
                and not all_fields.is_root
                and not coalesce(messages.addressed_group_id = group_roots.group_id, false)
                then 'not_for_the_group'
        end as reject_reason
    from all_fields
    inner join messages on all_fields.message_id = messages.message_id
    left join kinds on all_fields.tangle_kind = kinds.tangle_kind
    left join group_roots on all_fields.root_id = group_roots.root_id
    left join messages as roots on all_fields.root_id = roots.message_id

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
        reject_reason,
        sequence,
        is_root,
        validity = 'not_checked' as is_unverified
    from described_fields

)

select * from final
