{{ config(materialized='incremental', unique_key='message_id', replaced_keys_from='stg_changes__messages') }}

with

messages as (

    select * from {{ touched_rows(ref('stg_ssb__messages'), 'message_id', 'stg_changes__sighted_messages') }}
    -- All changed messages are among the computed ones, so only their contents are read.
    where
        content is not null
        -- Nobody can tell who wrote a message that is not checked, so what it says of others does not count.
        and validity = 'valid'
        and {{ is_touched('message_id', 'stg_changes__messages') }}

),

acts as (

    select
        message_id,
        feed_id,
        content_type,
        key_hash,
        made_group_id,
        asserted_ms,
        from_json(get_json_object(content, '$.recps'), 'array<string>') as recps,
        case when content_type = 'group/init' then get_json_object(content, '$.name') end as said_name,
        case
            when content_type = 'group/init' then get_json_object(content, '$.tangles.epoch') is not null
        end as has_epoch_tangle,
        case when content_type = 'group/add-member' then get_json_object(content, '$.root') end as root_id,
        -- A message of another type excludes nobody, whatever it lists there.
        case
            when content_type = 'group/exclude-member'
                then from_json(
                    get_json_object(content, '$.excludes'),
                    'array<struct<id string, groupFeedId string, sequence bigint>>'
                )
        end as excludes
    from messages
    where content_type in ('group/init', 'group/add-member', 'group/exclude-member')

),

-- Other recipients are not people: a group, a message, or what is no id (0 or a token is in its place).
acts_with_people as (

    select
        *,
        array_distinct(
            filter(
                slice(recps, 2, greatest(size(recps), 1)),
                feed_id -> {{ is_feed_id('feed_id') }}
            )
        ) as recipient_ids,
        filter(excludes, item -> {{ is_feed_id('item.id') }}) as excludes_of_people,
        exists(recps, recipient -> recipient is distinct from recps[0]) as has_other_recipients
    from acts

),

final as (

    select
        message_id,
        feed_id,
        content_type,
        key_hash,
        made_group_id,
        asserted_ms,
        root_id,
        has_epoch_tangle,
        said_name,
        recipient_ids,
        has_other_recipients,
        case
            when not {{ is_token('try_element_at(recps, 1)') }} then nullif(try_element_at(recps, 1), '0')
        end as group_id,
        transform(excludes_of_people, item -> item.id) as excluded_ids,
        transform(
            excludes_of_people, item -> if({{ is_feed_id('item.groupfeedid') }}, item.groupfeedid, null)
        ) as cutoff_feed_ids,
        transform(excludes_of_people, item -> item.sequence) as cutoff_sequences
    from acts_with_people

)

select * from final
