with

people as (

    select * from {{ ref('int_feeds__people') }}

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

epoch_keys as (

    select
        key_hash,
        min(epoch_id) as epoch_id
    from epochs
    where key_hash is not null
    group by key_hash

),

final as (

    select
        people.feed_id,
        epoch_keys.epoch_id
    from people
    inner join epoch_keys on people.key_hash = epoch_keys.key_hash

)

select * from final
