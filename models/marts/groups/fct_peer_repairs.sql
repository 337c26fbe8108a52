with

peers as (

    select * from {{ ref('int_groups__peers') }}

),

final as (

    select
        peers.source_file,
        peers.owner_id,
        peers.group_id,
        peers.epoch_id,
        repairs.person_id,
        repairs.action,
        repairs.because
    from peers, lateral inline(peers.repairs) as repairs (action, person_id, because)

)

select * from final
