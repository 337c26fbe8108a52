{#- A time of reception, unless it is before 2014, when there was no Scuttlebutt. A log may invent any time;
    because the earliest time counts, only times that are too early do harm. -#}
{% macro plausible_ms(received_ms) -%}
    if({{ received_ms }} >= 1388534400000, {{ received_ms }}, null)
{%- endmacro %}
