with

forks as (

    select * from {{ ref('int_groups__forks') }}

),

epoch_members as (

    select * from {{ ref('int_groups__epoch_members') }}

),

-- An epoch that loses a fork by 4.4 or 4.5 needs no other rule. An epoch without members beats nobody: it
-- has no witnesses.
beaten as (

    select distinct
        case
            when forks.winner_epoch_id = forks.left_epoch_id then forks.right_epoch_id
            else forks.left_epoch_id
        end as epoch_id
    from forks
    inner join epoch_members on forks.winner_epoch_id = epoch_members.epoch_id
    where forks.rule in ('same', 'subset') and size(epoch_members.member_ids) > 0

),

final as (

    select
        forks.group_id,
        forks.left_epoch_id,
        forks.right_epoch_id,
        forks.nearest_epoch_id,
        forks.winner_epoch_id,
        forks.rule,
        forks.is_criss_cross,
        size(forks.witness_ids) as witness_count,
        forks.rule = 'overlapping'
        and size(forks.witness_ids) > 0
        and beaten_lefts.epoch_id is null
        and beaten_rights.epoch_id is null as needs_repair
    from forks
    left join beaten as beaten_lefts on forks.left_epoch_id = beaten_lefts.epoch_id
    left join beaten as beaten_rights on forks.right_epoch_id = beaten_rights.epoch_id

)

select * from final
