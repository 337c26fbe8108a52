-- depends_on: {{ ref('int_changes__epochs') }}
{{ config(materialized='incremental', unique_key='epoch_id', replaced_keys_from='int_changes__epochs') }}

with

precedence as (

    select * from {{ ref('int_groups__precedence') }}

),

final as (

    select
        epoch_id,
        group_id,
        predecessor_id,
        distance
    from precedence

)

select * from final
