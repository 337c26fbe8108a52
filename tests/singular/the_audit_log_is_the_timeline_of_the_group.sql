with

audit_log as (

    select * from {{ tested_rows(ref('fct_group_audit_log')) }}

),

tangles as (

    select * from {{ ref('dim_tangles') }}
    where
        tangle_kind = 'group'
        and group_id is not null
        and {{ is_tested('dim_groups') }}

),

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}
    where status = 'in'

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

timeline as (

    select
        tangles.group_id,
        tangle_messages.message_id,
        tangle_messages.position
    from tangles
    inner join tangle_messages on tangles.tangle_id = tangle_messages.tangle_id

),

logged as (

    select distinct
        group_id,
        message_id,
        position
    from audit_log

),

changes_in_timeline as (

    select
        changes.message_id,
        changes.person_id,
        changes.change,
        changes.epoch_id
    from changes
    inner join timeline on changes.message_id = timeline.message_id

),

faults as (

    select coalesce(timeline.message_id, logged.message_id) as message_id
    from timeline
    full outer join logged
        on
            timeline.group_id = logged.group_id
            and timeline.message_id = logged.message_id
            and timeline.position = logged.position
    where timeline.message_id is null or logged.message_id is null
    union all
    select changes_in_timeline.message_id
    from changes_in_timeline
    left anti join audit_log
        on
            changes_in_timeline.message_id = audit_log.message_id
            and changes_in_timeline.person_id = audit_log.subject_id
            and changes_in_timeline.change = audit_log.action
            and changes_in_timeline.epoch_id = audit_log.epoch_id

)

select * from faults
