with

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

corrections as (

    select * from {{ ref('int_groups__correct_members') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

-- The first act of each kind on a person. Acts that count come before others, those of members before those
-- of somebody of whom the log cannot tell, who may say any time, and those without a time last.
numbered_changes as (

    select
        epoch_id,
        group_id,
        person_id,
        author_id,
        change,
        counts,
        asserted_ms,
        row_number() over (
            partition by epoch_id, person_id, change
            order by
                counts desc,
                is_authorized desc nulls last,
                {{ timestamp_of('asserted_ms') }} asc nulls last,
                message_id asc
        ) as change_number
    from changes

),

first_changes as (

    select * from numbered_changes
    where change_number = 1

),

additions as (

    select * from first_changes
    where change = 'add' and counts

),

exclusions as (

    select * from first_changes
    where change = 'exclude' and counts

),

acts_of_outsiders as (

    select
        epoch_id,
        person_id,
        bool_or(change = 'add') as is_added_by_outsider,
        bool_or(change = 'exclude') as is_excluded_by_outsider
    from changes
    where not counts
    group by epoch_id, person_id

),

-- In the order of the periods in int_groups__membership_periods. Any log can claim to have received a message
-- earlier, so the time that its author has signed decides.
last_changes as (

    select
        epoch_id,
        person_id,
        max_by(
            change,
            struct(position, causal_rank, asserted_ms is null, coalesce(asserted_ms, 0), change = 'exclude')
        ) = 'exclude' as is_exclusion
    from changes
    where counts
    group by epoch_id, person_id

),

-- People added to the epoch by somebody who knew of their exclusion.
readditions as (

    select distinct
        epoch_id,
        person_id
    from changes
    where change = 'add' and counts and is_readded

),

people as (

    select
        epoch_id,
        group_id,
        person_id
    from first_changes
    union
    select
        epoch_id,
        group_id,
        person_id
    from corrections

),

final as (

    select
        people.epoch_id,
        people.group_id,
        {{ group_name('people.group_id', 'root_epochs.said_name') }} as group_name,
        people.person_id,
        {{ person_name('people.person_id', 'names.name') }} as person_name,
        additions.author_id as added_by_id,
        {{ person_name('additions.author_id', 'adders.name') }} as added_by_name,
        exclusions.author_id as excluded_by_id,
        {{ person_name('exclusions.author_id', 'excluders.name') }} as excluded_by_name,
        additions.person_id is not null as is_declared,
        exclusions.person_id is not null as is_excluded,
        coalesce(last_changes.is_exclusion, false) as is_still_excluded,
        corrections.person_id is not null as is_correct,
        corrections.person_id is not null and additions.person_id is null as is_missing,
        corrections.person_id is null and additions.person_id is not null as is_extra,
        readditions.person_id is not null as is_readded,
        coalesce(acts_of_outsiders.is_added_by_outsider, false) as is_added_by_outsider,
        coalesce(acts_of_outsiders.is_excluded_by_outsider, false) as is_excluded_by_outsider,
        {{ timestamp_of('additions.asserted_ms') }} as added_at,
        {{ timestamp_of('exclusions.asserted_ms') }} as excluded_at
    from people
    left join additions on people.epoch_id = additions.epoch_id and people.person_id = additions.person_id
    left join exclusions on people.epoch_id = exclusions.epoch_id and people.person_id = exclusions.person_id
    left join
        last_changes
        on people.epoch_id = last_changes.epoch_id and people.person_id = last_changes.person_id
    left join
        corrections
        on people.epoch_id = corrections.epoch_id and people.person_id = corrections.person_id
    left join
        readditions
        on people.epoch_id = readditions.epoch_id and people.person_id = readditions.person_id
    left join
        acts_of_outsiders
        on people.epoch_id = acts_of_outsiders.epoch_id and people.person_id = acts_of_outsiders.person_id
    left join root_epochs on people.group_id = root_epochs.group_id
    left join names on people.person_id = names.person_id
    left join names as adders on additions.author_id = adders.person_id
    left join names as excluders on exclusions.author_id = excluders.person_id

)

select * from final
