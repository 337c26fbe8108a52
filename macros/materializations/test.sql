{#- dbt's test, but what a build leaves as it is was tested, and is not tested again. -#}
{% materialization test, adapter='sparkpython' %}
  {%- if kept_build() or tests_what_is_idle() -%}
    {%- call noop_statement('main', res=adapter.once('passed_test', passed_test)) -%}{%- endcall -%}
    {{ return({'relations': []}) }}
  {%- endif -%}
  {{ return(materialization_test_default()) }}
{% endmaterialization %}


{#- What dbt reads from a test that has found nothing. -#}
{% macro passed_test() -%}
  {{ return(run_query('select 0 as failures, false as should_warn, false as should_error')) }}
{%- endmacro %}
