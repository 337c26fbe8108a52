with

set_messages as (

    select * from {{ tested_rows(ref('fct_set_messages')) }}
    where status = 'in'

),

items as (

    select * from {{ tested_rows(ref('fct_set_items')) }}

),

-- Not with lower(), because Spark then loads tables of all alphabets, which takes three seconds.
lower_ids as (

    select
        *,
        translate(message_id, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') as lower_id
    from set_messages

),

numbered_messages as (

    select
        *,
        row_number() over (
            partition by set_id
            order by depth asc, lower_id asc, message_id desc
        ) - 1 as expected_position
    from lower_ids

),

displaced_messages as (

    select message_id as fault
    from numbered_messages
    where not coalesce(position = expected_position, false)

),

numbered_items as (

    select
        set_id,
        position,
        row_number() over (partition by set_id order by position) - 1 as expected_position
    from items

),

displaced_items as (

    select set_id as fault
    from numbered_items
    where position != expected_position

),

-- The order of items is that of the messages that place them.
item_places as (

    select
        items.set_id,
        set_messages.position as message_position,
        lag(set_messages.position) over (partition by items.set_id order by items.position) as place_before
    from items
    left join set_messages
        on items.set_id = set_messages.set_id and items.placed_by_id = set_messages.message_id

),

misplaced_items as (

    select set_id as fault
    from item_places
    where message_position is null or message_position < place_before

),

faults as (

    select * from displaced_messages
    union all
    select * from displaced_items
    union all
    select * from misplaced_items

)

select * from faults
