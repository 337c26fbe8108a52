-- One row per epoch with the sets that the rules of preference compare.
with

epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where {{ is_touched('group_id', 'int_refresh__groups') }}

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

links as (

    select * from {{ ref('fct_tangle_links') }}

),

tangles as (

    select * from {{ ref('dim_tangles') }}
    where tangle_kind = 'epoch'

),

declared as (

    select
        epoch_id,
        array_sort(collect_set(person_id)) as member_ids
    from changes
    where change = 'add'
    group by epoch_id

),

previous as (

    select
        links.message_id as epoch_id,
        array_sort(collect_set(links.previous_id)) as previous_epoch_ids
    from links
    inner join tangles on links.tangle_id = tangles.tangle_id
    where links.is_in_graph
    group by links.message_id

),

final as (

    select
        epochs.epoch_id,
        epochs.group_id,
        epochs.key_rank,
        epochs.is_tip,
        coalesce(previous.previous_epoch_ids, cast(array() as array<string>)) as previous_epoch_ids,
        coalesce(declared.member_ids, cast(array() as array<string>)) as member_ids
    from epochs
    left join declared on epochs.epoch_id = declared.epoch_id
    left join previous on epochs.epoch_id = previous.epoch_id

)

select * from final
