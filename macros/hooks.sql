{#- Settings that cannot be meant stop a run before it starts. -#}
{% macro check_settings() %}
  {%- if execute -%}
    {%- set steps = var('settle_steps') -%}
    {%- if steps is not integer or steps < 1 or steps > 64 -%}
      {%- do exceptions.raise_compiler_error(
          "The var settle_steps is " ~ steps ~ ": set it to a whole number from 1 to 64."
      ) -%}
    {%- endif -%}
    {%- for name, value in {'set_ghost_span': var('set_ghost_span'), 'kept_builds': var('kept_builds')}.items() -%}
      {%- if value is not integer or value < 1 -%}
        {%- do exceptions.raise_compiler_error(
            "The var " ~ name ~ " is " ~ value ~ ": set it to a whole number from 1 on."
        ) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- for schema in [versions_schema(), 'scuttlehouse'] -%}
      {%- do run_query('create schema if not exists ' ~ schema) -%}
    {%- endfor -%}
    {%- do refuse_a_copied_warehouse() -%}
    {%- if flags.WHICH == 'freshness' -%}
      {%- do create_landing_files() -%}
    {%- endif -%}
    {%- if is_writing() -%}
      {%- do drop_session_views() -%}
      {%- do create_builds_log() -%}
      {%- set dead = adapter.begin_build(home(), invocation_id) -%}
      {%- if dead -%}
        {{- print("The build before this one did not come to its end (" ~ dead.holder ~ "). What it had begun is cleared; "
            ~ "what is published stays as it was.") -}}
        {%- do write_log(dead.build_id or 'unknown', [logged(step='build', kind='build', status='killed', message=dead.holder)]) -%}
        {%- do clear_leftovers() -%}
        {#- It may have died between publishing and saying so. -#}
        {%- set history = build_history() -%}
        {%- if history.builds -%}
          {%- do list_published_files(history) -%}
        {%- endif -%}
      {%- endif -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{#- The metastore names folders in full: in a copy, it would go on with the tables of the original. -#}
{% macro refuse_a_copied_warehouse() -%}
  {%- set tables = folder_of(versions_schema()) -%}
  {%- set here = run_query('set spark.sql.warehouse.dir').rows[0][1] -%}
  {%- if tables.startswith('file:') and here.startswith('file:') and not tables.startswith(here.rstrip('/') ~ '/') -%}
    {%- do exceptions.raise_compiler_error(
        'The metastore in ' ~ home() ~ ' was made elsewhere, and its tables lie in ' ~ tables ~ ': a warehouse cannot be copied or moved. '
        ~ 'Use the folder where it was made, or begin with an empty SCUTTLEHOUSE_HOME.'
    ) -%}
  {%- endif -%}
{%- endmacro %}


{#- What a build ends with: what is in the tables now, or that they stay as they were. -#}
{% macro summarise_build(results) %}
  {%- if execute and is_writing() -%}
    {%- set unpublished = unpublished_models(results) -%}
    {%- set status = publish_state(results, unpublished) -%}
    {%- set history = build_history() if is_publishing() and status != 'failed' else {'builds': []} -%}
    {%- set changes = published_changes() if status == 'published' else {} -%}
    {%- do log_build(results, status, changes) -%}
    {%- if history.builds -%}
      {%- do list_published_files(history) -%}
    {%- endif -%}
    {%- if status == 'failed' and is_publishing() -%}
      {{- print("\nNothing was published: mend what failed above and build again. Until then the schema " ~
          "scuttlehouse holds the tables of the last build that passed all its checks.\nIf an expectation failed, " ~
          home() ~ "/data_docs/index.html says which and where.\n") -}}
    {%- elif status == 'published' -%}
      {%- do drop_unread_batches(history) -%}
      {%- do drop_unread_tables(history) -%}
      {{- print_summary(total_changes(changes)) -}}
    {%- elif status == 'unchanged' -%}
      {%- set kept = kept_build() -%}
      {{- print("\nscuttlehouse: nothing is new since build " ~ kept.build_id ~ ", published " ~ kept.published_at ~ ": its tables stay,"
          ~ " and were not tested again. `dbt build --full-refresh` makes all of them anew.\n") -}}
    {%- elif unpublished -%}
      {{- print("\nNot published, as not all of their tests were selected: " ~ unpublished | join(', ') ~ ".\n") -}}
    {%- endif -%}
    {%- do adapter.end_build(home()) -%}
  {%- endif -%}
{% endmacro %}


{#- What became of a run: `published`, all of it; `unchanged`, as it could leave all as it was; `failed`; or
    `unpublished`, in part or wholly. -#}
{% macro publish_state(results, unpublished) -%}
  {%- if results | rejectattr('status', 'in', ['success', 'pass', 'skipped', 'no-op']) | list -%}
    {{ return('failed') }}
  {%- endif -%}
  {%- if kept_build() -%}
    {{ return('unchanged') }}
  {%- endif -%}
  {%- set views = results | selectattr('node.config.materialized', 'equalto', 'published_view') | list -%}
  {%- if is_publishing() and views | length == published_models() | length and not unpublished -%}
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


{#- Shows the files of the landing folder to `dbt source freshness`, as the source that they are. -#}
{% macro create_landing_files() -%}
  {%- do run_query('create or replace global temporary view landing_files using binaryFile options (path '
      ~ sql_text(env_var('SCUTTLEHOUSE_LANDING', 'sample')) ~ ", recursiveFileLookup 'true')") -%}
{%- endmacro %}
