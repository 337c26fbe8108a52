with

fct_tangle_gaps as (

    select * from {{ published_version('fct_tangle_gaps') }}

),

final as (

    select
        tangle_id,
        missing_id,
        needed_by_count,
        blocked_count
    from fct_tangle_gaps

)

select * from final
