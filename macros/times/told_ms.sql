{#- The time that a message says, or that of its reception: the earlier one, so that a message is never in the
    future, or the one that there is (ruling R13). -#}
{% macro told_ms(asserted_ms, received_ms) -%}
    least({{ asserted_ms }}, {{ received_ms }})
{%- endmacro %}
