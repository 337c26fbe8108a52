{#- SQL for the value of the first row of a group by rank. Null if several are first: then none counts. -#}
{% macro only_first(value, rank) -%}
    case when count_if({{ rank }} = 1) = 1 then max(case when {{ rank }} = 1 then {{ value }} end) end
{%- endmacro %}
