with

repairs as (

    select * from {{ tested_rows(ref('fct_epoch_repairs')) }}

),

epoch_members as (

    select * from {{ tested_rows(ref('fct_epoch_members')) }}

),

additions as (

    select
        epoch_id,
        person_id
    from repairs
    where action = 'add'

),

missing_members as (

    select
        epoch_id,
        person_id
    from epoch_members
    where is_missing

),

bases as (

    select * from repairs
    where action = 'create_epoch'

),

exclusions as (

    select * from repairs
    where action = 'exclude'

),

members_of_bases as (

    select
        bases.epoch_id,
        epoch_members.person_id
    from bases
    inner join epoch_members on bases.epoch_id = epoch_members.epoch_id
    where epoch_members.is_declared or epoch_members.is_missing

),

bases_that_lose_all_or_nobody as (

    select members_of_bases.epoch_id
    from members_of_bases
    left join exclusions
        on
            members_of_bases.epoch_id = exclusions.epoch_id
            and members_of_bases.person_id = exclusions.person_id
    group by members_of_bases.epoch_id
    having count(exclusions.person_id) in (0, count(*))

),

faults as (

    select
        coalesce(additions.epoch_id, missing_members.epoch_id) as epoch_id,
        coalesce(additions.person_id, missing_members.person_id) as person_id
    from additions
    full outer join missing_members
        on
            additions.epoch_id = missing_members.epoch_id
            and additions.person_id = missing_members.person_id
    where additions.epoch_id is null or missing_members.epoch_id is null
    union all
    select
        exclusions.epoch_id,
        exclusions.person_id
    from exclusions
    left anti join members_of_bases
        on
            exclusions.epoch_id = members_of_bases.epoch_id
            and exclusions.person_id = members_of_bases.person_id
    union all
    select
        epoch_id,
        null as person_id
    from bases_that_lose_all_or_nobody

)

select * from faults
