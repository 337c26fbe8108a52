{#- Rows whose key stands more than once, and rows whose key is not whole; `nullable` columns may be null. -#}
{% test is_key(model, columns, nullable=[]) %}
    select {{ columns | join(', ') }}
    from {{ model }}
    where {{ is_tested(model.identifier) }}
    group by {{ columns | join(', ') }}
    having count(*) > 1 or {{ columns | reject('in', nullable) | join(' is null or ') }} is null
{% endtest %}
