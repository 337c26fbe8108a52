{#- A table that readers can keep reading while the next build is made and tested: every build writes a
    partition of its own to a table in the versions schema, and the model's own relation is a view of that
    partition. What is published goes on reading the version that last passed every check
    (int_quality__passed). Rows of other columns go to another table: versions are never mixed. -#}
{% materialization versioned_table, adapter='spark', supported_languages=['sql', 'python'] %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set rows = api.Relation.create(identifier=model.alias ~ '__' ~ local_md5(invocation_id ~ model.unique_id)) -%}
  {%- set old_relation = adapter.get_relation(database=this.database, schema=this.schema, identifier=this.identifier) -%}
  {%- if old_relation is not none and old_relation.type != 'view' -%}
    {%- do adapter.drop_relation(old_relation) -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- call statement('rows', language=model['language']) -%}
    {{ create_table_as(True, rows, compiled_code, model['language']) }}
  {%- endcall -%}
  {%- set columns = [] -%}
  {%- for row in run_query('describe ' ~ rows) -%}
    {%- do columns.append('`' ~ row[0] ~ '` ' ~ row[1]) -%}
  {%- endfor -%}
  {%- set versions = versions_schema() ~ '.' ~ model.alias ~ '__' ~ local_md5(columns | join(', '))[:8] -%}
  {%- do run_query('create table if not exists ' ~ versions ~ ' (' ~ columns | join(', ') ~ ', version string)'
      ~ ' using parquet partitioned by (version)') -%}
  {%- call statement('main') -%}
    insert into table {{ versions }} partition (version = '{{ invocation_id }}') select * from {{ rows }}
  {%- endcall -%}
  {%- do run_query('drop view ' ~ rows) -%}
  {%- do run_query(create_view_as(
      target_relation,
      'select * except (version) from ' ~ versions ~ " where version = '" ~ invocation_id ~ "'"
  )) -%}
  {%- do drop_unread_versions(versions) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{% macro versions_schema() -%}
{{ return(target.schema ~ '_versions') }}
{%- endmacro %}


{#- Drop the versions that neither the mart's own view nor its published one reads. The one that was published
    before the last stays until now, so that no reader loses its rows in the middle of a query. -#}
{% macro drop_unread_versions(versions) -%}
  {%- set read = [invocation_id, passed_versions().get(versions.split('.')[1])] -%}
  {%- set unread = [] -%}
  {%- for row in run_query('show partitions ' ~ versions) if row[0].split('=')[1] not in read -%}
    {%- do unread.append("partition (version = '" ~ row[0].split('=')[1] ~ "')") -%}
  {%- endfor -%}
  {%- if unread -%}
    {%- do run_query('alter table ' ~ versions ~ ' drop if exists ' ~ unread | join(', ')) -%}
  {%- endif -%}
{%- endmacro %}
