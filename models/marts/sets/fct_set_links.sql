with

candidates as (

    select * from {{ ref('int_sets__candidates') }}

),

set_messages as (

    select * from {{ ref('int_sets__messages') }}

),

links as (

    select
        set_id,
        message_id,
        'previous' as link,
        explode(array_distinct(previous_ids)) as linked_id
    from candidates
    union all
    select
        set_id,
        message_id,
        'supersedes' as link,
        explode(array_distinct(superseded_ids)) as linked_id
    from candidates

),

final as (

    select
        links.set_id,
        links.message_id,
        links.linked_id,
        links.link,
        linked_messages.message_id is not null as is_in_log,
        coalesce(linked_messages.status = 'in', false) as is_in_set
    from links
    left join set_messages as linked_messages
        on links.set_id = linked_messages.set_id and links.linked_id = linked_messages.message_id

)

select * from final
