with

messages as (

    select * from {{ ref('int_groups__messages') }}

),

judged as (

    select * from {{ ref('int_groups__judged') }}

),

changes as (

    select
        messages.epoch_id,
        messages.group_id,
        messages.message_id,
        messages.author_id,
        messages.asserted_ms,
        messages.time_ms,
        judged.known_from_position as position,
        messages.kind as change,
        judged.is_authorized,
        judged.counts,
        judged.causal_rank,
        judged.following_epoch_id,
        judged.readded_ids,
        explode(messages.person_ids) as person_id
    from messages
    inner join judged on messages.message_id = judged.message_id and messages.group_id = judged.group_id
    where messages.kind in ('add', 'exclude')

),

-- A message may add hundreds of people, all of them again: the list of these is in no row of a person.
final as (

    select
        * except (readded_ids),
        array_contains(readded_ids, person_id) as is_readded
    from changes

)

select * from final
