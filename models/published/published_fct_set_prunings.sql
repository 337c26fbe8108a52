with

fct_set_prunings as (

    select * from {{ published_version('fct_set_prunings') }}

),

final as (

    select
        set_id,
        message_id,
        pruning,
        freed_bytes
    from fct_set_prunings

)

select * from final
