{#- A table that readers can keep reading while the next build is made and tested: every build writes a
    partition of its own to a table in the versions schema, and the model's own relation is a view of that
    partition. What is published goes on reading the version that last passed every check
    (int_quality__passed). Rows of other columns go to another table: versions are never mixed.

    `carried_by` names the column and the relation by which a refresh tells what it computes: rows of other ids
    are those of the published build. The column `is_computed` of the view tells them apart. Where a refresh
    computes nothing, its version is that of the published build. Else its version stands on a whole one (new_version). -#}
{% materialization versioned_table, adapter='spark', supported_languages=['sql', 'python'] %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set rows = api.Relation.create(identifier=session_view(model.alias ~ '__rows')) -%}
  {%- set old_relation = adapter.get_relation(database=this.database, schema=this.schema, identifier=this.identifier) -%}
  {%- if is_kept(old_relation) -%}
    {{ return({'relations': [target_relation]}) }}
  {%- endif -%}
  {%- if old_relation is not none and old_relation.type != 'view' -%}
    {%- do adapter.drop_relation(old_relation) -%}
    {%- set old_relation = none -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- if is_carried_whole() -%}
    {%- set table = table_of(model.alias, refresh_plan().base_versions) -%}
    {%- set version = carried_version(table) -%}
    {%- set columns_of_view = '* except (is_computed), false as is_computed' -%}
    {%- call noop_statement('main', 'carried over whole') -%}{%- endcall -%}
  {%- else -%}
    {%- call statement('rows', language=model['language']) -%}
      {{ create_table_as(True, rows, compiled_code, model['language']) }}
    {%- endcall -%}
    {%- set columns = {} -%}
    {%- for row in run_query('describe ' ~ rows) -%}
      {%- do columns.update({row[0]: row[1]}) -%}
    {%- endfor -%}
    {%- set declared = [] -%}
    {%- for name, type in columns.items() -%}
      {%- do declared.append('`' ~ name ~ '` ' ~ type) -%}
    {%- endfor -%}
    {%- set table = model.alias ~ '__' ~ local_md5((declared + [carried_by(model.alias)[0], 'row_hash', 'part']) | join(', '))[:8] -%}
    {%- set version = new_version(table) -%}
    {%- set columns_of_view = '*' -%}
    {%- if not is_carrying() -%}
      {%- do run_query('create table if not exists ' ~ versions_schema() ~ '.' ~ table ~ ' (' ~ declared | join(', ')
          ~ ', row_hash bigint, version string, part string) using parquet partitioned by (version, part)') -%}
    {%- endif -%}
    {%- call statement('main') -%}
      insert into table {{ versions_schema() }}.{{ table }} partition (version = '{{ version }}', part)
      {{ rows_to_insert(rows, columns, table, version) }}
    {%- endcall -%}
  {%- endif -%}
  {%- do run_query(('alter' if old_relation else 'create') ~ ' view ' ~ target_relation ~ ' as '
      ~ 'select ' ~ columns_of_view ~ ' from ' ~ rows_of_version(table, version)) -%}
  {%- do view_version_in_session(this, columns_of_view, table, version) -%}
  {%- do drop_unread_versions(table, version) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{% macro versions_schema() -%}
{{ return(target.schema ~ '_versions') }}
{%- endmacro %}


{#- Whether the published version of this model stays as it is, since nothing has changed that its rows hang on. -#}
{% macro is_carried_whole() -%}
  {{ return(is_carrying() and row_count(carried_by(model.alias)[1]) == 0) }}
{%- endmacro %}


{#- Whether this build carries rows of this model over from the published one. -#}
{% macro is_carrying() -%}
  {{ return(carried_by(model.alias)[0] != '' and refresh_plan().base_versions != {}) }}
{%- endmacro %}


{% macro row_count(model_name) -%}
  {{ return(adapter.once('row_count ' ~ model_name, count_rows_of, model_name)) }}
{%- endmacro %}


{% macro count_rows_of(model_name) -%}
  {{ return(run_query('select count(*) from ' ~ rows_made(model_name)).rows[0][0]) }}
{%- endmacro %}


{#- The column by which rows of a model are carried over, and the relation of the ids that are touched; both empty for a model that
    every build computes anew. -#}
{% macro carried_by(model_name) -%}
  {%- set config_of_model = graph.nodes['model.scuttlehouse.' ~ model_name].config -%}
  {{ return(((config_of_model.get('carried_by') or {'': ''}).items() | list)[0]) }}
{%- endmacro %}


{#- The name of the version that this build makes: the build's id. In a refresh it goes on with how many versions stand on the
    same one by now, this one included, and which one that is. They hold what is no longer as it is there, so a refresh does not copy
    the rest; the tenth copies all, or a version would grow without end, and so does one of too many ids for the memory of
    those who read it. -#}
{% macro new_version(table) -%}
  {%- if is_carrying() -%}
    {%- set base = carried_version(table) -%}
    {%- set standing = base.partition('_on_')[0].partition('_')[2] | int + 1 -%}
    {%- if standing < 10 and are_few(carried_by(model.alias)[1]) -%}
      {{ return(invocation_id ~ '_' ~ standing ~ '_on_' ~ (version_below(base) or base)) }}
    {%- endif -%}
  {%- endif -%}
  {{ return(invocation_id) }}
{%- endmacro %}


{#- The version that a version stands on; empty if it holds all of its rows itself. -#}
{% macro version_below(version) -%}
  {{ return(version.partition('_on_')[2]) }}
{%- endmacro %}


{#- The rows of a version, as a relation to select from. -#}
{% macro rows_of_version(table, version) -%}
  {{ return(rows_behind(table, "'" ~ version ~ "'", "'" ~ version_below(version) ~ "'" if version_below(version) else none)) }}
{%- endmacro %}


{#- The same by SQL for the version and for the one that it stands on, which may have none. -#}
{% macro rows_behind(table, version, below) -%}
  {{ return(rows_standing(table, parts_of_version(table, version), parts_of_version(table, below) if below else none)) }}
{%- endmacro %}


{#- The same by relations with all that is written of the version, and of the one that it stands on. -#}
{% macro rows_standing(table, parts, parts_below, left_out='row_hash, part') -%}
  {%- set id = carried_by(model_of(table))[0] -%}
  (select * except ({{ left_out }}), part = 'computed' as is_computed from {{ parts }} where part != 'replaced'
  {%- if id and parts_below %}
  union all
  select /*+ broadcast(replaced) */ below.* except ({{ left_out }}), false as is_computed from {{ parts_below }} as below
  left anti join (select {{ id }} from {{ parts }} where part = 'replaced') as replaced
  on below.{{ id }} = replaced.{{ id }}
  where below.part != 'replaced'
  {%- endif %})
{%- endmacro %}


{% macro parts_of_version(table, version) -%}
  {{ return('(select * except (version) from ' ~ versions_schema() ~ '.' ~ table ~ ' where version = ' ~ version ~ ')') }}
{%- endmacro %}


{#- What a new version holds: in a part of its own what the model computed; in a refresh what it carries over of versions that
    nothing will stand on, and, where it stands on another one, the ids whose rows there no longer count. A hash of each row
    spares int_quality__changes to read the columns. -#}
{% macro rows_to_insert(rows, columns, table, version) -%}
  {%- set hashed = [] -%}
  {%- for name in columns -%}
    {#- Of itself a null leaves a hash as it is, wherever it stands. -#}
    {%- do hashed.append('`' ~ name ~ '`, isnull(`' ~ name ~ '`)') -%}
  {%- endfor -%}
  {%- set computed = 'select *, xxhash64(' ~ hashed | join(', ') ~ ") as row_hash, 'computed' as part from " ~ rows -%}
  {%- if not is_carrying() -%}
    {{ return(computed) }}
  {%- endif -%}
  {%- set base = carried_version(table) -%}
  {%- set id, touched = carried_by(model.alias) -%}
  {%- if version_below(version) -%}
    {%- set kept = '(select * except (part) from ' ~ version_in_session(table, base) ~ " where part != 'replaced')" -%}
  {%- else -%}
    {%- set kept = '(select * except (is_computed) from ' ~ rows_of_version_in_session(table, base, 'part') ~ ')' -%}
  {%- endif -%}
  {{ computed }} where {{ is_among_touched(model.name) }}
  {%- if version_below(version) != base %}
  union all
  select kept.*, 'carried' as part from {{ kept }} as kept
  left anti join {{ rows_made(touched) }} as touched on kept.{{ id }} = touched.{{ id }}
  {%- endif %}
  {%- if version_below(version) %}
  union all
  select
  {%- for name, type in columns.items() %}
    {% if name == id %}{{ id }}{% else %}cast(null as {{ type }}) as `{{ name }}`{% endif %},
  {%- endfor %}
    cast(null as bigint) as row_hash,
    'replaced' as part
  from (
    select {{ id }} from {{ rows_made(touched) }}
    union
    select {{ id }} from {{ version_in_session(table, base) }} where part = 'replaced'
  )
  {%- endif %}
{%- endmacro %}


{#- The version of a table that this build carries rows over from, as planned, if that still holds. -#}
{% macro carried_version(table) -%}
  {%- set plan = refresh_plan() -%}
  {%- set version = plan.base_versions.get(table) -%}
  {%- if version is none or plan.rules_hash != rules_hash() -%}
    {%- do refuse_an_old_plan() -%}
  {%- elif version not in kept_versions(table) -%}
    {%- do exceptions.raise_compiler_error(
        'This refresh was planned from a build that is no longer kept: run the whole `dbt build`, which starts from the '
        ~ 'published one.'
    ) -%}
  {%- endif -%}
  {{ return(version) }}
{%- endmacro %}


{% macro refuse_an_old_plan() -%}
  {%- do exceptions.raise_compiler_error(
      'This refresh was planned before the code changed, and rows of old and new rules do not mix: run the whole '
      ~ '`dbt build`, which computes every table anew.'
  ) -%}
{%- endmacro %}


{#- The versions of a table that kept builds read. -#}
{% macro kept_versions(table) -%}
  {%- set versions = [] -%}
  {%- for build in adapter.once('kept_builds', build_history).builds if table in build.versions -%}
    {%- do versions.append(build.versions[table]) -%}
  {%- endfor -%}
  {{ return(versions) }}
{%- endmacro %}


{#- Drop the versions that neither the model's own view nor a kept build reads. -#}
{% macro drop_unread_versions(table, version) -%}
  {%- set read = [] -%}
  {%- for one in [version] + kept_versions(table) -%}
    {%- do read.extend([one, version_below(one)]) -%}
  {%- endfor -%}
  {%- set unread = [] -%}
  {%- for row in run_query('show partitions ' ~ versions_schema() ~ '.' ~ table) -%}
    {%- set partition_version = row[0].split('/')[0].split('=')[1] -%}
    {%- if partition_version not in read + unread -%}
      {%- do unread.append(partition_version) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if unread -%}
    {%- do run_query('alter table ' ~ versions_schema() ~ '.' ~ table ~ " drop if exists partition (version = '"
        ~ unread | join("'), partition (version = '") ~ "')") -%}
  {%- endif -%}
{%- endmacro %}
