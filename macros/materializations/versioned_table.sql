{#- A table that readers can keep reading while the next build is made and tested: every build writes a
    partition of its own to a table in the versions schema, and the model's own relation is a view of that
    partition. What is published goes on reading the version that last passed every check
    (int_quality__passed). Rows of other columns go to another table: versions are never mixed.

    `carried_by` names the column and the relation by which a refresh tells what it computes: rows of other ids
    are those of the published build. The column `is_computed` of the view, a partition of the version, tells them
    apart. Where a refresh computes nothing, its version is that of the published build. -#}
{% materialization versioned_table, adapter='spark', supported_languages=['sql', 'python'] %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set rows = api.Relation.create(identifier=model.alias ~ '__' ~ local_md5(invocation_id ~ model.unique_id)) -%}
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
    {%- set versions = versions_schema() ~ '.' ~ table -%}
    {%- set version = carried_version(table, refresh_plan()) -%}
    {%- set columns_of_view = '* except (version, is_computed), false as is_computed' -%}
    {%- call noop_statement('main', 'carried over whole') -%}{%- endcall -%}
  {%- else -%}
    {%- call statement('rows', language=model['language']) -%}
      {{ create_table_as(True, rows, compiled_code, model['language']) }}
    {%- endcall -%}
    {%- set columns = [] -%}
    {%- for row in run_query('describe ' ~ rows) -%}
      {%- do columns.append('`' ~ row[0] ~ '` ' ~ row[1]) -%}
    {%- endfor -%}
    {%- set versions = versions_schema() ~ '.' ~ model.alias ~ '__' ~ local_md5((columns + ['is_computed']) | join(', '))[:8] -%}
    {%- set version = invocation_id -%}
    {%- set columns_of_view = '* except (version)' -%}
    {%- do run_query('create table if not exists ' ~ versions ~ ' (' ~ columns | join(', ') ~ ', version string,'
        ~ ' is_computed boolean) using parquet partitioned by (version, is_computed)') -%}
    {%- call statement('main') -%}
      insert into table {{ versions }} partition (version = '{{ version }}', is_computed)
      {{ rows_of_version(rows, versions) }}
    {%- endcall -%}
    {%- do run_query('drop view ' ~ rows) -%}
  {%- endif -%}
  {%- do run_query(('alter' if old_relation else 'create') ~ ' view ' ~ target_relation ~ ' as '
      ~ 'select ' ~ columns_of_view ~ ' from ' ~ versions ~ " where version = '" ~ version ~ "'") -%}
  {%- do drop_unread_versions(versions, version) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{% macro versions_schema() -%}
{{ return(target.schema ~ '_versions') }}
{%- endmacro %}


{#- Whether the published version of this model stays as it is, since nothing has changed that its rows hang on. -#}
{% macro is_carried_whole() -%}
  {%- set carried_by = config.get('carried_by') -%}
  {%- set plan = refresh_plan() if carried_by else {'base_versions': {}} -%}
  {{ return(plan.base_versions != {} and is_empty((carried_by.values() | list)[0])) }}
{%- endmacro %}


{% macro is_empty(model_name) -%}
  {{ return(adapter.once('is_empty ' ~ model_name, has_no_rows, model_name)) }}
{%- endmacro %}


{% macro has_no_rows(model_name) -%}
  {{ return(not run_query('select 1 from ' ~ target.schema ~ '.' ~ model_name ~ ' limit 1').rows) }}
{%- endmacro %}


{#- The rows of a new version: those that a model computed, and in a refresh what it carries over. -#}
{% macro rows_of_version(rows, versions) -%}
  {%- set carried_by = config.get('carried_by') -%}
  {%- set plan = refresh_plan() if carried_by else {'base_versions': {}} -%}
  {%- if not plan.base_versions -%}
    {{ return('select *, true as is_computed from ' ~ rows) }}
  {%- endif -%}
  {%- set base = carried_version(versions.split('.')[1], plan) -%}
  {%- set id, touched = (carried_by.items() | list)[0] -%}
  select *, true as is_computed from {{ rows }} where {{ is_among_touched(model.name) }}
  union all
  select carried.* except (version, is_computed), false as is_computed from {{ versions }} as carried
  left anti join {{ target.schema }}.{{ touched }} as touched on carried.{{ id }} = touched.{{ id }}
  where carried.version = '{{ base }}'
{%- endmacro %}


{#- The version of a table that this build carries rows over from, as planned, if that still holds. -#}
{% macro carried_version(table, plan) -%}
  {%- set version = plan.base_versions.get(table) -%}
  {%- if version is none or plan.rules_hash != rules_hash() -%}
    {%- do exceptions.raise_compiler_error(
        'This refresh was planned before the code changed, and rows of old and new rules do not mix: run the whole '
        ~ '`dbt build`, which computes every table anew.'
    ) -%}
  {%- elif version not in kept_versions(table) -%}
    {%- do exceptions.raise_compiler_error(
        'This refresh was planned from a build that is no longer kept: run the whole `dbt build`, which starts from the '
        ~ 'published one.'
    ) -%}
  {%- endif -%}
  {{ return(version) }}
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
{% macro drop_unread_versions(versions, version) -%}
  {%- set read = [version] + kept_versions(versions.split('.')[1]) -%}
  {%- set unread = [] -%}
  {%- for row in run_query('show partitions ' ~ versions) -%}
    {%- set partition_version = row[0].split('/')[0].split('=')[1] -%}
    {%- if partition_version not in read + unread -%}
      {%- do unread.append(partition_version) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if unread -%}
    {%- do run_query('alter table ' ~ versions ~ " drop if exists partition (version = '"
        ~ unread | join("'), partition (version = '") ~ "')") -%}
  {%- endif -%}
{%- endmacro %}
