-- Every pair of forked epochs with the epochs they have in common and how their members overlap.
with

epoch_members as (

    select * from {{ ref('int_groups__epoch_members') }}

),

precedence as (

    select * from {{ ref('int_groups__precedence') }}

),

pairs as (

    select
        lefts.group_id,
        lefts.epoch_id as left_epoch_id,
        rights.epoch_id as right_epoch_id,
        lefts.member_ids as left_member_ids,
        rights.member_ids as right_member_ids,
        lefts.key_rank as left_key_rank,
        rights.key_rank as right_key_rank
    from epoch_members as lefts
    inner join epoch_members as rights
        on lefts.group_id = rights.group_id and lefts.epoch_id < rights.epoch_id
    where lefts.is_tip and rights.is_tip

),

common_predecessors as (

    select
        pairs.left_epoch_id,
        pairs.right_epoch_id,
        lefts.predecessor_id
    from pairs
    inner join precedence as lefts on pairs.left_epoch_id = lefts.epoch_id
    inner join precedence as rights
        on pairs.right_epoch_id = rights.epoch_id and lefts.predecessor_id = rights.predecessor_id

),

-- A common predecessor is nearest when no other one succeeds it.
succeeded_predecessors as (

    select distinct
        common_predecessors.left_epoch_id,
        common_predecessors.right_epoch_id,
        precedence.predecessor_id
    from common_predecessors
    inner join precedence on common_predecessors.predecessor_id = precedence.epoch_id

),

nearest_predecessors as (

    select common_predecessors.*
    from common_predecessors
    left anti join succeeded_predecessors
        on
            common_predecessors.left_epoch_id = succeeded_predecessors.left_epoch_id
            and common_predecessors.right_epoch_id = succeeded_predecessors.right_epoch_id
            and common_predecessors.predecessor_id = succeeded_predecessors.predecessor_id

),

nearest as (

    select
        nearest_predecessors.left_epoch_id,
        nearest_predecessors.right_epoch_id,
        min(nearest_predecessors.predecessor_id) as nearest_epoch_id,
        count(*) as nearest_count,
        -- The intersection of the members of all of them (ruling R19).
        aggregate(
            slice(collect_list(epoch_members.member_ids), 2, 1000000),
            element_at(collect_list(epoch_members.member_ids), 1),
            (common_ids, member_ids) -> array_intersect(common_ids, member_ids)
        ) as nearest_member_ids
    from nearest_predecessors
    inner join epoch_members on nearest_predecessors.predecessor_id = epoch_members.epoch_id
    group by nearest_predecessors.left_epoch_id, nearest_predecessors.right_epoch_id

),

compared as (

    select
        pairs.*,
        nearest.nearest_epoch_id,
        nearest.nearest_count > 1 as is_criss_cross,
        array_intersect(pairs.left_member_ids, pairs.right_member_ids) as common_member_ids,
        array_intersect(
            array_intersect(pairs.left_member_ids, pairs.right_member_ids), nearest.nearest_member_ids
        ) as witness_ids
    from pairs
    inner join nearest
        on
            pairs.left_epoch_id = nearest.left_epoch_id
            and pairs.right_epoch_id = nearest.right_epoch_id

),

ruled as (

    select
        *,
        case
            when
                size(common_member_ids) = size(left_member_ids)
                and size(common_member_ids) = size(right_member_ids)
                then 'same'
            when
                size(common_member_ids) = size(left_member_ids)
                or size(common_member_ids) = size(right_member_ids)
                then 'subset'
            when size(common_member_ids) > 0 then 'overlapping'
            else 'disjoint'
        end as rule,
        -- The least key wins (rulings R21 and R23); a key that the log does not tell comes last.
        struct(left_key_rank is null as is_unknown, left_key_rank as key_rank, left_epoch_id as epoch_id)
        < struct(right_key_rank is null as is_unknown, right_key_rank as key_rank, right_epoch_id as epoch_id)
            as is_left_key_least
    from compared

),

final as (

    select
        group_id,
        left_epoch_id,
        right_epoch_id,
        nearest_epoch_id,
        rule,
        witness_ids,
        is_criss_cross,
        case
            when rule = 'disjoint' then null
            when rule = 'subset' and size(left_member_ids) < size(right_member_ids) then left_epoch_id
            when rule = 'subset' then right_epoch_id
            when is_left_key_least then left_epoch_id
            else right_epoch_id
        end as winner_epoch_id
    from ruled

)

select * from final
