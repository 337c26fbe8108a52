with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where tangle_kind = 'epoch' and status = 'in' and group_id is not null

),

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

key_ranks as (

    select * from {{ ref('int_groups__key_ranks') }}

),

final as (

    select
        tangle_messages.message_id as epoch_id,
        tangle_messages.group_id,
        people.person_id as creator_id,
        group_messages.key_hash,
        key_ranks.key_rank,
        tangle_messages.rank as depth,
        tangle_messages.is_root,
        tangle_messages.is_tip,
        group_messages.asserted_ms
    from tangle_messages
    inner join group_messages on tangle_messages.message_id = group_messages.message_id
    inner join people on tangle_messages.feed_id = people.feed_id
    left join key_ranks on group_messages.key_hash = key_ranks.key_hash

)

select * from final
