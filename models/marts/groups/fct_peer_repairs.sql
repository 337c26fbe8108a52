with

peers as (

    select * from {{ ref('int_groups__peers') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

root_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root

),

repairs as (

    select
        peers.source_file,
        peers.owner_id,
        peers.group_id,
        peers.epoch_id,
        items.person_id,
        items.action,
        items.because
    from peers, lateral inline(peers.repairs) as items (action, person_id, because)

),

final as (

    select
        repairs.source_file,
        repairs.owner_id,
        {{ person_name('repairs.owner_id', 'owners.name') }} as owner_name,
        repairs.group_id,
        {{ group_name('repairs.group_id', 'root_epochs.said_name') }} as group_name,
        repairs.epoch_id,
        repairs.person_id,
        {{ person_name('repairs.person_id', 'names.name') }} as person_name,
        repairs.action,
        repairs.because
    from repairs
    left join root_epochs on repairs.group_id = root_epochs.group_id
    left join names on repairs.person_id = names.person_id
    left join names as owners on repairs.owner_id = owners.person_id

)

select * from final
