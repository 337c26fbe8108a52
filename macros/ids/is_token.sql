{#- Whether a text stands for one that no table may hold (src/scuttlehouse/ssb/texts.py). It is no id. -#}
{% macro is_token(text) -%}
    {{ text }} like 'token-%'
{%- endmacro %}
