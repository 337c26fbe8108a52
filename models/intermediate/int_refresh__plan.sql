-- depends_on: {{ ref('stg_landing__logs') }}
{{ config(materialized='view') }}
{%- set plan = {'base_versions': base_versions(), 'rules_hash': rules_hash()} if execute else {} %}

select '{{ tojson(plan) }}' as refresh_plan
