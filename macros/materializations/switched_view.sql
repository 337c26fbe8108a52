{#- A view that changes in one step: no reader finds it missing or half changed. (Spark drops and makes a view
    again for `create or replace`; `alter view` is one entry in the metastore.) Only a `dbt build` changes it:
    other commands test nothing. -#}
{% materialization switched_view, adapter='spark' %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set old_relation = adapter.get_relation(database=this.database, schema=this.schema, identifier=this.identifier) -%}

  {%- if old_relation is not none and old_relation.type != 'view' -%}
    {%- do adapter.drop_relation(old_relation) -%}
    {%- set old_relation = none -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- call statement('main') -%}
    {%- if not is_publishing() -%}
      select 'not switched: only dbt build tests what it publishes'
    {%- elif old_relation is none -%}
      create view {{ target_relation }} as {{ sql }}
    {%- else -%}
      alter view {{ target_relation }} as {{ sql }}
    {%- endif -%}
  {%- endcall -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{% macro is_publishing() -%}
{{ return(flags.WHICH in ('build', 'retry') and not flags.EMPTY) }}
{%- endmacro %}


{#- Whether this run tests a mart with every test that it has, so that it may be published. A retry runs what
    is left of a build: what that has tested is tested. -#}
{% macro is_tested(mart) -%}
  {%- set untested = [] -%}
  {%- if flags.WHICH == 'build' -%}
    {%- for node in graph.nodes.values() if node.resource_type == 'test' and node.unique_id not in selected_resources -%}
      {%- for tested in node.depends_on.nodes if tested.split('.')[-1] in (mart, 'fct_quality_results') -%}
        {%- do untested.append(node.name) -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(not untested) }}
{%- endmacro %}
