with

timelines as (

    select * from {{ ref('int_groups__timelines') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

group_messages as (

    select * from {{ ref('int_groups__acts') }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

judged as (

    select * from {{ ref('int_groups__judged') }}

),

exclusions as (

    select * from {{ ref('fct_exclusions') }}
    where counts and late_message_count is not null

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

-- The ends of the feeds of excluded people (4.1.4.B).
cutoffs as (

    select
        group_id,
        group_feed_id,
        min(cutoff_sequence) as cutoff_sequence
    from exclusions
    group by group_id, group_feed_id

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
        coalesce(messages.sequence > cutoffs.cutoff_sequence, false) as is_past_cutoff,
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
            when 'group/add-member' then group_messages.recipient_ids
            when 'group/exclude-member' then group_messages.excluded_ids
        end as subject_ids
    from timelines
    inner join people on timelines.feed_id = people.feed_id
    inner join messages on timelines.message_id = messages.message_id
    left join group_messages on timelines.message_id = group_messages.message_id
    left join
        judged
        on timelines.message_id = judged.message_id and timelines.group_id = judged.group_id
    left join
        cutoffs
        on timelines.group_id = cutoffs.group_id and timelines.feed_id = cutoffs.group_feed_id

),

acts_on_people as (

    select
        * except (subject_ids),
        explode_outer(subject_ids) as subject_id
    from actions

),

final as (

    select
        acts_on_people.group_id,
        {{ group_name('acts_on_people.group_id', 'root_epochs.said_name') }} as group_name,
        acts_on_people.message_id,
        acts_on_people.action,
        acts_on_people.content_type,
        acts_on_people.actor_id,
        {{ person_name('acts_on_people.actor_id', 'names.name') }} as actor_name,
        acts_on_people.subject_id,
        {{ person_name('acts_on_people.subject_id', 'subjects.name') }} as subject_name,
        acts_on_people.epoch_id,
        acts_on_people.position,
        acts_on_people.is_authorized,
        acts_on_people.is_past_cutoff,
        {{ timestamp_of('acts_on_people.asserted_ms') }} as asserted_at
    from acts_on_people
    left join root_epochs on acts_on_people.group_id = root_epochs.group_id
    left join names on acts_on_people.actor_id = names.person_id
    left join names as subjects on acts_on_people.subject_id = subjects.person_id

)

select * from final
