with

forks as (

    select * from {{ ref('int_groups__forks') }}

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from epochs
    where is_root

),

final as (

    select
        forks.group_id,
        {{ group_name('forks.group_id', 'root_epochs.said_name') }} as group_name,
        forks.left_epoch_id,
        forks.right_epoch_id,
        forks.nearest_epoch_id,
        forks.winner_epoch_id,
        forks.loser_epoch_id,
        forks.healed_by_epoch_id,
        healing_epochs.creator_id as healed_by_id,
        {{ person_name('healing_epochs.creator_id', 'names.name') }} as healed_by_name,
        forks.rule,
        forks.is_criss_cross,
        forks.is_current,
        forks.healed_by_epoch_id is not null as is_healed,
        size(forks.witness_ids) as witness_count,
        forks.needs_repair,
        {{ timestamp_of('forks.began_ms') }} as began_at
    from forks
    left join root_epochs on forks.group_id = root_epochs.group_id
    left join epochs as healing_epochs on forks.healed_by_epoch_id = healing_epochs.epoch_id
    left join names on healing_epochs.creator_id = names.person_id

)

select * from final
