with

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}
    where status = 'in' and {{ is_tested('fct_tangle_messages') }}

),

links as (

    select * from {{ ref('fct_tangle_links') }}
    where {{ is_tested('fct_tangle_links') }}

),

holes as (

    select
        tangle_id,
        min(message_id) as message_id
    from tangle_messages
    group by tangle_id
    having
        min(thread_position) != 0
        or max(thread_position) != count(*) - 1
        or count(distinct thread_position) != count(*)

),

early_answers as (

    select
        links.tangle_id,
        links.message_id
    from links
    inner join tangle_messages
        on links.tangle_id = tangle_messages.tangle_id and links.message_id = tangle_messages.message_id
    inner join tangle_messages as previous
        on links.tangle_id = previous.tangle_id and links.previous_id = previous.message_id
    where tangle_messages.thread_position <= previous.thread_position

),

thread_messages as (

    select * from {{ ref('fct_thread_messages') }}
    where {{ is_tested('fct_thread_messages') }}

),

thread_holes as (

    select
        tangle_id,
        min(message_id) as message_id
    from thread_messages
    group by tangle_id
    having
        min(thread_position) != 0
        or max(thread_position) != count(*) - 1
        or count(distinct thread_position) != count(*)

),

early_in_thread as (

    select
        links.tangle_id,
        links.message_id
    from links
    inner join thread_messages
        on links.tangle_id = thread_messages.tangle_id and links.message_id = thread_messages.message_id
    inner join thread_messages as previous
        on links.tangle_id = previous.tangle_id and links.previous_id = previous.message_id
    where links.is_in_graph and thread_messages.thread_position <= previous.thread_position

),

faults as (

    select * from holes
    union all
    select * from early_answers
    union all
    select * from thread_holes
    union all
    select * from early_in_thread

)

select * from faults
