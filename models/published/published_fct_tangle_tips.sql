with

fct_tangle_tips as (

    select * from {{ published_version('fct_tangle_tips') }}

),

final as (

    select
        tangle_id,
        message_id
    from fct_tangle_tips

)

select * from final
