with

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}
    where status = 'in' and {{ is_tested('fct_tangle_messages') }}

),

numbered_messages as (

    select
        tangle_id,
        message_id,
        position,
        row_number() over (partition by tangle_id order by rank, message_id) - 1 as expected_position
    from tangle_messages

),

faults as (

    select
        tangle_id,
        message_id
    from numbered_messages
    where not coalesce(position = expected_position, false)

)

select * from faults
