{#- Rows whose key stands more than once or is not whole (`nullable` columns may be null), and values of
    `references` (each a column, the relation `to` and the field there) that no row of the other relation has.
    Null refers to nothing. -#}
{% test is_key(model, columns, nullable=[], references=[]) %}
    {%- set whole = columns | reject('in', nullable) | join(' is null or ') %}
    select
        'key' as broken_rule,
        concat_ws(' ', {{ columns | join(', ') }}) as broken_value
    from {{ model }}
    where {{ is_tested(model.identifier) }}
    group by {{ columns | join(', ') }}
    having count(*) > 1 or {{ whole }} is null
    {% for reference in references %}
        union all
        select
            'reference of {{ reference.column }}' as broken_rule,
            referring.{{ reference.column }} as broken_value
        from (
            select {{ reference.column }}
            from {{ model }}
            where {{ reference.column }} is not null and {{ is_tested(model.identifier) }}
        ) as referring
        left anti join {{ reference.to }} as referred
            on referring.{{ reference.column }} = referred.{{ reference.field }}
    {% endfor %}
{% endtest %}
