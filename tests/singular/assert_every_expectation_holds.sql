-- A row is an expectation that does not hold: the column, what was expected, and what was found. The Data
-- Docs (data_docs/index.html in the warehouse's folder) show them among all expectations.
with

quality_results as (

    select * from {{ ref('fct_quality_results') }}

),

faults as (

    select
        table_name,
        column_name,
        description,
        observed,
        expectation
    from quality_results
    where not is_success

)

select * from faults
