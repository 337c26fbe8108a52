with

peers as (

    select * from {{ ref('int_groups__peers') }}

),

preferences as (

    select * from {{ ref('int_groups__preferences') }}

),

final as (

    select
        peers.source_file,
        peers.owner_id,
        peers.group_id,
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

)

select * from final
