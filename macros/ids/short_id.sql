{#- SQL for the beginning of an id, which is enough to tell ids apart by eye. -#}
{% macro short_id(id) -%}
    substring(split_part({{ id }}, '/', -1), 1, 6)
{%- endmacro %}
