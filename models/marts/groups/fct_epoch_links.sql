-- depends_on: {{ ref('int_refresh__epochs') }}
{{ config(materialized='incremental', unique_key='epoch_id', replaced_keys_from='int_refresh__epochs') }}

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
