with

audit_log as (

    select * from {{ ref('fct_group_audit_log') }}

),

tangles as (

    select * from {{ ref('dim_tangles') }}
    where tangle_kind = 'group' and group_id is not null

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

logged_changes as (

    select
        message_id,
        subject_id,
        action,
        epoch_id
    from audit_log

),

faults as (

    (
        select message_id from (
            select * from timeline
            except
            select * from logged
        )
    )
    union all
    (
        select message_id from (
            select * from logged
            except
            select * from timeline
        )
    )
    union all
    (
        select message_id from (
            select * from changes_in_timeline
            except
            select * from logged_changes
        )
    )

)

select * from faults
