with

results as (

    select * from {{ ref('int_quality__results') }}

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
    from results

)

select * from final
