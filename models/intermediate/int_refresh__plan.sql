-- depends_on: {{ ref('stg_landing__logs') }}
{{ config(materialized='view') }}
{%- set plan = adapter.once('plan_of_this_build', plan_of_this_build) if execute else {} %}

select '{{ tojson(plan) }}' as refresh_plan
