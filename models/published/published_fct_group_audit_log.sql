with

fct_group_audit_log as (

    select * from {{ published_version('fct_group_audit_log') }}

),

final as (

    select
        group_id,
        message_id,
        action,
        content_type,
        actor_id,
        subject_id,
        epoch_id,
        position,
        asserted_at
    from fct_group_audit_log

)

select * from final
