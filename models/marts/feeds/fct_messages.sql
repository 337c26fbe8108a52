{{ config(materialized='incremental', unique_key='feed_id', replaced_keys_from='int_changes__shown_feeds') }}

with

messages as (

    select * from {{ ref('int_feeds__messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

standings as (

    select * from {{ ref('int_feeds__standings') }}

),

explicit_epochs as (

    select * from {{ ref('int_groups__explicit_epochs') }}

),

epochs_of_keys as (

    select * from {{ ref('int_groups__epochs_of_keys') }}

),

epochs_of_only_groups as (

    select * from epochs_of_keys
    where is_only_group

),

-- Anybody can found a group and exclude anybody there, which says nothing of other groups.
earliest_cutoffs as (

    select * from {{ ref('int_groups__cutoffs') }}
    where is_earliest

),

final as (

    select
        messages.message_id,
        messages.feed_id,
        people.person_id,
        messages.previous_id,
        messages.addressed_group_id as group_id,
        coalesce(
            explicit_epochs.epoch_id, epochs_of_keys.epoch_id, epochs_of_only_groups.epoch_id
        ) as epoch_id,
        messages.content_type,
        messages.validity,
        messages.invalid_reason,
        messages.warning,
        standings.feed_fault,
        messages.source_file,
        messages.differing_source_file,
        messages.sequence,
        standings.feed_fault_sequence,
        messages.line_number,
        case
            when messages.validity = 'invalid' then false
            when messages.validity = 'not_checked' then null
            when standings.feed_fault in ('previous_not_in_log', 'previous_is_not_checked') then null
            else standings.feed_fault is null
        end as is_valid_in_feed,
        messages.is_private,
        messages.is_decrypted,
        -- Anybody can write an invalid message under the name of another person's feed.
        messages.validity != 'invalid'
        and coalesce(messages.sequence > earliest_cutoffs.cutoff_sequence, false) as is_past_cutoff,
        {{ timestamp_of('messages.asserted_ms') }} as asserted_at,
        {{ timestamp_of('messages.received_ms') }} as received_at
    from messages
    inner join people on messages.feed_id = people.feed_id
    left join standings on messages.message_id = standings.message_id
    left join explicit_epochs on messages.message_id = explicit_epochs.message_id
    left join epochs_of_keys
        on
            people.key_hash = epochs_of_keys.key_hash
            and messages.addressed_group_id = epochs_of_keys.group_id
    left join epochs_of_only_groups on people.key_hash = epochs_of_only_groups.key_hash
    left join earliest_cutoffs
        on
            messages.feed_id = earliest_cutoffs.feed_id
            and earliest_cutoffs.group_id
            = coalesce(messages.addressed_group_id, epochs_of_only_groups.group_id)

)

select * from final
