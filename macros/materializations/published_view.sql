{#- What BI reads: a contracted view that changes only in a `dbt build`, after every test and expectation
    has passed (each published model waits for int_quality__passed). Other commands leave it as it is. -#}
{% materialization published_view, adapter='spark' %}
  {%- set target_relation = this.incorporate(type='view') -%}

  {{ run_hooks(pre_hooks) }}

  {%- if flags.WHICH in ('build', 'retry') and not flags.EMPTY -%}
    {%- call statement('main') -%}
      {{ create_view_as(target_relation, sql) }}
    {%- endcall -%}
  {%- else -%}
    {%- call noop_statement('main', 'not published: only dbt build tests what it publishes') -%}{%- endcall -%}
  {%- endif -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{#- The version of a mart that has just passed all checks. -#}
{% macro published_version(mart) -%}
  {%- set mart_relation = ref(mart) -%}
  {%- set gate = ref('int_quality__passed') -%}
  {%- set version = version_behind(mart_relation) if execute -%}
  {{ return(versions_schema() ~ '.' ~ version if version else mart_relation) }}
{%- endmacro %}
