{#- Only Delta tables hold constraints. dbt-spark takes a table without `file_format` for a Delta table. -#}
{% macro sparkpython__persist_constraints(relation, model) %}
  {% if config.get('file_format') == 'delta' %}
    {{ spark__persist_constraints(relation, model) }}
  {% endif %}
{% endmacro %}
