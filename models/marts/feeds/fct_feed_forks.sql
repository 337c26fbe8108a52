{{ config(materialized='incremental', unique_key='feed_id', replaced_keys_from='int_changes__shown_feeds') }}

with

messages as (

    select * from {{ ref('int_feeds__messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

claims as (

    select
        message_id,
        feed_id,
        previous_id,
        sequence,
        count(*) over (partition by feed_id, sequence) as claim_count
    from messages
    where {{ counts_as_signed('validity', 'feed_format') }} and sequence >= 1

),

final as (

    select
        claims.feed_id,
        people.person_id,
        claims.message_id,
        claims.previous_id,
        claims.sequence,
        claims.claim_count
    from claims
    inner join people on claims.feed_id = people.feed_id
    where claims.claim_count > 1

)

select * from final
