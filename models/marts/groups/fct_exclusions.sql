with

changes as (

    select * from {{ ref('int_groups__member_changes') }}
    where change = 'exclude'

),

acts as (

    select * from {{ ref('int_groups__acts') }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

cutoffs as (

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

exclusions as (

    select
        changes.*,
        cutoffs.group_feed_id,
        cutoffs.cutoff_sequence,
        -- An exclusion may name a feed of another person.
        people.feed_id is not null and cutoffs.cutoff_sequence is not null as is_cut_off
    from changes
    left join
        cutoffs
        on changes.message_id = cutoffs.message_id and changes.person_id = cutoffs.excluded_id
    left join people on cutoffs.group_feed_id = people.feed_id and changes.person_id = people.person_id

),

cut_off_feeds as (

    select distinct
        group_feed_id,
        cutoff_sequence
    from exclusions
    where is_cut_off

),

-- Counted in one pass: whoever excludes a person a thousand times has their messages counted once.
marks as (

    select
        messages.feed_id,
        messages.sequence,
        1 as message_count,
        false as is_cutoff
    from messages
    left semi join cut_off_feeds on messages.feed_id = cut_off_feeds.group_feed_id
    where messages.validity != 'invalid'
    union all
    select
        group_feed_id as feed_id,
        cutoff_sequence as sequence,
        0 as message_count,
        true as is_cutoff
    from cut_off_feeds

),

counted_marks as (

    select
        *,
        sum(message_count) over (
            partition by feed_id
            order by sequence desc, is_cutoff desc
            rows between unbounded preceding and current row
        ) as later_message_count
    from marks

),

late_messages as (

    select
        feed_id,
        sequence as cutoff_sequence,
        later_message_count as late_message_count
    from counted_marks
    where is_cutoff

),

final as (

    select
        exclusions.message_id,
        exclusions.group_id,
        {{ group_name('exclusions.group_id', 'root_epochs.said_name') }} as group_name,
        exclusions.epoch_id,
        exclusions.person_id as excluded_id,
        {{ person_name('exclusions.person_id', 'names.name') }} as excluded_name,
        exclusions.author_id as excluded_by_id,
        {{ person_name('exclusions.author_id', 'excluders.name') }} as excluded_by_name,
        exclusions.group_feed_id,
        exclusions.cutoff_sequence,
        exclusions.following_epoch_id,
        case when exclusions.is_cut_off then late_messages.late_message_count end as late_message_count,
        exclusions.is_authorized,
        exclusions.counts,
        {{ timestamp_of('exclusions.asserted_ms') }} as excluded_at
    from exclusions
    left join
        late_messages
        on
            exclusions.group_feed_id = late_messages.feed_id
            and exclusions.cutoff_sequence = late_messages.cutoff_sequence
    left join root_epochs on exclusions.group_id = root_epochs.group_id
    left join names on exclusions.person_id = names.person_id
    left join names as excluders on exclusions.author_id = excluders.person_id

)

select * from final
