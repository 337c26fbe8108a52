{#- A time of reception that can be one: there was no Scuttlebutt before 2014. A log may invent any; as the
    earliest of several counts, only those too early do harm. -#}
{% macro plausible_ms(received_ms) -%}
    if({{ received_ms }} >= 1388534400000, {{ received_ms }}, null)
{%- endmacro %}
