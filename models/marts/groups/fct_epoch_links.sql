-- depends_on: {{ ref('int_changes__epochs') }}
{{ config(materialized='incremental', unique_key='epoch_id', replaced_keys_from='int_changes__epochs') }}

with

messages as (

    select * from {{ ref('int_groups__messages') }}
    where kind = 'init'

),

final as (

    select
        message_id as epoch_id,
        group_id,
        explode(previous_epoch_ids) as previous_epoch_id
    from messages

)

select * from final
