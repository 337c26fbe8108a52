{#- SQL for the name of a group: the name in its first message, otherwise `Group ` and its short id. -#}
{% macro group_name(group_id, said_name) -%}
    coalesce({{ said_name }}, concat('Group ', {{ short_id(group_id) }}))
{%- endmacro %}
