{#- A refresh computes the rows that new lines can have changed. The models int_refresh__* hold their ids; a model with
    `replaced_keys_from` replaces the rows of these ids and keeps all others. -#}

{#- Whether this build refreshes the tables of an earlier one. Otherwise every table is computed from all lines. -#}
{% macro is_refresh() -%}
  {{ return(execute and not flags.FULL_REFRESH and adapter.get_relation(database=none, schema=base_schema(), identifier='stg_ssb__messages') is not none) }}
{%- endmacro %}


{#- SQL that holds for the rows that this build computes: in a refresh those whose id is in a relation of touched ids, otherwise all. -#}
{% macro is_touched(id, touched) -%}
  {%- set relation = ref(touched) -%}
  {{ return(is_among(id, relation) if is_refresh() else 'true') }}
{%- endmacro %}


{#- SQL that holds for the rows of a model that a test reads: the touched ones where the other rows have passed the same tests in
    the build that published them, otherwise all. -#}
{% macro is_tested(model_name) -%}
  {%- if not (execute and adapter.call_python('scuttlehouse.runs.tests_touched_rows') and is_refresh()) -%}
    {{ return('true') }}
  {%- endif -%}
  {#- A seed has none. -#}
  {%- set config_of_model = (graph.nodes.get('model.scuttlehouse.' ~ model_name) or {'config': {}}).config -%}
  {%- set touched = config_of_model.get('replaced_keys_from') -%}
  {%- if not touched -%}
    {{ return('true') }}
  {%- endif -%}
  {{ return(is_among(config_of_model.unique_key, api.Relation.create(schema=target.schema, identifier=touched))) }}
{%- endmacro %}


{% macro is_among(id, relation) -%}
  {{ return(id ~ ' in (select touched.' ~ id.split('.') | last ~ ' from ' ~ relation ~ ' as touched)') }}
{%- endmacro %}
