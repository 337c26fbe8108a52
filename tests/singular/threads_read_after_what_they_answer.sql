with

thread_messages as (

    select * from {{ tested_rows(ref('fct_thread_messages')) }}

),

links as (

    select * from {{ tested_rows(ref('fct_tangle_links')) }}
    where is_in_graph

),

numbered_messages as (

    select
        tangle_id,
        message_id,
        thread_position,
        row_number() over (partition by tangle_id order by thread_position) - 1 as expected_position
    from thread_messages

),

misplaced_messages as (

    select
        tangle_id,
        message_id
    from numbered_messages
    where thread_position is distinct from expected_position

),

early_answers as (

    select
        links.tangle_id,
        links.message_id
    from links
    inner join thread_messages
        on links.tangle_id = thread_messages.tangle_id and links.message_id = thread_messages.message_id
    inner join thread_messages as previous
        on links.tangle_id = previous.tangle_id and links.previous_id = previous.message_id
    where thread_messages.thread_position <= previous.thread_position

),

faults as (

    select * from misplaced_messages
    union all
    select * from early_answers

)

select * from faults
