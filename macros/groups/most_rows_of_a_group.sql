{#- SQL for the most rows of a group in a table whose rows are pairs of what a stranger may write many of. -#}
{% macro most_rows_of_a_group(message_count, free_count) -%}
    greatest({{ free_count }}, 100 * {{ message_count }})
{%- endmacro %}
