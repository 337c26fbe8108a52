{{ config(materialized='incremental', unique_key='message_id', replaced_keys_from='stg_changes__messages') }}

with

messages as (

    select * from {{ touched_rows(ref('stg_ssb__messages'), 'message_id', 'stg_changes__sighted_messages') }}
    -- All changed messages are among the computed ones, so only their contents are read.
    where
        content is not null
        and {{ is_touched('message_id', 'stg_changes__messages') }}

),

-- `message` goes along with every field, because joining the fields with their messages would cost more.
contents as (

    select
        message_id,
        content_type,
        struct(
            feed_id, content_type, addressed_group_id, validity, sequence, asserted_ms, received_ms
        ) as message,
        parse_json(content) as content
    from messages

),

thread_links as (

    select
        message_id,
        message,
        content_type,
        content,
        try_variant_get(content, '$.branch', 'variant') as branch,
        case
            when schema_of_variant(try_variant_get(content, '$.root', 'variant')) = 'STRING'
                then try_variant_get(content, '$.root', 'string')
        end as root_id,
        try_variant_get(content, '$.tangles.thread.root', 'string') as thread_root_id,
        schema_of_variant(try_variant_get(content, '$.tangles.thread.root', 'variant')) as thread_root_shape,
        schema_of_variant(
            try_variant_get(content, '$.tangles.thread.previous', 'variant')
        ) as thread_previous_shape
    from contents

),

-- Posts, votes and other messages of a thread are connected by `root` and `branch` (rulings R11 and R39). A
-- message with a tangle field of that kind says its thread there, if the root that it names can be read.
marked_contents as (

    select
        message_id,
        message,
        content,
        branch,
        root_id,
        coalesce(
            (content_type = 'post' or root_id like 'ssb:message/%')
            -- In a message about members, `root` is the first message of the group.
            and not coalesce(content_type like 'group/%', false)
            and root_id is not null
            and not coalesce(
                case thread_root_shape
                    when 'STRING' then thread_root_id != '' and not {{ is_token('thread_root_id') }}
                    when 'VOID' then thread_previous_shape = 'VOID'
                end,
                false
            ),
            false
        ) as is_thread_post
    from thread_links

),

-- `tangles` may hold anything. A field is any value under one of its names. A thread's field that is null
-- says nothing, nor does one in whose place `root` and `branch` count.
fields as (

    select
        contents.message_id,
        contents.message,
        tangles.key as tangle_kind,
        try_variant_get(tangles.value, '$.root', 'variant') as root,
        try_variant_get(tangles.value, '$.previous', 'variant') as previous,
        schema_of_variant(tangles.value) like 'OBJECT%' as is_object
    from marked_contents as contents,
        lateral variant_explode(try_variant_get(contents.content, '$.tangles', 'variant')) as tangles
    where
        tangles.key is not null
        and not (
            tangles.key = 'thread' and (contents.is_thread_post or schema_of_variant(tangles.value) = 'VOID')
        )

),

read_fields as (

    select
        message_id,
        message,
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
        message,
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

thread_fields as (

    select
        message_id,
        message,
        'thread' as tangle_kind,
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
    from marked_contents
    where is_thread_post

),

-- Groups before epochs (ruling R38): the first message of the group is also that of its only epoch.
first_messages as (

    select
        shaped_fields.message_id,
        shaped_fields.message,
        bool_or(shaped_fields.tangle_kind = 'members') as has_members_field
    from shaped_fields
    where shaped_fields.message.content_type = 'group/init'
    group by shaped_fields.message_id, shaped_fields.message
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
        message,
        explode(if(has_members_field, array('epoch'), array('epoch', 'members'))) as tangle_kind,
        null as previous_ids,
        null as root_id,
        null as fault
    from first_messages

),

all_fields as (

    select * from shaped_fields
    union all
    select * from epoch_fields
    union all
    select * from thread_fields

),

-- A message may be the root of several tangles (a group/init is the root of three), so the id of a tangle has
-- its kind and its root. The first colon ends the kind. A field without a root that can be read has a tangle
-- of its own.
final as (

    select
        all_fields.message_id,
        all_fields.message.feed_id,
        all_fields.tangle_kind,
        all_fields.root_id,
        all_fields.fault,
        all_fields.message.content_type,
        all_fields.message.addressed_group_id,
        all_fields.message.validity,
        all_fields.message.sequence,
        all_fields.message.asserted_ms,
        all_fields.message.received_ms,
        concat(
            replace(replace(all_fields.tangle_kind, '%', '%25'), ':', '%3A'),
            ':',
            coalesce(all_fields.root_id, all_fields.message_id)
        ) as tangle_id,
        case when all_fields.fault is null then array_distinct(all_fields.previous_ids) end as previous_ids
    from all_fields

)

select * from final
