{#- A table that readers can keep reading while the next one is built and tested: every build writes a new
    table to the versions schema, and the model's own relation is a view over it. What is published goes on
    reading the version that last passed every check (macro published_version). -#}
{% materialization versioned_table, adapter='spark', supported_languages=['sql', 'python'] %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set version_relation = api.Relation.create(
      schema=versions_schema(),
      identifier=model.alias ~ '__' ~ invocation_id | replace('-', ''),
      type='table'
  ) -%}
  {%- set old_relation = adapter.get_relation(database=this.database, schema=this.schema, identifier=this.identifier) -%}
  {%- if old_relation is not none and old_relation.type != 'view' -%}
    {%- do adapter.drop_relation(old_relation) -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- call statement('main', language=model['language']) -%}
    {{ create_table_as(False, version_relation, compiled_code, model['language']) }}
  {%- endcall -%}
  {%- do run_query(create_view_as(target_relation, 'select * from ' ~ version_relation)) -%}
  {%- do drop_old_versions(version_relation) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{% macro versions_schema() -%}
{{ return(target.schema ~ '_versions') }}
{%- endmacro %}


{#- The version behind a view: what its text reads. None where there is no such view. -#}
{% macro version_behind(view) -%}
  {%- set found = adapter.get_relation(database=view.database, schema=view.schema, identifier=view.identifier) -%}
  {%- if found is none -%}{{ return(none) }}{%- endif -%}
  {%- for row in run_query('describe table extended ' ~ found.include(database=false)) if row[0] == 'View Text' -%}
    {{ return(modules.re.search(versions_schema() ~ '[.](\\w+)', row[1]).group(1)) }}
  {%- endfor -%}
{%- endmacro %}


{#- Drop the versions of a mart that neither it nor its published view reads. The one that was published
    before the last stays until now, so that no reader loses its table in the middle of a query. -#}
{% macro drop_old_versions(version_relation) -%}
  {%- set published_view = api.Relation.create(schema='scuttlehouse', identifier=model.alias, type='view') -%}
  {%- set kept = [version_relation.identifier, version_behind(published_view)] -%}
  {%- for row in run_query("show tables in " ~ versions_schema() ~ " like '" ~ model.alias ~ "__*'") if row[1] not in kept -%}
    {%- do run_query('drop table if exists ' ~ versions_schema() ~ '.' ~ row[1]) -%}
  {%- endfor -%}
{%- endmacro %}
