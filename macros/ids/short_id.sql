{#- SQL for the start of an id, which is enough to tell ids apart by eye. A classic feed keeps its sigil
    spelling, and its base64 may have a slash. -#}
{% macro short_id(id) -%}
    substring(if({{ id }} like '@%', substring({{ id }}, 2), split_part({{ id }}, '/', -1)), 1, 6)
{%- endmacro %}
