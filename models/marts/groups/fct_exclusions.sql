with

changes as (

    select * from {{ ref('int_groups__member_changes') }}
    where change = 'exclude'

),

acts as (

    select * from {{ ref('int_groups__acts') }}

),

cutoffs as (

    select * from {{ touched_rows(ref('int_groups__cutoffs'), 'group_id', 'int_changes__groups') }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

epochs_of_only_groups as (

    select * from {{ ref('int_groups__epochs_of_keys') }}
    where is_only_group

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

-- The cut-off that each row shows. An exclusion may name a feed of another person.
shown_cutoffs as (

    select
        acts.message_id,
        items.excluded_id,
        items.group_feed_id,
        items.cutoff_sequence
    from acts,
        lateral inline(
            arrays_zip(acts.excluded_ids, acts.cutoff_feed_ids, acts.cutoff_sequences)
        ) as items (excluded_id, group_feed_id, cutoff_sequence)

),

cut_off_feeds as (

    select distinct
        group_id,
        feed_id,
        cutoff_sequence
    from cutoffs

),

-- Counted in one pass: whoever excludes a person a thousand times has their messages counted once.
marks as (

    select
        coalesce(messages.addressed_group_id, epochs_of_only_groups.group_id) as group_id,
        messages.feed_id,
        messages.sequence,
        1 as message_count,
        false as is_cutoff
    from messages
    left semi join cut_off_feeds on messages.feed_id = cut_off_feeds.feed_id
    inner join people on messages.feed_id = people.feed_id
    left join epochs_of_only_groups on people.key_hash = epochs_of_only_groups.key_hash
    -- Anybody can write the others under somebody's name.
    where {{ counts_as_signed('messages.validity', 'messages.feed_format', 'messages.message_id') }}
    union all
    select
        group_id,
        feed_id,
        cutoff_sequence as sequence,
        0 as message_count,
        true as is_cutoff
    from cut_off_feeds

),

counted_marks as (

    select
        *,
        sum(message_count) over (
            partition by group_id, feed_id
            order by sequence desc, is_cutoff desc
            rows between unbounded preceding and current row
        ) as later_message_count
    from marks

),

late_messages as (

    select
        cutoffs.group_id,
        cutoffs.message_id,
        cutoffs.excluded_id,
        sum(counted_marks.later_message_count) as late_message_count
    from cutoffs
    inner join counted_marks
        on
            cutoffs.group_id = counted_marks.group_id
            and cutoffs.feed_id = counted_marks.feed_id
            and cutoffs.cutoff_sequence = counted_marks.sequence
    where counted_marks.is_cutoff
    group by cutoffs.group_id, cutoffs.message_id, cutoffs.excluded_id

),

final as (

    select
        changes.message_id,
        changes.group_id,
        {{ group_name('changes.group_id', 'root_epochs.said_name') }} as group_name,
        changes.epoch_id,
        changes.person_id as excluded_id,
        {{ person_name('changes.person_id', 'names.name') }} as excluded_name,
        changes.author_id as excluded_by_id,
        {{ person_name('changes.author_id', 'excluders.name') }} as excluded_by_name,
        shown_cutoffs.group_feed_id,
        shown_cutoffs.cutoff_sequence,
        changes.following_epoch_id,
        late_messages.late_message_count,
        changes.is_authorized,
        changes.counts,
        {{ timestamp_of('changes.asserted_ms') }} as excluded_at
    from changes
    left join
        shown_cutoffs
        on changes.message_id = shown_cutoffs.message_id and changes.person_id = shown_cutoffs.excluded_id
    left join
        late_messages
        on
            changes.message_id = late_messages.message_id
            and changes.group_id = late_messages.group_id
            and changes.person_id = late_messages.excluded_id
    left join root_epochs on changes.group_id = root_epochs.group_id
    left join names on changes.person_id = names.person_id
    left join names as excluders on changes.author_id = excluders.person_id

)

select * from final
