-- depends_on: {{ ref('int_refresh__epochs') }}
{{ config(carried_by={'epoch_id': 'int_refresh__epochs'}) }}

with

epoch_members as (

    select * from {{ ref('int_groups__epoch_members') }}

),

final as (

    select
        epoch_id,
        explode(previous_epoch_ids) as previous_epoch_id
    from epoch_members

)

select * from final
