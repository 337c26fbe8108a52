{#- What a build that was just published has changed in the published tables, by mart, as their views have counted it. -#}
{% macro published_changes() -%}
  {%- set changes = {} -%}
  {%- for model in published_models() if adapter.answered('changes of ' ~ model.alias) -%}
    {%- do changes.update({model.alias: adapter.answered('changes of ' ~ model.alias)}) -%}
  {%- endfor -%}
  {{ return(changes) }}
{%- endmacro %}


{#- How many rows of a mart this build added, changed and dropped, by their keys; none where its columns are others than before, or
    the build does not publish all marts. -#}
{% macro count_changes(model) -%}
  {%- set history = adapter.once('history_with_this_build', build_history) -%}
  {%- set build = published_build(history) or {'versions': {}} -%}
  {%- set replaced = history.builds | selectattr('build_id', 'equalto', build.replaced) | first or {'versions': {}} -%}
  {%- set table = table_of(model.alias, build.versions) -%}
  {%- if not table or not build.is_whole or build.build_id != invocation_id -%}
    {{ return(none) }}
  {%- elif build.versions[table] == replaced.versions.get(table) -%}
    {{ return([0, 0, 0]) }}
  {%- elif table in replaced.versions or not table_of(model.alias, replaced.versions) -%}
    {{ return(run_query(changes_of(model, table, build.versions[table], replaced.versions.get(table))).rows[0].values() | list) }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro %}


{#- Rows that this build carried over from the one that it replaced are the same in both, and left out. -#}
{% macro changes_of(model, table, version, replaced_version) -%}
  {%- set key = key_of(model.alias) | join(', ') -%}
  {%- set columns = [] -%}
  {%- for name in model.columns -%}
    {%- do columns.append('`' ~ name ~ '`') -%}
  {%- endfor -%}
  {%- set has_carried = replaced_version and refresh_plan().base_versions.get(table) == replaced_version -%}
  select
    count_if(old_hash is null) as rows_added,
    count_if(old_hash != new_hash) as rows_changed,
    count_if(new_hash is null) as rows_gone
  from (
    select
      max(case when is_new then row_hash end) as new_hash,
      max(case when not is_new then row_hash end) as old_hash
    from (
      select {{ key }}, xxhash64({{ columns | join(', ') }}) as row_hash, true as is_new
      from {{ rows_of_version_in_session(table, version) }}
      where {{ 'is_computed' if has_carried else 'true' }}
      union all
      select {{ key }}, xxhash64({{ columns | join(', ') }}) as row_hash, false as is_new
      from {{ rows_of_version_in_session(table, replaced_version or '') }}
      where {{ is_among_touched(model.alias) if has_carried else 'true' }}
    )
    group by {{ key }}
  )
{%- endmacro %}


{#- The columns that are the key of a mart, as its test says. -#}
{% macro key_of(mart) -%}
  {%- for test in graph.nodes.values() if test.test_metadata and test.attached_node == 'model.scuttlehouse.' ~ mart -%}
    {%- if test.test_metadata.name == 'is_key' -%}
      {{ return(test.test_metadata.kwargs.columns) }}
    {%- endif -%}
  {%- endfor -%}
  {%- do exceptions.raise_compiler_error('No test says what the key of ' ~ mart ~ ' is.') -%}
{%- endmacro %}


{#- Added, changed and gone rows of all marts that tell of the logs. Those that tell of builds are others every time. -#}
{% macro total_changes(changes) -%}
  {%- set counts = [] -%}
  {%- for mart in changes if mart not in ('dim_logs', 'fct_quality_results', 'fct_timeline_updates') -%}
    {%- do counts.append(changes[mart]) -%}
  {%- endfor -%}
  {%- if not counts -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return([counts | sum(attribute=0), counts | sum(attribute=1), counts | sum(attribute=2)]) }}
{%- endmacro %}
