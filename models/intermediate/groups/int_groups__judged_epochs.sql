with

messages as (

    select * from {{ ref('int_groups__messages') }}
    where kind = 'init'

),

judged as (

    select * from {{ ref('int_groups__judged') }}
    where kind = 'init'

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

declared as (

    select
        epoch_id,
        array_sort(collect_set(person_id)) as member_ids
    from changes
    where change = 'add' and counts
    group by epoch_id

),

succeeded as (

    select distinct explode(previous_epoch_ids) as epoch_id
    from judged
    where counts

),

final as (

    select
        messages.message_id as epoch_id,
        messages.group_id,
        messages.key_rank,
        judged.is_authorized,
        judged.counts,
        judged.excluded_before_ids,
        judged.has_all_missing,
        messages.position,
        messages.time_ms,
        judged.counts and succeeded.epoch_id is null as is_tip,
        coalesce(judged.previous_epoch_ids, cast(array() as array<string>)) as previous_epoch_ids,
        coalesce(declared.member_ids, cast(array() as array<string>)) as member_ids
    from messages
    inner join judged on messages.message_id = judged.message_id and messages.group_id = judged.group_id
    left join declared on messages.message_id = declared.epoch_id
    left join succeeded on messages.message_id = succeeded.epoch_id

)

select * from final
