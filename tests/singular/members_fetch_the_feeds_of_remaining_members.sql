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
    where group_id is not null

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

person_counts as (

    select
        group_id,
        count(*) as person_count
    from preferred_epochs
    group by group_id

),

missing as (

    select distinct
        group_id,
        missing_id
    from gaps

),

missing_counts as (

    select
        group_id,
        count(*) as missing_count
    from missing
    group by group_id

),

planned as (

    select
        group_id,
        missing_id,
        count_if(should_fetch) as fetching_count
    from plan
    where missing_id is not null
    group by group_id, missing_id

),

-- Each has a place in the plan of everybody in its group.
expected_plans as (

    select
        missing.group_id,
        missing.missing_id,
        person_counts.person_count,
        missing_counts.missing_count * person_counts.person_count as row_count_of_group
    from missing
    inner join person_counts on missing.group_id = person_counts.group_id
    inner join missing_counts on missing.group_id = missing_counts.group_id

),

-- A group with many people and many missing messages may have a plan for some of these.
wrong_plans as (

    select coalesce(expected_plans.missing_id, planned.missing_id) as missing_id
    from expected_plans
    full join planned
        on expected_plans.group_id = planned.group_id and expected_plans.missing_id = planned.missing_id
    where
        expected_plans.missing_id is null
        or coalesce(planned.fetching_count != expected_plans.person_count, false)
        or (planned.missing_id is null and expected_plans.row_count_of_group <= 10000)

),

faults as (

    select
        person_id,
        feed_id as id
    from expected
    where should_fetch != is_to_be_fetched or should_serve != is_to_be_served or not is_reader
    union all
    select
        cast(null as string) as person_id,
        missing_id as id
    from wrong_plans

)

select * from faults
