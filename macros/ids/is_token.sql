{#- Whether a text is a token, which replaces a text that no table may hold (src/scuttlehouse/ssb/texts.py). -#}
{% macro is_token(text) -%}
    {{ text }} like 'token-%'
{%- endmacro %}
