{{ config(
    materialized='incremental',
    unique_key='message_id',
    replaced_keys_from='stg_changes__sighted_messages'
) }}

with

landed_lines as (

    select * from {{ ref('stg_pzp__landed_lines') }}
    where
        validity in ('valid', 'not_checked')
        and {{ is_touched('message_id', 'stg_changes__sighted_messages') }}

),

compared_lines as (

    select
        *,
        max(is_private and validity = 'valid') over (partition by message_id) as has_ciphertext
    from landed_lines

),

-- An opened message without its ciphertext is the same message as the one that another line has encrypted:
-- its id is the hash of all that is around the data. It adds its plaintext, and no key: nobody checks who
-- signed it.
lines as (

    select * from compared_lines
    where validity = 'valid' or has_ciphertext

),

-- The id covers neither the key that signed nor the time. Anybody can sign what a device has signed before.
signed_messages as (

    select
        message_id,
        array_sort(collect_set(if(validity = 'valid', device_key, null))) as device_keys,
        coalesce(min({{ plausible_ms('received_ms') }}), min(received_ms)) as received_ms
    from lines
    group by message_id

),

plaintexts as (

    select
        message_id,
        plaintext_hash,
        count(distinct source_file) as log_count,
        min(source_file) as source_file
    from lines
    where plaintext_hash is not null
    group by message_id, plaintext_hash

),

ranked_plaintexts as (

    select
        *,
        rank() over (partition by message_id order by log_count desc) as plaintext_rank
    from plaintexts

),

-- A plaintext is only the word of a log. If plaintexts differ, that of more logs counts, otherwise none
-- (ruling R36). Nothing in a log of pzp proves whose log it is.
judged_plaintexts as (

    select
        message_id,
        {{ only_first('plaintext_hash', 'plaintext_rank') }} as counting_hash,
        if(
            count(*) > 1, array_join(array_sort(collect_set(source_file)), ', '), null
        ) as differing_source_files
    from ranked_plaintexts
    group by message_id

),

-- A message may be seen in several logs. A line with data counts before a line without, and a line with the
-- plaintext that counts before others. Anybody can make a line longer. The rest only makes the choice
-- repeatable.
sightings as (

    select
        lines.*,
        judged_plaintexts.message_id is not null and judged_plaintexts.counting_hash is null as is_undecided,
        row_number() over (
            partition by lines.message_id
            order by
                lines.is_erased asc,
                coalesce(lines.plaintext_hash = judged_plaintexts.counting_hash, false) desc,
                lines.line_bytes asc,
                lines.source_file asc,
                lines.line_number asc
        ) as sighting_number
    from lines
    left join judged_plaintexts on lines.message_id = judged_plaintexts.message_id

),

final as (

    select
        sightings.message_id,
        sightings.account_id,
        sightings.domain,
        sightings.previous_ids,
        sightings.account_tips,
        signed_messages.device_keys,
        judged_plaintexts.differing_source_files,
        sightings.depth,
        sightings.data_bytes,
        sightings.line_bytes,
        sightings.is_moot,
        sightings.is_account_message,
        sightings.is_private,
        sightings.is_erased,
        signed_messages.received_ms,
        case
            when sightings.domain like 'set!_v1!_!_%' escape '!' and not sightings.is_account_message
                then sightings.tangle_id
        end as set_id,
        if(sightings.is_undecided, null, sightings.added_key) as added_key,
        if(sightings.is_undecided, null, sightings.may_add) as may_add,
        if(sightings.is_undecided, null, sightings.may_remove) as may_remove,
        if(sightings.is_undecided, null, sightings.removed_key) as removed_key,
        if(sightings.is_undecided, null, sightings.added_items) as added_items,
        if(sightings.is_undecided, null, sightings.deleted_items) as deleted_items,
        if(sightings.is_undecided, null, sightings.superseded_ids) as superseded_ids,
        if(
            sightings.is_undecided and (sightings.added_items is not null or sightings.set_fault is not null),
            'plaintexts_differ',
            sightings.set_fault
        ) as set_fault
    from sightings
    inner join signed_messages on sightings.message_id = signed_messages.message_id
    left join judged_plaintexts on sightings.message_id = judged_plaintexts.message_id
    where sightings.sighting_number = 1

)

select * from final
