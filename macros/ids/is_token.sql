{#- Whether a text stands for one that no table may hold, by src/scuttlehouse/texts.py. It is nobody's id. -#}
{% macro is_token(text) -%}
    {{ text }} like 'token-%'
{%- endmacro %}
