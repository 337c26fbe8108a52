{#- dbt-spark's table, but for a build that has nothing to compute of it: what is there is not made again. -#}
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
  {%- do view_table_in_session(this) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}
