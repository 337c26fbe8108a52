{#- dbt's own materializations, but for a build that leaves all as it is: what is there is not made again, and what
    was tested is not tested again. -#}
{% materialization table, adapter='sparkpython', supported_languages=['sql', 'python'] %}
  {%- set old_relation = load_relation(this) -%}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- if is_kept(old_relation) -%}
    {{ return({'relations': [target_relation]}) }}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- if old_relation is not none -%}
    {%- do adapter.drop_relation(old_relation) -%}
  {%- endif -%}
  {#- dbt lets a materialization alone start a Python model, not one that it calls: so this is written out. -#}
  {%- call statement('main', language=model['language']) -%}
    {{ create_table_as(False, target_relation, compiled_code, model['language']) }}
  {%- endcall -%}
  {%- do persist_docs(target_relation, model) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{% materialization view, adapter='sparkpython' %}
  {%- if is_kept(load_relation(this)) -%}
    {{ return({'relations': [this]}) }}
  {%- endif -%}
  {{ return(materialization_view_spark()) }}
{% endmaterialization %}


{% materialization test, adapter='sparkpython' %}
  {%- if kept_build() -%}
    {%- call noop_statement('main', res=adapter.once('passed_test', passed_test)) -%}{%- endcall -%}
    {{ return({'relations': []}) }}
  {%- endif -%}
  {{ return(materialization_test_default()) }}
{% endmaterialization %}


{#- What dbt reads from a test that has found nothing. -#}
{% macro passed_test() -%}
  {{ return(run_query('select 0 as failures, false as should_warn, false as should_error')) }}
{%- endmacro %}
