{#- Rows whose key stands more than once, and rows whose key is not whole. -#}
{% test unique_together(model, columns) %}
    select {{ columns | join(', ') }}
    from {{ model }}
    group by {{ columns | join(', ') }}
    having count(*) > 1 or {{ columns | join(' is null or ') }} is null
{% endtest %}
