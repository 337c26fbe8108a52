-- A row is a broken promise of a table: the column, what was promised of it, and what was found. The Data
-- Docs (data_docs/index.html in the warehouse's folder) show them among all that was promised.
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
