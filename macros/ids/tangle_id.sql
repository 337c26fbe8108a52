{#- A message may be the root of several tangles (a group/init is the root of three), so the id of a tangle
    has its kind and its root. The first colon ends the kind, so colons in the kind are escaped: otherwise two
    tangles could have the same id. -#}
{% macro tangle_id(tangle_kind, root_id) -%}
    concat(replace(replace({{ tangle_kind }}, '%', '%25'), ':', '%3A'), ':', {{ root_id }})
{%- endmacro %}
