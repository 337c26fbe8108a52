{#- dbt's test; where a build tests only what it has computed, those rows are sought among their parents, of which Spark then
    sends on what it finds, and not all that there are. -#}
{% macro spark__test_relationships(model, column_name, to, field) -%}
  {%- if not carries_tested_rows() -%}
    {{ return(default__test_relationships(model, column_name, to, field)) }}
  {%- endif -%}
with

child as (

    select {{ column_name }} as from_field from {{ model }}
    where {{ column_name }} is not null

),

parent as (

    select {{ field }} as to_field from {{ to }}
    where {{ is_where_the_test_seeks(to.identifier.removesuffix(session_view(''))) }}

),

found as (

    select parent.to_field
    from parent
    left semi join child on parent.to_field = child.from_field

)

select child.from_field
from child
left anti join found on child.from_field = found.to_field
{%- endmacro %}


{#- SQL that holds for the rows of another model among which those that this build has computed of a test's own model must find
    theirs: if both models are carried over by the same ids, for computed ones, as a row refers to one of its own id. -#}
{% macro is_where_the_test_seeks(other_model) -%}
  {%- set own_model = graph.nodes[model.attached_node].name if execute -%}
  {{ return('is_computed' if execute and carried_by(own_model)[1] and carried_by(own_model) == carried_by(other_model) else 'true') }}
{%- endmacro %}
