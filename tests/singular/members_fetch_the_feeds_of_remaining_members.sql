with

plan as (

    select * from {{ tested_rows(ref('fct_replication_plan')) }}

),

preferred_epochs as (

    select * from {{ tested_rows(ref('fct_preferred_epochs')) }}

),

epoch_members as (

    select * from {{ tested_rows(ref('fct_epoch_members')) }}

),

gaps as (

    select * from {{ ref('fct_tangle_gaps') }}

),

expected as (

    select
        plan.person_id,
        plan.feed_id,
        plan.should_fetch,
        plan.should_serve,
        coalesce(owners.is_declared, false)
        and (preferred_epochs.epoch_id = plan.epoch_id or not owners.is_excluded) as is_to_be_fetched,
        coalesce(owners.is_declared, false) as is_to_be_served,
        coalesce(readers.is_declared, false) as is_reader
    from plan
    left join preferred_epochs
        on plan.group_id = preferred_epochs.group_id and plan.person_id = preferred_epochs.person_id
    left join epoch_members as owners
        on plan.epoch_id = owners.epoch_id and plan.owner_id = owners.person_id
    left join epoch_members as readers
        on plan.epoch_id = readers.epoch_id and plan.person_id = readers.person_id
    where plan.feed_id is not null

),

missing as (

    select
        preferred_epochs.person_id,
        gaps.missing_id
    from gaps
    inner join preferred_epochs on gaps.group_id = preferred_epochs.group_id

),

faults as (

    select
        person_id,
        feed_id as id
    from expected
    where should_fetch != is_to_be_fetched or should_serve != is_to_be_served or not is_reader
    union all
    select
        missing.person_id,
        missing.missing_id as id
    from missing
    left anti join plan
        on missing.person_id = plan.person_id and missing.missing_id = plan.missing_id and plan.should_fetch

)

select * from faults
