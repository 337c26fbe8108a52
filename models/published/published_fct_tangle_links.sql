with

fct_tangle_links as (

    select * from {{ published_version('fct_tangle_links') }}

),

final as (

    select
        tangle_id,
        message_id,
        previous_id,
        is_in_log,
        is_in_graph
    from fct_tangle_links

)

select * from final
