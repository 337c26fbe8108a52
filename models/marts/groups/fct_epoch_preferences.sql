-- The graph of preference (4.8 of the group exclusion specification): 4.2 to 4.6 applied to two epochs.
with

judged_epochs as (

    select * from {{ ref('int_groups__judged_epochs') }}
    where counts

),

forks as (

    select * from {{ ref('int_groups__forks') }}
    where is_current and winner_epoch_id is not null

),

successions as (

    select
        group_id,
        epoch_id as preferred_epoch_id,
        'successor' as rule,
        explode(previous_epoch_ids) as other_epoch_id
    from judged_epochs

),

final as (

    select
        group_id,
        preferred_epoch_id,
        other_epoch_id,
        rule
    from successions
    union all
    select
        group_id,
        winner_epoch_id as preferred_epoch_id,
        loser_epoch_id as other_epoch_id,
        rule
    from forks

)

select * from final
