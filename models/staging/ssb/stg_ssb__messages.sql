{{ config(
    materialized='incremental',
    unique_key='message_id',
    replaced_keys_from='stg_changes__sighted_messages'
) }}
{%- set columns = {
    'message_id': 'string', 'validity': 'string', 'has_claimed_id': 'boolean', 'received_ms': 'double'
} %}

with

lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}
    where reject_reason is null and {{ is_touched('message_id', 'stg_changes__sighted_messages') }}

),

log_feeds as (

    select * from {{ ref('stg_ssb__log_feeds') }}

),

published_messages as (

    select
        message_id,
        received_ms,
        {{ doubt('validity', 'has_claimed_id') }} as doubt
    from {{ base_of('stg_ssb__messages', columns) }}
    where {{ is_touched('message_id', 'stg_changes__sighted_messages') }}

),

-- Lines that are valid under one id are the same message, so they have the same signed members. An opened
-- line whose ciphertext is checked proves them as well as the ciphertext alone.
compared_lines as (

    select
        *,
        max(if(is_private and validity = 'valid', struct(feed_id, sequence), null))
            over (partition by message_id) as signed_place,
        max(if(is_private and validity = 'valid', previous_id, null))
            over (partition by message_id) as signed_previous_id,
        max(if(is_private and validity = 'valid', asserted_ms, null))
            over (partition by message_id) as signed_asserted_ms
    from lines

),

-- An opened message without its signed bytes is the same message as the one that another log has encrypted.
-- In any case the plaintext is only the word of a log (ruling R36).
judged_lines as (

    select
        *,
        is_decrypted
        and warning in ('ciphertext_not_in_log', 'content_signature_only', 'signed_bytes_not_in_log')
        and struct(feed_id, sequence) = signed_place as is_confirmed
    from compared_lines

),

-- It adds its plaintext. What was signed comes from the line that proves it.
confirmed_lines as (

    select
        * except (validity, warning, previous_id, asserted_ms),
        if(is_confirmed, 'valid', validity) as validity,
        if(is_confirmed, null, warning) as warning,
        if(is_confirmed, signed_previous_id, previous_id) as previous_id,
        if(is_confirmed, signed_asserted_ms, asserted_ms) as asserted_ms
    from judged_lines

),

doubted_lines as (

    select
        *,
        {{ doubt('validity', 'has_claimed_id') }} as doubt
    from confirmed_lines

),

ranked_lines as (

    select
        *,
        rank() over (partition by message_id order by doubt) as doubt_rank
    from doubted_lines

),

-- Anybody can write an opened message without its ciphertext, or one of a format that is not checked, as if
-- it were of a feed of their own, or at another place in its feed.
told_places as (

    select
        message_id,
        struct(feed_id, sequence, previous_id, asserted_ms) as told_place,
        count(distinct source_file) as log_count
    from lines
    where validity = 'not_checked'
    group by message_id, struct(feed_id, sequence, previous_id, asserted_ms)

),

ranked_places as (

    select
        *,
        rank() over (partition by message_id order by log_count desc) as place_rank
    from told_places

),

outvoted_places as (

    select * from ranked_places
    where place_rank > 1

),

best_lines as (

    select
        ranked_lines.*,
        outvoted_places.message_id is not null as is_outvoted,
        -- Nothing that an invalid line says counts, and anybody can write two under one id.
        log_feeds.feed_id is not null
        and outvoted_places.message_id is null
        and ranked_lines.validity != 'invalid' as is_of_author
    from ranked_lines
    left join log_feeds
        on
            ranked_lines.source_file = log_feeds.source_file
            and {{ feed_of_key('ranked_lines.feed_id') }} = log_feeds.feed_id
    left join outvoted_places
        on
            ranked_lines.message_id = outvoted_places.message_id
            and ranked_lines.validity = 'not_checked'
            and struct(
                ranked_lines.feed_id,
                ranked_lines.sequence,
                ranked_lines.previous_id,
                ranked_lines.asserted_ms
            ) is not distinct from outvoted_places.told_place
    where ranked_lines.doubt_rank = 1

),

plaintexts as (

    select
        message_id,
        plaintext_hash,
        bool_or(is_of_author) as is_of_author,
        count(distinct source_file) as log_count,
        min(source_file) as source_file
    from best_lines
    where plaintext_hash is not null and validity != 'invalid'
    group by message_id, plaintext_hash

),

