-- depends_on: {{ ref('int_refresh__epochs') }}
{{ config(carried_by={'epoch_id': 'int_refresh__epochs'}) }}

with

precedence as (

    select * from {{ ref('int_groups__precedence') }}

),

final as (

    select
        epoch_id,
        predecessor_id,
        distance
    from precedence

)

select * from final
