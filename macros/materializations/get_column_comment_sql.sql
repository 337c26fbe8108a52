{#- A column's comment in a view, as dbt-spark writes it, cut where Hive's metastore would refuse it. The
    whole description is in the documentation. -#}
{% macro get_column_comment_sql(column_name, column_dict) -%}
  {%- set description = column_dict.get(column_name, {}).get('description', '') | replace('\n', ' ') -%}
  {%- if description | length > 256 -%}
    {%- set description = description[:253].rsplit(' ', 1)[0] ~ ' ...' -%}
  {%- endif -%}
  `{{ column_name }}` comment '{{ description | replace("\\", "\\\\") | replace("'", "\\'") }}'
{%- endmacro %}
