{#- Values of a column that no row of another model has. Null refers to nothing. -#}
{% test refers_to(model, column_name, to, field) %}
    select referring.{{ column_name }}
    from (
        select {{ column_name }}
        from {{ model }}
        where {{ column_name }} is not null and {{ is_tested(model.identifier) }}
    ) as referring
    left anti join {{ to }} as referred on referring.{{ column_name }} = referred.{{ field }}
{% endtest %}
