{#- What killed runs have left: unfinished files, and whole partitions that the metastore does not know. These are
    made known here, so that they are dropped as every version that nobody reads (drop_unread_versions). -#}
{% macro clear_leftovers() -%}
  {%- for schema in [versions_schema(), target.schema] -%}
    {%- do adapter.clear_unfinished_writes(folder_of(schema)) -%}
  {%- endfor -%}
  {%- for table in version_tables() -%}
    {%- do run_query('msck repair table ' ~ versions_schema() ~ '.' ~ table) -%}
  {%- endfor -%}
  {%- for lines in landed_lines() -%}
    {%- do run_query('msck repair table ' ~ lines) -%}
  {%- endfor -%}
{%- endmacro %}


{#- Drop the batches of lines that no kept build is made of. -#}
{% macro drop_unread_batches(history) -%}
  {%- set ledgers = ['select batch_id from ' ~ target.schema ~ '.stg_landing__logs'] -%}
  {%- for build in history.builds -%}
    {%- for table, version in build.versions.items() if model_of(table) == 'dim_logs' -%}
      {%- do ledgers.append('select batch_id from ' ~ rows_of_version(table, version)) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- set read = run_query(ledgers | join(' union ')).columns[0].values() -%}
  {%- for lines in landed_lines() -%}
    {%- for row in run_query('show partitions ' ~ lines) if row[0].split('=')[1] not in read -%}
      {%- do run_query('alter table ' ~ lines ~ " drop if exists partition (batch_id = '" ~ row[0].split('=')[1] ~ "')") -%}
    {%- endfor -%}
  {%- endfor -%}
{%- endmacro %}


{#- Drop the tables of versions that have other columns than those of the builds that were kept when this one began, and than its
    own. -#}
{% macro drop_unread_tables(history) -%}
  {%- set read = [builds_log().split('.')[1]] -%}
  {%- for build in adapter.once('kept_builds', build_history).builds + history.builds -%}
    {%- do read.extend(build.versions) -%}
  {%- endfor -%}
  {%- for table in version_tables() if table not in read -%}
    {%- do run_query('drop table ' ~ versions_schema() ~ '.' ~ table) -%}
  {%- endfor -%}
{%- endmacro %}


{#- The names of the tables of versions. (Spark shows the temporary views of a session in every schema.) -#}
{% macro version_tables() -%}
  {{ return(run_query('show tables in ' ~ versions_schema()).rows | rejectattr('isTemporary') | map(attribute='tableName') | list) }}
{%- endmacro %}


{#- The tables of lines, as far as they are there. -#}
{% macro landed_lines() -%}
  {%- set found = [] -%}
  {%- for name in ('stg_ssb__landed_lines', 'stg_pzp__landed_lines') -%}
    {%- set relation = adapter.get_relation(database=none, schema=target.schema, identifier=name) -%}
    {%- if relation -%}
      {%- do found.append(relation) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro %}
