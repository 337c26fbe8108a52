with

links as (

    select * from {{ ref('int_tangles__links') }}

),

tangle_messages as (

    select * from {{ touched_rows(ref('int_tangles__messages'), 'tangle_id', 'int_changes__tangles') }}

),

messages_in_graph as (

    select
        tangle_id,
        message_id
    from tangle_messages
    where status = 'in'

),

final as (

    select
        links.tangle_id,
        links.message_id,
        links.previous_id,
        tangle_messages.tangle_kind,
        tangle_messages.group_id,
        links.is_in_log,
        messages_in_graph.message_id is not null as is_in_graph
    from links
    inner join tangle_messages
        on links.tangle_id = tangle_messages.tangle_id and links.message_id = tangle_messages.message_id
    left join messages_in_graph
        on
            links.tangle_id = messages_in_graph.tangle_id
            and links.previous_id = messages_in_graph.message_id

)

select * from final
