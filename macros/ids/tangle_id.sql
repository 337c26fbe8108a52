{#- A message may be the root of several tangles (a group/init is the root of three), so the id of a tangle
    names its kind beside its root. -#}
{% macro tangle_id(tangle_kind, root_id) -%}
    concat({{ tangle_kind }}, ':', {{ root_id }})
{%- endmacro %}
