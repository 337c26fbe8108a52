{#- A schema is named as the project says, whatever the target: BI reads `scuttlehouse`. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
{{ custom_schema_name or target.schema }}
{%- endmacro %}
