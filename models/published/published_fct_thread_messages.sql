with

fct_thread_messages as (

    select * from {{ published_version('fct_thread_messages') }}

),

final as (

    select
        tangle_id,
        message_id,
        author_id,
        person_id,
        asserted_time_fault,
        thread_position,
        depth,
        is_tip,
        is_concurrent,
        asserted_at,
        received_at,
        ordered_at
    from fct_thread_messages

)

select * from final
