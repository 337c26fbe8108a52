with

candidates as (

    select * from {{ ref('int_sets__candidates') }}

),

set_messages as (

    select * from {{ ref('int_sets__messages') }}
    where status = 'in'

),

items as (

    select * from {{ ref('int_sets__items') }}

),

changes as (

    select
        message_id,
        'add' as change,
        explode(array_distinct(added_items)) as item
    from candidates
    union all
    select
        message_id,
        'delete' as change,
        explode(array_distinct(deleted_items)) as item
    from candidates

),

final as (

    select
        set_messages.set_id,
        changes.message_id,
        changes.item,
        changes.change,
        candidates.device_key,
        set_messages.position,
        items.item is not null as is_in_set,
        {{ timestamp_of('candidates.received_ms') }} as received_at
    from changes
    inner join set_messages on changes.message_id = set_messages.message_id
    inner join candidates on changes.message_id = candidates.message_id
    left join items on set_messages.set_id = items.set_id and changes.item = items.item

)

select * from final
