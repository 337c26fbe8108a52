with

fct_epoch_precedence as (

    select * from {{ published_version('fct_epoch_precedence') }}

),

final as (

    select
        epoch_id,
        predecessor_id,
        distance
    from fct_epoch_precedence

)

select * from final
