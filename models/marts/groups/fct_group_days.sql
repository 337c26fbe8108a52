-- What happened in a group, by the days of its messages in UTC. A message without a time is on no day.
with

messages as (

    select * from {{ ref('int_groups__messages') }}

),

epochs as (

    select * from {{ ref('int_groups__judged_epochs') }}
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

-- A period without a time begins when the period before it begins, or else with the first act of the group.
-- Anybody can write other messages with any time.
first_days as (

    select
        group_id,
        min(time_ms) as first_ms
    from messages
    where kind != 'other'
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

-- Somebody becomes a member, and stops to be one.
member_changes as (

    select
        following_periods.group_id,
        items.time_ms,
        items.fact
    from following_periods,
        lateral inline(
            array(
                struct(following_periods.from_ms as time_ms, 'membership' as fact),
                struct(following_periods.to_ms as time_ms, 'end_of_membership' as fact)
            )
        ) as items
    where not following_periods.is_excluded

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
        min(listed.time_ms) as time_ms
    from listed
    left semi join gaps on listed.previous_id = gaps.missing_id
    group by listed.group_id, listed.previous_id

),

facts as (

    select
        group_id,
        time_ms,
        case
            when timeline_previous_ids is null then 'message_elsewhere'
            -- An addition that nobody can check does not count, but it is no post.
            when kind != 'other' or is_in_members_graph then 'act'
            else 'post'
        end as fact,
        author_id
    from messages
    union all
    select
        group_id,
        time_ms,
        fact,
        null as author_id
    from member_changes
    union all
    select
        group_id,
        time_ms,
        'epoch' as fact,
        null as author_id
    from epochs
    union all
    select
        group_id,
        time_ms,
        'exclusion' as fact,
        null as author_id
    from changes
    union all
    select
        group_id,
        began_ms as time_ms,
        'fork' as fact,
        null as author_id
    from forks
    union all
    select
        group_id,
        unix_millis(first_seen_at) as time_ms,
        'repair' as fact,
        null as author_id
    from repairs
    union all
    select
        group_id,
        time_ms,
        'gap' as fact,
        null as author_id
    from first_needed

),

dated_facts as (

    select
        *,
        to_date({{ timestamp_of('time_ms') }}) as day
    from facts

),

days as (

    select
        group_id,
        day,
        count_if(fact = 'membership') - count_if(fact = 'end_of_membership') as member_change,
        count_if(fact in ('post', 'act')) as message_count,
        count_if(fact = 'post') as post_count,
        count(distinct author_id) as author_count,
        count_if(fact = 'epoch') as epoch_count,
        count_if(fact = 'exclusion') as exclusion_count,
        count_if(fact = 'fork') as fork_count,
        count_if(fact = 'gap') as gap_count,
        count_if(fact = 'repair') as repair_count
    from dated_facts
    where day is not null
    group by group_id, day

),

final as (

    select
        days.group_id,
        {{ group_name('days.group_id', 'root_epochs.said_name') }} as group_name,
        days.day,
        sum(days.member_change) over (
            partition by days.group_id
            order by days.day
            rows between unbounded preceding and current row
        ) as member_count,
        days.message_count,
        days.post_count,
        days.author_count,
        days.epoch_count,
        days.exclusion_count,
        days.fork_count,
        days.gap_count,
        days.repair_count
    from days
    left join root_epochs on days.group_id = root_epochs.group_id

)

select * from final
