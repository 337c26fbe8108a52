{#-
    dbt-spark's comments: those of columns in one statement for a table, and only if they are not there yet;
    that of a table also if the table stays. The property `dbt.docs` of an Iceberg table is a hash of the
    descriptions that its comments have. dbt's list of tables has it, so nothing asks the table.
-#}
{% macro sparkpython__persist_docs(relation, model, for_relation, for_columns) -%}
  {%- if config.get('file_format') != 'iceberg' or relation.is_view -%}
    {{ return(spark__persist_docs(relation, model, for_relation, for_columns)) }}
  {%- endif -%}
  {%- if for_columns and config.persist_column_docs() and model.columns -%}
    {%- set changes = [] -%}
    {%- for row in run_query('describe ' ~ relation).rows -%}
      {%- set description = (model.columns.get(row[0]) or {}).get('description') -%}
      {%- if description and description != row[2] -%}
        {%- do changes.append(adapter.quote(row[0]) ~ ' comment ' ~ sparkpython_literal(description)) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if changes -%}
      {%- do run_query('alter table ' ~ relation ~ ' alter column ' ~ changes | join(', ')) -%}
    {%- endif -%}
  {%- endif -%}
  {%- set existing_relation = load_relation(relation) -%}
  {%- if existing_relation is not none and not sparkpython_has_docs(existing_relation) -%}
    {%- set properties = ["'dbt.docs' = '" ~ sparkpython_docs_hash() ~ "'"] -%}
    {%- if for_relation and config.persist_relation_docs() -%}
      {%- do properties.append("'comment' = " ~ sparkpython_literal(model.description)) -%}
    {%- endif -%}
    {%- do run_query('alter table ' ~ relation ~ ' set tblproperties (' ~ properties | join(', ') ~ ')') -%}
  {%- endif -%}
{%- endmacro %}


{#- Whether a table had the present descriptions when the run began. Only Iceberg tables say so. Spark 4.1 lists
their properties with a comma and a blank after each character. -#}
{% macro sparkpython_has_docs(relation) -%}
  {%- set information = (relation.information or '') | replace(', ', '') -%}
  {{ return(
    config.get('file_format') == 'iceberg'
    and (not config.get('persist_docs') or sparkpython_docs_hash() in information)
  ) }}
{%- endmacro %}


{% macro sparkpython_docs_hash() -%}
  {%- set descriptions = {} -%}
  {%- for name, column in model.columns.items() -%}
    {%- do descriptions.update({name: column.description}) -%}
  {%- endfor -%}
  {{ return(local_md5(tojson([config.get('persist_docs'), model.description, descriptions], sort_keys=true))) }}
{%- endmacro %}


{% macro sparkpython_literal(text) -%}
  {{ return("'" ~ text | replace('\\', '\\\\') | replace("'", "\\'") ~ "'") }}
{%- endmacro %}


{#- dbt-spark's clause, and the hash of the descriptions. -#}
{% macro sparkpython__tblproperties_clause() -%}
  {%- set properties = dict(config.get('tblproperties') or {}) -%}
  {%- if config.get('file_format') == 'iceberg' and config.get('persist_docs') -%}
    {%- do properties.update({'dbt.docs': sparkpython_docs_hash()}) -%}
  {%- endif -%}
  {%- if properties %}
    tblproperties (
      {%- for name, value in properties.items() %}
      '{{ name }}' = '{{ value }}'{{ ',' if not loop.last }}
      {%- endfor %}
    )
  {%- endif %}
{%- endmacro %}
