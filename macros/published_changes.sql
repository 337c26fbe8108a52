{#- What this build has of marts and what is published of them, as one select of the hashes of rows: which build they are of, by
    mart and key. A mart is left out where its columns are others than those that are published, and rows that are carried over
    are, being the same in both. A mart that has no other rows has one without a key. -#}
{% macro rows_to_compare(marts) -%}
  {%- set compared, selects = [], [] -%}
  {%- if execute and is_publishing() -%}
    {%- set built, published = versions_behind_models(), passed_versions() -%}
    {%- for view in published_models() if view.alias in marts -%}
      {%- set table, version = built[view.alias].table, built[view.alias].version -%}
      {%- set published_version = published.get(table) -%}
      {%- if published_version or not table_of(view.alias, published) -%}
        {%- do compared.append("'" ~ view.alias ~ "'") -%}
        {%- if version != published_version -%}
          {%- do selects.append(rows_of_two_versions(view, table, version, published_version)) -%}
        {%- endif -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endif -%}
  select
    explode(cast(array({{ compared | join(', ') }}) as array<string>)) as mart,
    cast(null as array<string>) as row_key,
    cast(null as bigint) as row_hash,
    cast(null as boolean) as is_new
  {%- for select in selects %}
  union all
  {{ select }}
  {%- endfor %}
{%- endmacro %}


{#- The rows of a mart in a version and in the published one. -#}
{% macro rows_of_two_versions(view, table, version, published_version) -%}
  {%- set key = [] -%}
  {%- for name in key_of(view.alias) -%}
    {%- do key.append('cast(' ~ name ~ ' as string)') -%}
  {%- endfor -%}
  {%- set hashed -%}
    select '{{ view.alias }}' as mart, array({{ key | join(', ') }}) as row_key, row_hash,
  {%- endset -%}
  {%- set has_carried = published_version and refresh_plan().base_versions.get(table) == published_version -%}
  {{ hashed }} true as is_new
  from {{ rows_of_version_in_session(table, version, 'part') }}
  where {{ 'is_computed' if has_carried else 'true' }}
  {%- if published_version %}
  union all
  {{ hashed }} false as is_new
  from {{ rows_of_version_in_session(table, published_version, 'part') }}
  where {{ is_among_touched(view.alias) if has_carried else 'true' }}
  {%- endif %}
{%- endmacro %}


{#- What int_quality__changes has counted, as a list by mart. -#}
{% macro published_changes() -%}
  {%- set changes = {} -%}
  {%- for row in run_query('select mart, rows_added, rows_changed, rows_gone from ' ~ rows_made('int_quality__changes')) -%}
    {%- do changes.update({row[0]: [row[1], row[2], row[3]]}) -%}
  {%- endfor -%}
  {{ return(changes) }}
{%- endmacro %}


{#- The columns that are the key of a mart, as its first test of a key says. -#}
{% macro key_of(mart) -%}
  {%- set keys = adapter.once('keys_of_models', keys_of_models) -%}
  {%- if 'model.scuttlehouse.' ~ mart not in keys -%}
    {%- do exceptions.raise_compiler_error('No test says what the key of ' ~ mart ~ ' is.') -%}
  {%- endif -%}
  {{ return(keys['model.scuttlehouse.' ~ mart]) }}
{%- endmacro %}


{% macro keys_of_models() -%}
  {%- set keys = {} -%}
  {%- for test in graph.nodes.values() if test.test_metadata and test.test_metadata.name == 'is_key' -%}
    {%- do keys.setdefault(test.attached_node, test.test_metadata.kwargs.columns) -%}
  {%- endfor -%}
  {{ return(keys) }}
{%- endmacro %}


{#- Added, changed and gone rows of all marts that tell of the logs. Those that tell of builds are others every time. -#}
{% macro total_changes(changes) -%}
  {%- set counts = [] -%}
  {%- for mart in changes if mart not in ('dim_logs', 'fct_timeline_updates') -%}
    {%- do counts.append(changes[mart]) -%}
  {%- endfor -%}
  {%- if not counts -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return([counts | sum(attribute=0), counts | sum(attribute=1), counts | sum(attribute=2)]) }}
{%- endmacro %}
