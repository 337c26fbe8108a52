{% macro sparkpython__create_table_as(temporary, relation, compiled_code, language='sql') -%}
  {%- if language == 'python' -%}
    {%- set view = relation.identifier if temporary else python_result_view() -%}
    {%- set statement = none if temporary else spark__create_table_as(false, relation, 'select * from ' ~ view) ~ '' -%}
{{ compiled_code }}
# --- How dbt-sparkpython writes the result. ---
dbt_plan = {{ {'view': view, 'statement': statement, 'is_empty': adapter.is_empty_run()} }}
  {%- else -%}
    {{ spark__create_table_as(temporary, relation, compiled_code, language) }}
  {%- endif -%}
{%- endmacro %}


{#- A name that no other model and no other invocation uses, because all threads share one session. -#}
{% macro python_result_view() -%}
  {{ return(model.alias ~ '__' ~ local_md5(invocation_id ~ model.unique_id)) }}
{%- endmacro %}
