with

fct_replication_plan as (

    select * from {{ published_version('fct_replication_plan') }}

),

final as (

    select
        group_id,
        person_id,
        epoch_id,
        feed_id,
        owner_id,
        missing_id,
        rule,
        should_fetch,
        should_serve
    from fct_replication_plan

)

select * from final
