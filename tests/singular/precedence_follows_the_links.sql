with

precedence as (

    select * from {{ tested_rows(ref('fct_epoch_precedence')) }}

),

links as (

    select * from {{ tested_rows(ref('fct_epoch_links')) }}

),

-- An epoch with more predecessors has rows for its nearest hundred.
cut_epochs as (

    select
        epoch_id,
        count(*) as predecessor_count
    from precedence
    group by epoch_id
    having count(*) >= 100

),

-- One link and then a known precedence is a precedence, with at most one step more.
reached as (

    select
        epoch_id,
        previous_epoch_id as predecessor_id,
        1 as distance
    from links
    union all
    select
        links.epoch_id,
        precedence.predecessor_id,
        precedence.distance + 1 as distance
    from links
    inner join precedence on links.previous_epoch_id = precedence.epoch_id

),

expected as (

    select
        epoch_id,
        predecessor_id,
        min(distance) as distance
    from reached
    group by epoch_id, predecessor_id

),

faults as (

    select
        coalesce(precedence.epoch_id, expected.epoch_id) as epoch_id,
        coalesce(precedence.predecessor_id, expected.predecessor_id) as predecessor_id
    from precedence
    full outer join expected
        on precedence.epoch_id = expected.epoch_id and precedence.predecessor_id = expected.predecessor_id
    left join cut_epochs on coalesce(precedence.epoch_id, expected.epoch_id) = cut_epochs.epoch_id
    where
        precedence.epoch_id = precedence.predecessor_id
        or cut_epochs.predecessor_count > 100
        or (cut_epochs.epoch_id is null and not coalesce(precedence.distance = expected.distance, false))

)

select * from faults
