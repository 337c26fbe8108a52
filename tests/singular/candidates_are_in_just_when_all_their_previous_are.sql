with

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}
    where status != 'rejected' and {{ is_tested('fct_tangle_messages') }}

),

links as (

    select * from {{ ref('fct_tangle_links') }}
    where {{ is_tested('fct_tangle_links') }}

),

met_messages as (

    select
        tangle_id,
        message_id,
        bool_and(is_in_graph) as has_all_previous
    from links
    group by tangle_id, message_id

),

faults as (

    select
        tangle_messages.tangle_id,
        tangle_messages.message_id
    from tangle_messages
    left join met_messages
        on
            tangle_messages.tangle_id = met_messages.tangle_id
            and tangle_messages.message_id = met_messages.message_id
    where
        (tangle_messages.status = 'in')
        != (tangle_messages.is_root or coalesce(met_messages.has_all_previous, false))
        or (tangle_messages.is_root and met_messages.message_id is not null)

)

select * from faults
