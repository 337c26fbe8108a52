{#- Settings that cannot be meant stop a run before it starts. -#}
{% macro check_settings() %}
  {%- if execute -%}
    {%- set steps = var('settle_steps') -%}
    {%- if steps is not integer or steps < 1 or steps > 64 -%}
      {%- do exceptions.raise_compiler_error(
          "The var settle_steps is " ~ steps ~ ": set it to a whole number from 1 to 64."
      ) -%}
    {%- endif -%}
    {%- for schema in [versions_schema(), 'scuttlehouse'] -%}
      {%- do run_query('create schema if not exists ' ~ schema) -%}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}

{% macro summarise_build(results) %}
{% endmacro %}
