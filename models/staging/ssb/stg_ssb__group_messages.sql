{{ config(materialized='incremental', unique_key='message_id', replaced_keys_from='stg_changes__messages') }}

with

messages as (

    select * from {{ touched_rows(ref('stg_ssb__messages'), 'message_id', 'stg_changes__sighted_messages') }}
    -- All changed messages are among the computed ones, so only their contents are read.
    where
        content is not null
        and validity != 'invalid'
        -- Without the signed bytes nobody can tell who wrote it, so what it says of others does not count.
        and coalesce(warning, '') not in (
            'ciphertext_not_in_log', 'signed_bytes_not_in_log', 'members_reordered', 'ids_respelled'
        )
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
        get_json_object(content, '$.root') as root_id,
        get_json_object(content, '$.name') as said_name,
        get_json_object(content, '$.tangles.epoch') is not null as has_epoch_tangle,
        from_json(get_json_object(content, '$.recps'), 'array<string>') as recps,
        from_json(
            get_json_object(content, '$.excludes'),
            'array<struct<id string, groupFeedId string, sequence bigint>>'
        ) as excludes
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
        array_distinct(
            filter(
                transform(excludes, item -> item.id),
                feed_id -> {{ is_feed_id('feed_id') }}
            )
        ) as excluded_ids
    from acts

),

-- The place where each exclusion cuts a feed off (4.1.4.B). Of several feeds of a person the least id counts.
acts_with_cutoffs as (

    select
        *,
        transform(
            excluded_ids,
            excluded_id -> array_min(
                transform(
                    filter(
                        excludes,
                        item
                        -> item.id = excluded_id
                        and item.groupfeedid != '0'
                        and not {{ is_token('item.groupfeedid') }}
                    ),
                    item -> struct(item.groupfeedid as feed_id, item.sequence as sequence)
                )
            )
        ) as cutoffs
    from acts_with_people

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
        recipient_ids,
        excluded_ids,
        case when content_type = 'group/init' then has_epoch_tangle end as has_epoch_tangle,
        case when content_type = 'group/init' then said_name end as said_name,
        case
            when not {{ is_token('try_element_at(recps, 1)') }} then nullif(try_element_at(recps, 1), '0')
        end as group_id,
        transform(cutoffs, cutoff -> cutoff.feed_id) as cutoff_feed_ids,
        transform(cutoffs, cutoff -> cutoff.sequence) as cutoff_sequences
    from acts_with_cutoffs

)

select * from final
