{#- The most rows of a group in a table whose rows are pairs of what a stranger may write many of. -#}
{% macro most_rows_of_a_group() -%}
    1000000
{%- endmacro %}
