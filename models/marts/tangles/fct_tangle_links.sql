with

links as (

    select * from {{ ref('int_tangles__links') }}

),

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where status = 'in' and {{ is_touched('tangle_id', 'int_refresh__tangles') }}

),

final as (

    select
        links.tangle_id,
        links.message_id,
        links.previous_id,
        links.is_in_log,
        tangle_messages.message_id is not null as is_in_graph
    from links
    left join tangle_messages
        on links.tangle_id = tangle_messages.tangle_id and links.previous_id = tangle_messages.message_id

)

select * from final
