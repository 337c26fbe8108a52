with

epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where {{ is_touched('group_id', 'int_changes__groups') }}

),

judged_epochs as (

    select * from {{ ref('int_groups__judged_epochs') }}

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

messages as (

    select * from {{ ref('int_groups__messages') }}
    where timeline_previous_ids is not null

),

forks as (

    select * from {{ ref('int_groups__forks') }}
    where is_current

),

repairs as (

    select * from {{ ref('int_groups__repairs') }}

),

preferences as (

    select * from {{ ref('int_groups__preferences') }}
    where person_id is null

),

periods as (

    select * from {{ ref('int_groups__membership_periods') }}
    where to_position is null and not is_excluded

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

groups as (

    select
        epochs.group_id,
        max(case when epochs.is_root then epochs.epoch_id end) as root_id,
        max(case when epochs.is_root then epochs.creator_id end) as founder_id,
        max(case when epochs.is_root then epochs.asserted_ms end) as created_ms,
        max(case when epochs.is_root then epochs.said_name end) as said_name,
        -- Epochs of outsiders say nothing of the software that the group uses.
        if(
            count_if(judged_epochs.is_authorized is distinct from false) = 1
            and not bool_or(epochs.has_epoch_tangle and judged_epochs.is_authorized is distinct from false),
            'before_epochs',
            'epochs'
        ) as protocol,
        count(*) as epoch_count,
        count_if(judged_epochs.is_tip) as tip_count
    from epochs
    inner join judged_epochs on epochs.epoch_id = judged_epochs.epoch_id
    group by epochs.group_id

),

people as (

    select
        group_id,
        count(distinct person_id) as person_count
    from changes
    where change = 'add' and counts
    group by group_id

),

current_people as (

    select
        group_id,
        count(distinct person_id) as person_count
    from periods
    group by group_id

),

timelines as (

    select
        group_id,
        count(*) as message_count,
        max(time_ms) as last_message_ms
    from messages
    group by group_id

),

fork_counts as (

    select
        group_id,
        count(*) as fork_count
    from forks
    group by group_id

),

repair_counts as (

    select
        group_id,
        count(*) as repair_count
    from repairs
    group by group_id

),

final as (

    select
        groups.group_id,
        {{ short_id('groups.group_id') }} as short_id,
        {{ group_name('groups.group_id', 'groups.said_name') }} as name, -- noqa: RF04
        groups.protocol,
        groups.root_id,
        groups.founder_id,
        {{ person_name('groups.founder_id', 'names.name') }} as founder_name,
        preferences.epoch_id as preferred_epoch_id,
        groups.epoch_count,
        groups.tip_count,
        groups.tip_count > 1 as is_forked,
        coalesce(fork_counts.fork_count, 0) as fork_count,
        coalesce(repair_counts.repair_count, 0) as repair_count,
        coalesce(people.person_count, 0) as person_count,
        case
            when preferences.epoch_id is null then null
            when groups.protocol = 'before_epochs' then cast(coalesce(current_people.person_count, 0) as int)
            else size(preferred_epochs.member_ids)
        end as current_member_count,
        coalesce(timelines.message_count, 0) as message_count,
        {{ timestamp_of('groups.created_ms') }} as created_at,
        {{ timestamp_of('timelines.last_message_ms') }} as last_message_at
    from groups
    left join names on groups.founder_id = names.person_id
    left join people on groups.group_id = people.group_id
    left join current_people on groups.group_id = current_people.group_id
    left join preferences on groups.group_id = preferences.group_id
    left join judged_epochs as preferred_epochs on preferences.epoch_id = preferred_epochs.epoch_id
    left join timelines on groups.group_id = timelines.group_id
    left join fork_counts on groups.group_id = fork_counts.group_id
    left join repair_counts on groups.group_id = repair_counts.group_id

)

select * from final
