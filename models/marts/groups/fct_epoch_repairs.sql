with

repairs as (

    select * from {{ ref('int_groups__repairs') }}

),

judged_epochs as (

    select * from {{ ref('int_groups__judged_epochs') }}

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}
    where change = 'add' and counts

),

forks as (

    select * from {{ ref('int_groups__forks') }}
    where needs_repair

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

first_additions as (

    select
        group_id,
        person_id,
        min(time_ms) as added_ms
    from changes
    group by group_id, person_id

),

open_forks as (

    select
        left_epoch_id as epoch_id,
        began_ms
    from forks
    union all
    select
        right_epoch_id as epoch_id,
        began_ms
    from forks

),

fork_beginnings as (

    select
        epoch_id,
        min(began_ms) as began_ms
    from open_forks
    group by epoch_id

),

final as (

    select
        repairs.group_id,
        {{ group_name('repairs.group_id', 'root_epochs.said_name') }} as group_name,
        repairs.epoch_id,
        repairs.person_id,
        {{ person_name('repairs.person_id', 'names.name') }} as person_name,
        repairs.action,
        repairs.because,
        case when repairs.action = 'add' then 'must' else 'should' end as severity,
        case
            when repairs.action = 'add'
                then {{ timestamp_of('greatest(judged_epochs.time_ms, first_additions.added_ms)') }}
            else {{ timestamp_of('coalesce(fork_beginnings.began_ms, judged_epochs.time_ms)') }}
        end as first_seen_at
    from repairs
    inner join judged_epochs on repairs.epoch_id = judged_epochs.epoch_id
    left join
        first_additions
        on repairs.group_id = first_additions.group_id and repairs.person_id = first_additions.person_id
    left join fork_beginnings on repairs.epoch_id = fork_beginnings.epoch_id
    left join root_epochs on repairs.group_id = root_epochs.group_id
    left join names on repairs.person_id = names.person_id

)

select * from final
