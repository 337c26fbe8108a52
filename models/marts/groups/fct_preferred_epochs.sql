with

preferences as (

    select * from {{ ref('int_groups__preferences') }}
    where person_id is not null

),

epoch_members as (

    select * from {{ ref('int_groups__epoch_members') }}

),

final as (

    select
        preferences.group_id,
        preferences.person_id,
        preferences.epoch_id,
        preferences.rule,
        preferences.is_witness,
        epoch_members.is_tip
    from preferences
    inner join epoch_members on preferences.epoch_id = epoch_members.epoch_id

)

select * from final