ranked_plaintexts as (

    select
        *,
        rank() over (partition by message_id order by is_of_author desc, log_count desc) as plaintext_rank
    from plaintexts

),

-- If plaintexts differ, that of the author's own log counts, otherwise that of more logs, otherwise none
-- (ruling R36).
differing_messages as (

    select
        message_id,
        {{ only_first('plaintext_hash', 'plaintext_rank') }} as counting_hash,
        -- One of two names is that of another log. Each line of the message gets them, so there are no more.
        slice(sort_array(collect_set(source_file)), 1, 2) as source_files
    from ranked_plaintexts
    group by message_id
    having count(*) > 1

),

marked_lines as (

    select
        best_lines.*,
        differing_messages.source_files,
        differing_messages.message_id is not null as is_differing,
        differing_messages.message_id is null
        or best_lines.plaintext_hash is null
        or best_lines.plaintext_hash is not distinct from differing_messages.counting_hash as counts
    from best_lines
    left join differing_messages on best_lines.message_id = differing_messages.message_id

),

-- A message may be seen in several logs. A line that somebody could decrypt counts before the ciphertext
-- (ruling R2). Nobody has signed what is beside a plaintext, and anybody may write it: so a line that has
-- the second signature of an announcement counts before others, then one with the author, place and time
-- that most logs tell, and then one of the author's own log. The rest only makes the choice repeatable.
sightings as (

    select
        *,
        row_number() over (
            partition by message_id
            order by
                counts desc,
                is_decrypted desc,
                is_announcement_signed desc nulls last,
                is_outvoted asc,
                is_of_author desc,
                source_file asc,
                line_number asc
        ) as sighting_number,
        coalesce(
            min({{ plausible_ms('received_ms') }}) over (partition by message_id),
            min(received_ms) over (partition by message_id)
        ) as first_received_ms,
        -- It is proven, so any line with the plaintext that counts may tell it. Another plaintext can hide
        -- the key of the group: the key that opened the message then proves an id as ssb-tribes spells it.
        max(if(counts, made_group_id, null)) over (partition by message_id) as proven_group_id
    from marked_lines

),

final as (

    select
        sightings.message_id,
        sightings.feed_id,
        sightings.previous_id,
        sightings.feed_format,
        if(sightings.counts, sightings.content_type, null) as content_type,
        if(sightings.counts, sightings.content, null) as content,
        sightings.validity,
        sightings.invalid_reason,
        if(sightings.is_differing, 'plaintexts_differ', sightings.warning) as warning,
        if(sightings.counts, sightings.key_hash, null) as key_hash,
        sightings.source_file,
        -- One log may give several plaintexts.
        if(
            sightings.is_differing,
            coalesce(
                try_element_at(filter(sightings.source_files, name -> name != sightings.source_file), 1),
                sightings.source_file
            ),
            null
        ) as differing_source_file,
        sightings.sequence,
        sightings.line_number,
        sightings.is_private,
        sightings.is_decrypted and sightings.counts as is_decrypted,
        if(sightings.counts, sightings.is_announcement_signed, null) as is_announcement_signed,
        sightings.has_claimed_id,
        sightings.proven_group_id as made_group_id,
        sightings.asserted_ms,
        -- The group that a message is for is its first recipient, if that is a group.
        case
            when
                sightings.counts
                and (
                    sightings.content like '%"ssb:identity/group/%'
                    or sightings.content like '%"ssb:message/cloaked/%'
                )
                then
                    regexp_substr(
                        get_json_object(sightings.content, '$.recps[0]'),
                        '^ssb:(identity/group|message/cloaked)/.+'
                    )
        end as addressed_group_id,
        -- The earliest time stays, even if its log is gone (ruling R2), unless a lesser line told it.
        coalesce(
            least(
                {{ plausible_ms('sightings.first_received_ms') }},
                {{ plausible_ms('published_messages.received_ms') }}
            ),
            least(sightings.first_received_ms, published_messages.received_ms)
        ) as received_ms
    from sightings
    left join published_messages
        on
            sightings.message_id = published_messages.message_id
            and sightings.doubt >= published_messages.doubt
    where sightings.sighting_number = 1

)

select * from final
