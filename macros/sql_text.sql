{#- A text as SQL has it. -#}
{% macro sql_text(text) -%}
  {{ return("'" ~ text | replace('\\', '\\\\') | replace("'", "\\'") ~ "'") }}
{%- endmacro %}
