with

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}
    where status = 'in' and {{ is_tested('fct_tangle_messages') }}

),

links as (

    select * from {{ ref('fct_tangle_links') }}
    where {{ is_tested('fct_tangle_links') }}

),

greatest_ranks as (

    select
        links.tangle_id,
        links.message_id,
        max(previous.rank) as rank
    from links
    inner join tangle_messages as previous
        on links.tangle_id = previous.tangle_id and links.previous_id = previous.message_id
    group by links.tangle_id, links.message_id

),

faults as (

    select
        tangle_messages.tangle_id,
        tangle_messages.message_id
    from tangle_messages
    left join greatest_ranks
        on
            tangle_messages.tangle_id = greatest_ranks.tangle_id
            and tangle_messages.message_id = greatest_ranks.message_id
    where not coalesce(tangle_messages.rank = coalesce(greatest_ranks.rank + 1, 0), false)

)

select * from faults
