{#- dbt-spark's comments, in one statement for all columns of a table, and only if they are not there yet. -#}
{% macro sparkpython__persist_docs(relation, model, for_relation, for_columns) -%}
  {%- if config.get('file_format') != 'iceberg' or relation.is_view -%}
    {{ return(spark__persist_docs(relation, model, for_relation, for_columns)) }}
  {%- endif -%}
  {%- if for_columns and config.persist_column_docs() and model.columns -%}
    {%- set changes = [] -%}
    {%- for row in run_query('describe ' ~ relation).rows -%}
      {%- set description = (model.columns.get(row[0]) or {}).get('description') -%}
      {%- if description and description != row[2] -%}
        {%- set text = description | replace('\\', '\\\\') | replace("'", "\\'") -%}
        {%- do changes.append(adapter.quote(row[0]) ~ " comment '" ~ text ~ "'") -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if changes -%}
      {%- do run_query('alter table ' ~ relation ~ ' alter column ' ~ changes | join(', ')) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro %}
