{{ config(materialized='incremental', unique_key='message_id', replaced_keys_from='stg_changes__messages') }}

with

messages as (

    select * from {{ touched_rows(ref('stg_ssb__messages'), 'message_id', 'stg_changes__sighted_messages') }}
    -- All changed messages are among the computed ones, so only their contents are read.
    where
        content is not null
        and {{ is_touched('message_id', 'stg_changes__messages') }}

),

contents as (

    select
        message_id,
        content_type,
        parse_json(content) as content
    from messages

),

-- `tangles` may hold anything. A field is any value under one of its names. A thread's field that is null
-- says nothing: the root of a thread need not know that it is one, and answers may have `root` and `branch`.
fields as (

    select
        contents.message_id,
        tangles.key as tangle_kind,
        try_variant_get(tangles.value, '$.root', 'variant') as root,
        try_variant_get(tangles.value, '$.previous', 'variant') as previous,
        schema_of_variant(tangles.value) like 'OBJECT%' as is_object
    from contents,
        lateral variant_explode(try_variant_get(contents.content, '$.tangles', 'variant')) as tangles
    where
        tangles.key is not null
        and not (tangles.key = 'thread' and schema_of_variant(tangles.value) = 'VOID')

),

read_fields as (

    select
        message_id,
        tangle_kind,
        is_object,
        cast(root as string) as root_id,
        schema_of_variant(root) as root_shape,
        schema_of_variant(previous) as previous_shape,
        try_cast(previous as array<string>) as previous_ids
    from fields

),

shaped_fields as (

    select
        message_id,
        tangle_kind,
        previous_ids,
        case when root_shape = 'STRING' then root_id end as root_id,
        case
            when not is_object then 'field_is_no_object'
            when coalesce(root_shape, '') not in ('VOID', 'STRING') then 'root_is_no_id'
            when root_shape = 'VOID' and coalesce(previous_shape, '') != 'VOID' then 'root_has_previous'
            when
                root_shape = 'STRING' and coalesce(previous_shape, '') not in ('ARRAY<STRING>', 'ARRAY<VOID>')
                then 'previous_is_no_list_of_ids'
            when exists(previous_ids, previous_id -> previous_id is null) then 'previous_is_no_list_of_ids'
        end as fault
    from read_fields

),

-- A message with a tangle field of that kind says its thread there, if the root that it names can be read.
readable_thread_fields as (

    select message_id from shaped_fields
    where
        tangle_kind = 'thread'
        and case
            when root_id is null then fault is null
            else root_id != '' and not {{ is_token('root_id') }}
        end

),

-- Posts, votes and other messages of a thread are connected by `root` and `branch` (rulings R11 and R39).
thread_posts as (

    select
        contents.message_id,
        'thread' as tangle_kind,
        try_variant_get(contents.content, '$.root', 'string') as root_id,
        try_variant_get(contents.content, '$.branch', 'variant') as branch
    from contents
    left anti join readable_thread_fields on contents.message_id = readable_thread_fields.message_id
    where
        -- In a message about members, `root` is the first message of the group.
        not coalesce(contents.content_type like 'group/%', false)
        and schema_of_variant(try_variant_get(contents.content, '$.root', 'variant')) = 'STRING'
        and (
            contents.content_type = 'post'
            or try_variant_get(contents.content, '$.root', 'string') like 'ssb:message/%'
        )

),

thread_fields as (

    select
        message_id,
        tangle_kind,
        case
            when schema_of_variant(branch) = 'STRING' then array(cast(branch as string))
            else try_cast(branch as array<string>)
        end as previous_ids,
        root_id,
        case
            when
                coalesce(schema_of_variant(branch), '') not in ('STRING', 'ARRAY<STRING>', 'ARRAY<VOID>')
                or exists(try_cast(branch as array<string>), previous_id -> previous_id is null)
                then 'previous_is_no_list_of_ids'
        end as fault
    from thread_posts

),

-- Groups before epochs (ruling R38): the first message of the group is also that of its only epoch.
first_messages as (

    select
        shaped_fields.message_id,
        bool_or(shaped_fields.tangle_kind = 'members') as has_members_field
    from shaped_fields
    inner join contents on shaped_fields.message_id = contents.message_id
    where contents.content_type = 'group/init'
    group by shaped_fields.message_id
    having
        bool_or(
            shaped_fields.tangle_kind = 'group'
            and shaped_fields.root_id is null
            and shaped_fields.fault is null
        )
        and not bool_or(shaped_fields.tangle_kind = 'epoch')

),

epoch_fields as (

    select
        message_id,
        explode(if(has_members_field, array('epoch'), array('epoch', 'members'))) as tangle_kind,
        cast(null as array<string>) as previous_ids,
        cast(null as string) as root_id,
        cast(null as string) as fault
    from first_messages

),

-- In their place, a field that names no root says nothing.
tangle_fields as (

    select shaped_fields.* from shaped_fields
    left anti join thread_posts
        on
            shaped_fields.message_id = thread_posts.message_id
            and shaped_fields.tangle_kind = thread_posts.tangle_kind

),

all_fields as (

    select * from tangle_fields
    union all
    select * from epoch_fields
    union all
    select * from thread_fields

),

final as (

    select
        all_fields.message_id,
        messages.feed_id,
        all_fields.tangle_kind,
        all_fields.root_id,
        all_fields.fault,
        messages.content_type,
        messages.addressed_group_id,
        messages.validity,
        messages.sequence,
        messages.asserted_ms,
        messages.received_ms,
        case when all_fields.fault is null then array_distinct(all_fields.previous_ids) end as previous_ids
    from all_fields
    inner join messages on all_fields.message_id = messages.message_id

)

select * from final
