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
        ) as excluded_ids,
        filter(
            excludes,
            item
            -> {{ is_feed_id('item.id') }}
            and {{ is_feed_id('item.groupfeedid') }}
            and item.sequence is not null
        ) as all_cutoffs,
        exists(recps, recipient -> recipient is distinct from recps[0]) as has_other_recipients
    from acts

),

-- A cut-off for each person (4.1.4.B): of several feeds that of the least id.
-- A message may exclude thousands, so they are sorted, and not looked for one by one.
sorted_excludes as (

    select
        *,
        array_sort(
            filter(
                transform(excludes, (item, place) -> struct(item.id as id, place as place)),
                item -> {{ is_feed_id('item.id') }}
            )
        ) as places,
        array_sort(
            transform(
                filter(excludes, item -> {{ is_feed_id('item.id') }}),
                item
                -> struct(
                    item.id as id,
                    not coalesce({{ is_feed_id('item.groupfeedid') }}, false) as is_without_cutoff,
                    item.sequence is null as is_without_sequence,
                    struct(item.groupfeedid as feed_id, item.sequence as sequence) as cutoff
                )
            )
        ) as cutoffs_by_id
    from acts_with_people

),

-- Both have each person once, in the same order.
first_excludes as (

    select
        * except (places, cutoffs_by_id),
        filter(places, (item, at) -> at = 0 or item.id != places[greatest(at - 1, 0)].id) as places,
        filter(
            cutoffs_by_id, (item, at) -> at = 0 or item.id != cutoffs_by_id[greatest(at - 1, 0)].id
        ) as least_cutoffs
    from sorted_excludes

),

acts_with_cutoffs as (

    select
        *,
        transform(
            array_sort(
                transform(
                    places,
                    (item, at)
                    -> struct(
                        item.place as place,
                        if(least_cutoffs[at].is_without_cutoff, null, least_cutoffs[at].cutoff) as cutoff
                    )
                )
            ),
            item -> item.cutoff
        ) as cutoffs
    from first_excludes

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
        has_other_recipients,
        case when content_type = 'group/init' then has_epoch_tangle end as has_epoch_tangle,
        case when content_type = 'group/init' then said_name end as said_name,
        case
            when not {{ is_token('try_element_at(recps, 1)') }} then nullif(try_element_at(recps, 1), '0')
        end as group_id,
        transform(all_cutoffs, cutoff -> cutoff.id) as all_cutoff_excluded_ids,
        transform(all_cutoffs, cutoff -> cutoff.groupfeedid) as all_cutoff_feed_ids,
        transform(all_cutoffs, cutoff -> cutoff.sequence) as all_cutoff_sequences,
        transform(cutoffs, cutoff -> cutoff.feed_id) as cutoff_feed_ids,
        transform(cutoffs, cutoff -> cutoff.sequence) as cutoff_sequences
    from acts_with_cutoffs

)

select * from final
