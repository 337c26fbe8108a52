{#- What the build that was just published has changed in the published tables: how many rows of each mart it added, changed and
    dropped, by their keys. A mart is left out where its columns are others than before; all are where the build does not publish
    all of them. One statement for all: most of the time of each would go into planning it. -#}
{% macro published_changes(history) -%}
  {%- set changes = {} -%}
  {%- set build = published_build(history) -%}
  {%- set replaced = history.builds | selectattr('build_id', 'equalto', build.replaced) | first or {'versions': {}} -%}
  {%- set rows = [] -%}
  {%- for mart in published_models() if build.is_whole -%}
    {%- set table = table_of(mart.alias, build.versions) -%}
    {%- set version, replaced_version = build.versions.get(table), replaced.versions.get(table) -%}
    {%- if version and (replaced_version or not table_of(mart.alias, replaced.versions)) -%}
      {%- do changes.update({mart.alias: [0, 0, 0]}) -%}
      {%- if version != replaced_version -%}
        {%- do rows.append(rows_to_compare(mart, table, version, replaced_version)) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if rows -%}
    {%- for row in run_query(changes_of(rows)) -%}
      {%- do changes.update({row[0]: [row[1], row[2], row[3]]}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(changes) }}
{%- endmacro %}


{#- Counts by mart, as a select; none of a mart that has no rows to compare. -#}
{% macro changes_of(rows) -%}
  select
    mart,
    count_if(old_hash is null) as rows_added,
    count_if(old_hash != new_hash) as rows_changed,
    count_if(new_hash is null) as rows_gone
  from (
    select
      mart,
      max(case when is_new then row_hash end) as new_hash,
      max(case when not is_new then row_hash end) as old_hash
    from (
      {{ rows | join('\n      union all\n') }}
    )
    group by mart, row_key
  )
  group by mart
{%- endmacro %}


{#- The rows of a mart in the version that a build published and in the one that it replaced. Those that the build carried over are
    the same in both, and left out. -#}
{% macro rows_to_compare(mart, table, version, replaced_version) -%}
  {%- set key = [] -%}
  {%- for name in key_of(mart.alias) -%}
    {%- do key.append('cast(' ~ name ~ ' as string)') -%}
  {%- endfor -%}
  {%- set columns = [] -%}
  {%- for name in mart.columns -%}
    {%- do columns.append('`' ~ name ~ '`') -%}
  {%- endfor -%}
  {%- set compared -%}
    select '{{ mart.alias }}' as mart, array({{ key | join(', ') }}) as row_key, xxhash64({{ columns | join(', ') }}) as row_hash,
  {%- endset -%}
  {%- set has_carried = replaced_version and refresh_plan().base_versions.get(table) == replaced_version -%}
  {{ compared }} true as is_new
  from {{ rows_of_version_in_session(table, version) }}
  where {{ 'is_computed' if has_carried else 'true' }}
  {%- if replaced_version %}
  union all
  {{ compared }} false as is_new
  from {{ rows_of_version_in_session(table, replaced_version) }}
  where {{ is_among_touched(mart.alias) if has_carried else 'true' }}
  {%- endif %}
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
