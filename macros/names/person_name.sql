{#- SQL for what to call a person: the name that they give themselves, else their short id. -#}
{% macro person_name(person_id, name) -%}
    coalesce({{ name }}, {{ short_id(person_id) }})
{%- endmacro %}
