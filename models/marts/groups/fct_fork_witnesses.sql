with

forks as (

    select * from {{ ref('int_groups__forks') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

witnesses as (

    select
        group_id,
        left_epoch_id,
        right_epoch_id,
        explode(witness_ids) as person_id
    from forks

),

final as (

    select
        witnesses.group_id,
        witnesses.left_epoch_id,
        witnesses.right_epoch_id,
        witnesses.person_id,
        {{ person_name('witnesses.person_id', 'names.name') }} as person_name
    from witnesses
    left join names on witnesses.person_id = names.person_id

)

select * from final
