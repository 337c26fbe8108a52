select
    table_name,
    column_name,
    description,
    is_success,
    observed,
    expectation
from fct_quality_results
