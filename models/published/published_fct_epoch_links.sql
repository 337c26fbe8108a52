with

fct_epoch_links as (

    select * from {{ published_version('fct_epoch_links') }}

),

final as (

    select
        epoch_id,
        previous_epoch_id
    from fct_epoch_links

)

select * from final
