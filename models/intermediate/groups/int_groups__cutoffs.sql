{{ config(materialized='incremental', unique_key='group_id', replaced_keys_from='int_changes__groups') }}

with

changes as (

    select * from {{ ref('int_groups__member_changes') }}
    where change = 'exclude'

),

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

named_cutoffs as (

    select
        group_messages.message_id,
        items.named_feed_id,
        items.feed_id,
        items.sequence
    from group_messages,
        lateral inline(
            arrays_zip(
                group_messages.excluded_ids, group_messages.cutoff_feed_ids, group_messages.cutoff_sequences
            )
        ) as items (named_feed_id, feed_id, sequence)
    -- A feed without a sequence is cut off nowhere.
    where items.sequence is not null

),

-- A message may name a person by any of their feeds, and may name a feed of somebody else.
own_cutoffs as (

    select
        named_cutoffs.message_id,
        owners.person_id,
        named_cutoffs.feed_id,
        named_cutoffs.sequence
    from named_cutoffs
    inner join people as owners on named_cutoffs.feed_id = owners.feed_id
    inner join people
        on named_cutoffs.named_feed_id = people.feed_id and owners.person_id = people.person_id

),

cutoffs as (

    select
        changes.group_id,
        changes.message_id,
        changes.person_id as excluded_id,
        changes.counts,
        own_cutoffs.feed_id,
        min(own_cutoffs.sequence) as cutoff_sequence
    from changes
    inner join own_cutoffs
        on changes.message_id = own_cutoffs.message_id and changes.person_id = own_cutoffs.person_id
    group by changes.group_id, changes.message_id, changes.person_id, changes.counts, own_cutoffs.feed_id

),

final as (

    select
        group_id,
        message_id,
        excluded_id,
        feed_id,
        cutoff_sequence,
        counts
        and row_number() over (
            partition by group_id, feed_id, counts
            order by cutoff_sequence, message_id
        ) = 1 as is_earliest
    from cutoffs

)

select * from final
