{#- Temporary views of what a run has made. Wherever a statement reads a table, Spark asks the metastore a dozen things, and a
    refresh is many statements on few rows; of the files of these views it asks nothing. -#}

{#- dbt's ref, but for the tables and tests of the run that has made what they read: these read its view. -#}
{% macro ref() -%}
  {%- set relation = builtins.ref(*varargs, **kwargs) -%}
  {%- if execute and (model.resource_type == 'test' or model.config.materialized in ('table', 'versioned_table'))
      and not adapter.is_empty_run() -%}
    {{ return(in_session(relation.identifier) or relation) }}
  {%- endif -%}
  {{ return(relation) }}
{%- endmacro %}


{#- The view of the session that stands for a model; none where this run has not made it. -#}
{% macro in_session(model_name) -%}
  {%- set view = adapter.answered('session view of ' ~ model_name) -%}
  {{ return(api.Relation.create(identifier=view) if view else none) }}
{%- endmacro %}


{#- A model as a relation to select from in one statement. -#}
{% macro rows_made(model_name) -%}
  {{ return(in_session(model_name) or target.schema ~ '.' ~ model_name) }}
{%- endmacro %}


{#- Let the rest of the run read the table that was just made by its files. -#}
{% macro view_table_in_session(relation) -%}
  {%- do adapter.once('session view of ' ~ relation.identifier, view_files_of_table, relation) -%}
{%- endmacro %}


{% macro view_files_of_table(relation) -%}
  {%- set view = session_view(relation.identifier) -%}
  {{ return(view if adapter.view_files(view, relation | string, folder_of(relation.schema) ~ '/' ~ relation.identifier) else none) }}
{%- endmacro %}


{#- The same for the version of a model that was just made. -#}
{% macro view_version_in_session(relation, columns, table, version) -%}
  {%- do adapter.once('session view of ' ~ relation.identifier, view_rows_of_version, relation, columns, table, version) -%}
{%- endmacro %}


{% macro view_rows_of_version(relation, columns, table, version) -%}
  {%- set view = session_view(relation.identifier) -%}
  {%- set rows = rows_of_version_in_session(table, version) -%}
  {%- set hint = '/*+ coalesce(1) */ ' if adapter.reads_few_bytes('select * from ' ~ rows) else '' -%}
  {%- do run_query('create or replace temporary view ' ~ view ~ ' as select ' ~ hint ~ columns ~ ' from ' ~ rows) -%}
  {{ return(view) }}
{%- endmacro %}


{#- The rows of a version, as a relation to select from in one statement. -#}
{% macro rows_of_version_in_session(table, version, left_out='row_hash, part') -%}
  {%- set below = version_below(version) -%}
  {%- set parts_below = version_in_session(table, below) if below else none -%}
  {{ return(rows_standing(table, version_in_session(table, version), parts_below, left_out)) }}
{%- endmacro %}


{#- All that is written of a version, as a relation: the view of its files, or where there are none, as the metastore has it. -#}
{% macro version_in_session(table, version) -%}
  {{ return(adapter.once('session view of ' ~ table ~ '/' ~ version, view_files_of_version, table, version)) }}
{%- endmacro %}


{% macro view_files_of_version(table, version) -%}
  {%- set view = session_view(table ~ '__' ~ local_md5(version)[:8]) -%}
  {%- set folder = folder_of(versions_schema()) ~ '/' ~ table ~ '/version=' ~ version -%}
  {%- set has_files = adapter.view_files(view, versions_schema() ~ '.' ~ table, folder) -%}
  {{ return(view if has_files else parts_of_version(table, "'" ~ version ~ "'")) }}
{%- endmacro %}


{% macro folder_of(schema) -%}
  {{ return(adapter.once('folder of ' ~ schema, location_of, schema)) }}
{%- endmacro %}


{#- The folder of a schema, as `file:` and its path, or as another URI. -#}
{% macro location_of(schema) -%}
  {%- for row in run_query('describe schema ' ~ schema) if row[0] == 'Location' -%}
    {{ return(adapter.plain_location(row[1])) }}
  {%- endfor -%}
{%- endmacro %}


{% macro session_view(name) -%}
  {{ return(name ~ '__in_session') }}
{%- endmacro %}


{#- A session may have served a run before this one. -#}
{% macro drop_session_views() -%}
  {%- for row in run_query('show views') if row[2] and row[1].endswith(session_view('')) -%}
    {%- do run_query('drop view ' ~ row[1]) -%}
  {%- endfor -%}
{%- endmacro %}
