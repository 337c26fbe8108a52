with

peers as (

    select * from {{ ref('int_groups__peers') }}

),

preferences as (

    select * from {{ ref('int_groups__preferences') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

final as (

    select
        peers.source_file,
        peers.owner_id,
        {{ person_name('peers.owner_id', 'names.name') }} as owner_name,
        peers.group_id,
        {{ group_name('peers.group_id', 'root_epochs.said_name') }} as group_name,
        peers.epoch_id,
        peers.counts,
        peers.is_tip,
        peers.is_member,
        peers.rule,
        peers.member_count,
        peers.fork_count,
        peers.rule is not null as is_preferred,
        preferences.epoch_id is not null as is_preferred_by_all_logs,
        size(peers.repairs) as repair_count
    from peers
    left join preferences
        on
            peers.group_id = preferences.group_id
            and peers.owner_id = preferences.person_id
            and peers.epoch_id = preferences.epoch_id
    left join root_epochs on peers.group_id = root_epochs.group_id
    left join names on peers.owner_id = names.person_id

)

select * from final
