-- Every published view waits for this model, and this model for every table that has tests: dbt runs it
-- only when all of them have passed. Then all published views change with it, in one step.
{{ config(materialized='switched_view') }}
-- depends_on: {{ ref('int_quality__changes') }}
-- depends_on: {{ ref('int_quality__summary') }}
{%- for model_name in checked_marts() %}
-- depends_on: {{ ref(model_name) }}
{%- endfor %}

{{ versions_to_publish(checked_marts()) }}
