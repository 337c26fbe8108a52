{#- Rows with a key that is not unique or not complete (`nullable` columns may be null), and values
    that refer to no row: `references` are columns by name, each with the `model.column` that has its values. -#}
{% test is_key(model, columns, nullable=[], references={}) %}
    {%- set whole = columns | reject('in', nullable) | join(' is null or ') %}
    select
        'key' as broken_rule,
        concat_ws(' ', {{ columns | join(', ') }}) as broken_value
    from {{ tested_rows(model) }}
    group by {{ columns | join(', ') }}
    having count(*) > 1 or {{ whole }} is null
    {% for column, referred in references.items() %}
        {%- set name, key = referred.split('.') %}
        union all
        select
            'reference of {{ column }}' as broken_rule,
            referring.{{ column }} as broken_value
        from (
            select {{ column }}
            from {{ tested_rows(model) }}
            where {{ column }} is not null
        ) as referring
        left anti join {{ ref(name) }} as referred on referring.{{ column }} = referred.{{ key }}
    {% endfor %}
{% endtest %}
