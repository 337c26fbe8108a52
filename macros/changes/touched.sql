{#- A refresh computes the rows that new lines may have changed. The models int_changes__* hold their ids. A
    model with `replaced_keys_from` replaces the rows with these ids and keeps all others. -#}

{#- Whether this build refreshes the tables of an earlier one. If not, it computes every table from all lines. -#}
{% macro is_refresh() -%}
  {{ return(execute and not flags.FULL_REFRESH and adapter.get_relation(database=none, schema=base_schema(), identifier='stg_ssb__messages') is not none) }}
{%- endmacro %}


{#- A condition for the rows that this build computes: those with touched ids in a refresh, otherwise all. -#}
{% macro is_touched(id, touched) -%}
  {%- set relation = ref(touched) -%}
  {{ return(is_among(id, relation) if is_refresh() else 'true') }}
{%- endmacro %}


{#- A condition for the rows of a model that a test reads. If the other rows passed the same tests in the
    build that published them, these are the touched rows, otherwise all rows. -#}
{% macro is_tested(model_name) -%}
  {%- set tested = adapter.call_python('scuttlehouse.builds.runs.tested_keys', model_name) if execute -%}
  {{ return(is_among(tested[0], api.Relation.create(schema=target.schema, identifier=tested[1])) if tested else 'true') }}
{%- endmacro %}


{% macro is_among(id, relation) -%}
  {{ return(id ~ ' in (select touched.' ~ id.split('.') | last ~ ' from ' ~ relation ~ ' as touched)') }}
{%- endmacro %}
