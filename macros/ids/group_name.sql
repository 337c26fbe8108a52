{#- SQL for what to call a group: the name that its first message gives, else its short id. -#}
{% macro group_name(group_id, said_name) -%}
    coalesce({{ said_name }}, concat('Group ', {{ short_id(group_id) }}))
{%- endmacro %}
