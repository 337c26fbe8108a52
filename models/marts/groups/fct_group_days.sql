-- What happened in a group, by the days of its messages in UTC. A message without a time is on no day.
with

messages as (

    select * from {{ ref('int_groups__messages') }}
    where time_ms is not null

),

epochs as (

    select * from {{ ref('int_groups__epoch_members') }}
    where counts

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}
    where change = 'exclude' and counts

),

forks as (

    select * from {{ ref('int_groups__forks') }}

),

repairs as (

    select * from {{ touched_rows(ref('fct_epoch_repairs'), 'group_id', 'int_changes__groups') }}

),

gaps as (

    select * from {{ ref('fct_tangle_gaps') }}

),

periods as (

    select * from {{ ref('int_groups__membership_periods') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

written as (

    select
        group_id,
        kind,
        author_id,
        timeline_previous_ids is not null as is_in_timeline,
        to_date({{ timestamp_of('time_ms') }}) as day
    from messages

),

days_of_messages as (

    select
        group_id,
        day,
        count_if(is_in_timeline) as message_count,
        count_if(is_in_timeline and kind = 'other') as post_count,
        count(distinct author_id) as author_count
    from written
    group by group_id, day

),

-- A period without a time begins when the period before it begins, or else with the group.
first_days as (

    select
        group_id,
        min(time_ms) as first_ms
    from messages
    group by group_id

),

timed_periods as (

    select
        periods.group_id,
        periods.person_id,
        periods.from_position,
        periods.is_excluded,
        coalesce(
            last_value(periods.from_ms, true) over (
                partition by periods.group_id, periods.person_id
                order by periods.from_position
                rows between unbounded preceding and current row
            ),
            first_days.first_ms
        ) as from_ms
    from periods
    inner join first_days on periods.group_id = first_days.group_id

),

following_periods as (

    select
        group_id,
        is_excluded,
        from_ms,
        lead(from_ms) over (partition by group_id, person_id order by from_position) as to_ms
    from timed_periods

),

events as (

    select
        group_id,
        from_ms as time_ms,
        1 as member_change,
        0 as epoch_count,
        0 as exclusion_count,
        0 as fork_count
    from following_periods
    where not is_excluded
    union all
    select
        group_id,
        to_ms as time_ms,
        -1 as member_change,
        0 as epoch_count,
        0 as exclusion_count,
        0 as fork_count
    from following_periods
    where not is_excluded and to_ms is not null
    union all
    select
        group_id,
        time_ms,
        0 as member_change,
        1 as epoch_count,
        0 as exclusion_count,
        0 as fork_count
    from epochs
    union all
    select
        group_id,
        time_ms,
        0 as member_change,
        0 as epoch_count,
        1 as exclusion_count,
        0 as fork_count
    from changes
    union all
    select
        group_id,
        began_ms as time_ms,
        0 as member_change,
        0 as epoch_count,
        0 as exclusion_count,
        1 as fork_count
    from forks

),

days_of_events as (

    select
        group_id,
        to_date({{ timestamp_of('time_ms') }}) as day,
        sum(member_change) as member_change,
        sum(epoch_count) as epoch_count,
        sum(exclusion_count) as exclusion_count,
        sum(fork_count) as fork_count
    from events
    where time_ms is not null
    group by group_id, to_date({{ timestamp_of('time_ms') }})

),

days_of_repairs as (

    select
        group_id,
        to_date(first_seen_at) as day,
        count(*) as repair_count
    from repairs
    where first_seen_at is not null
    group by group_id, to_date(first_seen_at)

),

listed as (

    select
        group_id,
        time_ms,
        explode(previous_ids) as previous_id
    from messages

),

first_needed as (

    select
        listed.group_id,
        listed.previous_id,
        to_date({{ timestamp_of('min(listed.time_ms)') }}) as day
    from listed
    left semi join gaps on listed.previous_id = gaps.missing_id
    group by listed.group_id, listed.previous_id

),

days_of_gaps as (

    select
        group_id,
        day,
        count(*) as gap_count
    from first_needed
    group by group_id, day

),

days as (

    select
        group_id,
        day
    from days_of_messages
    union
    select
        group_id,
        day
    from days_of_events
    union
    select
        group_id,
        day
    from days_of_repairs

),

final as (

    select
        days.group_id,
        {{ group_name('days.group_id', 'root_epochs.said_name') }} as group_name,
        days.day,
        sum(coalesce(days_of_events.member_change, 0)) over (
            partition by days.group_id
            order by days.day
            rows between unbounded preceding and current row
        ) as member_count,
        coalesce(days_of_messages.message_count, 0) as message_count,
        coalesce(days_of_messages.post_count, 0) as post_count,
        coalesce(days_of_messages.author_count, 0) as author_count,
        coalesce(days_of_events.epoch_count, 0) as epoch_count,
        coalesce(days_of_events.exclusion_count, 0) as exclusion_count,
        coalesce(days_of_events.fork_count, 0) as fork_count,
        coalesce(days_of_gaps.gap_count, 0) as gap_count,
        coalesce(days_of_repairs.repair_count, 0) as repair_count
    from days
    left join days_of_messages
        on days.group_id = days_of_messages.group_id and days.day = days_of_messages.day
    left join days_of_events on days.group_id = days_of_events.group_id and days.day = days_of_events.day
    left join days_of_gaps on days.group_id = days_of_gaps.group_id and days.day = days_of_gaps.day
    left join days_of_repairs
        on days.group_id = days_of_repairs.group_id and days.day = days_of_repairs.day
    left join root_epochs on days.group_id = root_epochs.group_id

)

select * from final
