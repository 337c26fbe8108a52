with

fct_feed_forks as (

    select * from {{ published_version('fct_feed_forks') }}

),

final as (

    select
        feed_id,
        message_id,
        previous_id,
        sequence,
        claim_count
    from fct_feed_forks

)

select * from final
