{#- Whether a text is a token, in place of a text that no table may hold (scuttlehouse/ssb/texts.py). -#}
{% macro is_token(text) -%}
    {{ text }} like 'token-%'
{%- endmacro %}
