{{ config(materialized='incremental', unique_key='feed_id', replaced_keys_from='int_changes__shown_feeds') }}

with

messages as (

    select * from {{ ref('int_feeds__messages') }}

),

claims as (

    select
        message_id,
        feed_id,
        previous_id,
        sequence,
        count(*) over (partition by feed_id, sequence) as claim_count
    from messages
    where validity != 'invalid' and sequence >= 1

),

final as (

    select
        feed_id,
        message_id,
        previous_id,
        sequence,
        claim_count
    from claims
    where claim_count > 1

)

select * from final
