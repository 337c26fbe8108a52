with

precedence as (

    select * from {{ tested_rows(ref('fct_epoch_precedence')) }}

),

links as (

    select * from {{ tested_rows(ref('fct_epoch_links')) }}

),

epochs as (

    select * from {{ ref('dim_epochs') }}

),

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}
    where tangle_kind = 'epoch' and status = 'in' and group_id is not null

),

-- Precedence goes on through epochs whose signed bytes are not in the log. These have no links and no rows,
-- and count among the nearest hundred.
groups_with_unseen_epochs as (

    select distinct tangle_messages.group_id
    from tangle_messages
    left anti join epochs on tangle_messages.message_id = epochs.epoch_id

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
        group_id,
        epoch_id,
        previous_epoch_id as predecessor_id,
        1 as distance
    from links
    union all
    select
        links.group_id,
        links.epoch_id,
        precedence.predecessor_id,
        precedence.distance + 1 as distance
    from links
    inner join precedence on links.previous_epoch_id = precedence.epoch_id

),

expected as (

    select
        group_id,
        epoch_id,
        predecessor_id,
        min(distance) as distance
    from reached
    group by group_id, epoch_id, predecessor_id

),

faults as (

    select
        coalesce(precedence.epoch_id, expected.epoch_id) as epoch_id,
        coalesce(precedence.predecessor_id, expected.predecessor_id) as predecessor_id
    from precedence
    full outer join expected
        on precedence.epoch_id = expected.epoch_id and precedence.predecessor_id = expected.predecessor_id
    left join cut_epochs on coalesce(precedence.epoch_id, expected.epoch_id) = cut_epochs.epoch_id
    left join groups_with_unseen_epochs
        on coalesce(precedence.group_id, expected.group_id) = groups_with_unseen_epochs.group_id
    where
        precedence.epoch_id = precedence.predecessor_id
        or cut_epochs.predecessor_count > 100
        or (
            cut_epochs.epoch_id is null
            and not coalesce(precedence.distance = expected.distance, false)
            and (
                groups_with_unseen_epochs.group_id is null
                or coalesce(expected.distance < precedence.distance, false)
            )
        )

)

select * from faults
