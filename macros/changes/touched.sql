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


{#- A condition for rows with an id that the tests of a model read. -#}
{% macro is_tested(model_name) -%}
  {%- set tested = adapter.call_python('scuttlehouse.builds.runs.tested_keys', model_name) if execute -%}
  {{ return(is_among(tested[0], api.Relation.create(schema=target.schema, identifier=tested[1])) if tested else 'true') }}
{%- endmacro %}


{#- A model's rows as a relation to select from: in a refresh those with touched ids, otherwise all. For models
    with `replaced_keys_from`: `touched` names this model, `id` their `unique_key`. -#}
{% macro touched_rows(relation, id, touched) -%}
  {%- set keys = ref(touched) if is_refresh() or not execute -%}
  {{ return(rows_of_keys(relation, id, keys) if is_refresh() else relation) }}
{%- endmacro %}


{#- The rows of a model that a test reads, as a relation. If the other rows passed the same tests in the build
    that published them, these are the touched rows, otherwise all rows. -#}
{% macro tested_rows(relation) -%}
  {%- set keys = adapter.call_python('scuttlehouse.builds.runs.tested_keys', relation.identifier) if execute -%}
  {{ return(rows_of_keys(relation, keys[0], relation.incorporate(path={'identifier': keys[1]})) if keys else relation) }}
{%- endmacro %}


{#- A refresh inserts exactly the rows of the touched ids, so it need not look for them in the whole table. A query
    must not name such a table again: Spark would read the same rows in both places (SPARK-58330). -#}
{% macro rows_of_keys(relation, id, keys) -%}
  {%- set snapshot = adapter.call_python('scuttlehouse.builds.new_rows.snapshot_before', relation.identifier, keys.identifier) -%}
  {%- if snapshot -%}
    {{ return(relation ~ " with ('start-snapshot-id' = '" ~ snapshot ~ "')") }}
  {%- endif -%}
  {{ return('(select * from ' ~ relation ~ ' where ' ~ is_among(id, keys) ~ ')') }}
{%- endmacro %}


{#- If there are no ids, Spark plans what needs rows of them away. -#}
{% macro is_among(id, relation) -%}
  {%- if adapter.call_python('scuttlehouse.builds.new_rows.is_empty', relation.identifier) -%}
    {{ return('false') }}
  {%- endif -%}
  {{ return(id ~ ' in (select touched.' ~ id.split('.') | last ~ ' from ' ~ relation ~ ' as touched)') }}
{%- endmacro %}
