with

set_messages as (

    select * from {{ tested_rows(ref('fct_set_messages')) }}
    where status = 'in'

),

candidates as (

    select * from {{ ref('int_sets__candidates') }}
    where added_items is not null

),

changes as (

    select
        set_messages.set_id,
        set_messages.message_id,
        set_messages.position,
        set_messages.is_prunable,
        explode(array_union(candidates.added_items, candidates.deleted_items)) as item
    from set_messages
    inner join candidates on set_messages.message_id = candidates.message_id

),

numbered_changes as (

    select
        set_id,
        message_id,
        is_prunable,
        row_number() over (partition by set_id, item order by position desc) as change_number
    from changes

),

faults as (

    select
        set_id,
        message_id
    from numbered_changes
    where change_number = 1 and is_prunable

)

select * from faults
