{#- A message may be the root of several tangles (a group/init is the root of three), so the id of a tangle
    names its kind beside its root. The first colon ends the kind, whatever characters somebody gave it: or the
    ids of two tangles could be the same. -#}
{% macro tangle_id(tangle_kind, root_id) -%}
    concat(replace(replace({{ tangle_kind }}, '%', '%25'), ':', '%3A'), ':', {{ root_id }})
{%- endmacro %}
