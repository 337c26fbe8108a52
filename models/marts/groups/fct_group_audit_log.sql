with

timelines as (

    select * from {{ ref('int_groups__timelines') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

acts as (

    select * from {{ ref('int_groups__acts') }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

judged as (

    select * from {{ ref('int_groups__judged') }}

),

epochs_of_only_groups as (

    select * from {{ ref('int_groups__epochs_of_keys') }}
    where is_only_group

),

earliest_cutoffs as (

    select * from {{ touched_rows(ref('int_groups__cutoffs'), 'group_id', 'int_changes__groups') }}
    where is_earliest

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

actions as (

    select
        timelines.group_id,
        timelines.position,
        timelines.message_id,
        timelines.content_type,
        timelines.asserted_ms,
        people.person_id as actor_id,
        judged.is_authorized,
        coalesce(messages.sequence > earliest_cutoffs.cutoff_sequence, false) as is_past_cutoff,
        case timelines.content_type
            when 'group/init' then 'init'
            when 'group/add-member' then 'add'
            when 'group/exclude-member' then 'exclude'
            else 'post'
        end as action,
        case
            when timelines.content_type = 'group/init' then timelines.message_id
            else timelines.epoch_id
        end as epoch_id,
        case timelines.content_type
            when 'group/add-member' then acts.recipient_ids
            when 'group/exclude-member' then acts.excluded_ids
        end as subject_ids
    from timelines
    inner join people on timelines.feed_id = people.feed_id
    inner join messages on timelines.message_id = messages.message_id
    left join acts on timelines.message_id = acts.message_id
    left join
        judged
        on timelines.message_id = judged.message_id and timelines.group_id = judged.group_id
    left join epochs_of_only_groups on people.key_hash = epochs_of_only_groups.key_hash
    -- The group of a message as in fct_messages: a first message is addressed to nobody.
    left join
        earliest_cutoffs
        on
            timelines.group_id = earliest_cutoffs.group_id
            and timelines.feed_id = earliest_cutoffs.feed_id
            and timelines.group_id = coalesce(messages.addressed_group_id, epochs_of_only_groups.group_id)

),

actions_by_subject as (

    select
        * except (subject_ids),
        explode_outer(subject_ids) as subject_id
    from actions

),

final as (

    select
        actions_by_subject.group_id,
        {{ group_name('actions_by_subject.group_id', 'root_epochs.said_name') }} as group_name,
        actions_by_subject.message_id,
        actions_by_subject.action,
        actions_by_subject.content_type,
        actions_by_subject.actor_id,
        {{ person_name('actions_by_subject.actor_id', 'names.name') }} as actor_name,
        actions_by_subject.subject_id,
        {{ person_name('actions_by_subject.subject_id', 'subjects.name') }} as subject_name,
        actions_by_subject.epoch_id,
        actions_by_subject.position,
        actions_by_subject.is_authorized,
        actions_by_subject.is_past_cutoff,
        {{ timestamp_of('actions_by_subject.asserted_ms') }} as asserted_at
    from actions_by_subject
    left join root_epochs on actions_by_subject.group_id = root_epochs.group_id
    left join names on actions_by_subject.actor_id = names.person_id
    left join names as subjects on actions_by_subject.subject_id = subjects.person_id

)

select * from final
