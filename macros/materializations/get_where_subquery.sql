{#- What a generic test reads of its model, as dbt has it; and in a build whose carried rows have passed the same tests, only
    what the build has computed. -#}
{% macro spark__get_where_subquery(relation) -%}
  {%- set carried_by = graph.nodes[model.attached_node].config.get('carried_by') if execute and model.attached_node -%}
  {%- if not carried_by or not carries_tested_rows() -%}
    {{ return(default__get_where_subquery(relation)) }}
  {%- endif -%}
  {{ return('(select * from ' ~ relation ~ ' where is_computed and ' ~ (config.get('where') or 'true') ~ ') dbt_subquery') }}
{%- endmacro %}
