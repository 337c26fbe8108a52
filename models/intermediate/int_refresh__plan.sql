-- depends_on: {{ ref('stg_landing__logs') }}
{{ config(materialized='view') }}

select '{{ plan_as_json() }}' as refresh_plan
