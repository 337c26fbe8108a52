with

fct_quality_results as (

    select * from {{ published_version('fct_quality_results') }}

),

final as (

    select
        build_id,
        table_name,
        expectation,
        column_name,
        description,
        observed,
        is_success
    from fct_quality_results

)

select * from final
