{#- Settings that cannot be meant stop a run before it starts. -#}
{% macro check_settings() %}
  {%- if execute -%}
    {%- set steps = var('settle_steps') -%}
    {%- if steps is not integer or steps < 1 or steps > 64 -%}
      {%- do exceptions.raise_compiler_error(
          "The var settle_steps is " ~ steps ~ ": set it to a whole number from 1 to 64."
      ) -%}
    {%- endif -%}
    {%- set span = var('set_ghost_span') -%}
    {%- if span is not integer or span < 1 -%}
      {%- do exceptions.raise_compiler_error(
          "The var set_ghost_span is " ~ span ~ ": set it to a whole number from 1 on."
      ) -%}
    {%- endif -%}
    {%- set kept = var('kept_builds') -%}
    {%- if kept is not integer or kept < 1 -%}
      {%- do exceptions.raise_compiler_error(
          "The var kept_builds is " ~ kept ~ ": set it to a whole number from 1 on."
      ) -%}
    {%- endif -%}
    {%- for schema in [versions_schema(), 'scuttlehouse'] -%}
      {%- do run_query('create schema if not exists ' ~ schema) -%}
    {%- endfor -%}
    {%- if is_writing() -%}
      {%- do create_builds_log() -%}
      {%- set dead = adapter.begin_build(home(), invocation_id) -%}
      {%- if dead -%}
        {{- print("The build before this one did not come to its end (" ~ dead.holder ~ "). What it had begun is cleared; "
            ~ "what is published stays as it was.") -}}
        {%- do write_log(dead.build_id, [logged('build', 'build', 'killed', dead.holder, none, none, none, none)]) -%}
        {%- do clear_leftovers() -%}
      {%- endif -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{#- What a build ends with: what is in the tables now, or that they stay as they were. -#}
{% macro summarise_build(results) %}
  {%- if execute and is_writing() -%}
    {%- set status = publish_state(results) -%}
    {%- do log_build(results, status) -%}
    {%- if status == 'failed' -%}
      {{- print("\nNothing was published: mend what failed above and build again. Until then the schema " ~
          "scuttlehouse holds the tables of the last build that passed all its checks.\nIf an expectation failed, " ~
          home() ~ "/data_docs/index.html says which and where.\n") -}}
    {%- elif status == 'published' -%}
      {%- do list_published_files() -%}
      {%- do drop_unread_batches() -%}
      {{- print_summary() -}}
    {%- elif unpublished_models(results) -%}
      {{- print("\nNot published, as not all of their tests were selected: " ~ unpublished_models(results) | join(', ') ~ ".\n") -}}
    {%- endif -%}
    {%- do adapter.end_build(home()) -%}
  {%- endif -%}
{% endmacro %}


{#- What became of a run: `published`, all of it; `failed`; or `unpublished`, in part or wholly. -#}
{% macro publish_state(results) -%}
  {%- if results | rejectattr('status', 'in', ['success', 'pass', 'skipped', 'no-op']) | list -%}
    {{ return('failed') }}
  {%- endif -%}
  {%- set views = results | selectattr('node.config.materialized', 'equalto', 'published_view') | list -%}
  {%- if is_publishing() and views | length == published_models() | length and not unpublished_models(results) -%}
    {{ return('published') }}
  {%- endif -%}
  {{ return('unpublished') }}
{%- endmacro %}


{#- The published tables that a build left as they were, though it built their views. -#}
{% macro unpublished_models(results) -%}
  {%- set unpublished = [] -%}
  {%- for result in results if is_publishing() and result.node.config.materialized == 'published_view' -%}
    {%- if result.status != 'success' or not publishes(result.node.alias) -%}
      {%- do unpublished.append(result.node.alias) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(unpublished) }}
{%- endmacro %}


{#- Whether this dbt command writes tables. -#}
{% macro is_writing() -%}
  {{ return(flags.WHICH in ('build', 'run', 'retry', 'seed')) }}
{%- endmacro %}


{% macro published_models() %}
  {{- return(
      graph.nodes.values()
      | selectattr('resource_type', 'equalto', 'model')
      | selectattr('config.materialized', 'equalto', 'published_view')
      | list
  ) -}}
{% endmacro %}


{#- Where the warehouse lives. -#}
{% macro home() -%}
  {{ return(env_var('SCUTTLEHOUSE_HOME', '.scuttlehouse')) }}
{%- endmacro %}


{#- Says in a file which files are published, for `scuttlehouse sql` while a build keeps the metastore to itself. -#}
{% macro list_published_files() -%}
  {%- set build = published_build() -%}
  {%- set tables = {} -%}
  {%- for model in published_models() -%}
    {%- set columns = [] -%}
    {%- for column in model.columns.values() -%}
      {%- do columns.append('`' ~ column.name ~ '` ' ~ column.data_type) -%}
    {%- endfor -%}
    {%- set table = passed_table(model.alias) -%}
    {%- do tables.update({model.alias: {
        'table': table or builds_log().split('.')[1],
        'version': build.versions[table] if table else none,
        'columns': columns | join(', ')
    }}) -%}
  {%- endfor -%}
  {%- do adapter.write_file(home() ~ '/published.json', tojson({
      'build_id': build.build_id, 'published_at': build.published_at, 'location': location_of(versions_schema()), 'tables': tables
  })) -%}
{%- endmacro %}


{#- What killed runs have left: unfinished files, and whole partitions that the metastore does not know. These are
    made known here, so that they are dropped as every version that nobody reads (drop_unread_versions). -#}
{% macro clear_leftovers() -%}
  {%- for schema in [versions_schema(), target.schema] -%}
    {%- do adapter.clear_unfinished_writes(location_of(schema)) -%}
  {%- endfor -%}
  {%- for row in run_query('show tables in ' ~ versions_schema()) -%}
    {%- do run_query('msck repair table ' ~ versions_schema() ~ '.' ~ row[1]) -%}
  {%- endfor -%}
  {%- for lines in landed_lines() -%}
    {%- do run_query('msck repair table ' ~ lines) -%}
  {%- endfor -%}
{%- endmacro %}


{#- Drop the batches of lines that no kept build is made of. -#}
{% macro drop_unread_batches() -%}
  {%- set ledgers = ['select batch_id from ' ~ target.schema ~ '.stg_landing__logs'] -%}
  {%- for build in build_history().builds -%}
    {%- for table, version in build.versions.items() if mart_of(table) == 'dim_logs' -%}
      {%- do ledgers.append('select batch_id from ' ~ versions_schema() ~ '.' ~ table ~ " where version = '" ~ version ~ "'") -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- set read = run_query(ledgers | join(' union ')).columns[0].values() -%}
  {%- for lines in landed_lines() -%}
    {%- for row in run_query('show partitions ' ~ lines) if row[0].split('=')[1] not in read -%}
      {%- do run_query('alter table ' ~ lines ~ " drop if exists partition (batch_id = '" ~ row[0].split('=')[1] ~ "')") -%}
    {%- endfor -%}
  {%- endfor -%}
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


{% macro location_of(schema) -%}
  {%- for row in run_query('describe schema ' ~ schema) if row[0] == 'Location' -%}
    {{ return(row[1]) }}
  {%- endfor -%}
{%- endmacro %}
