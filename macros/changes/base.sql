{#- The tables that a refresh starts from: those of the published build, before this build changed them. -#}
{% macro base_schema() -%}
  {{ return(target.schema ~ '_base') }}
{%- endmacro %}


{#- Columns of a model before this build, as a relation to select from. It has no rows if this build computes
    everything. `columns` are names of texts, or types by name. -#}
{% macro base_of(model_name, columns) -%}
  {%- if is_refresh() -%}
    {{ return('(select ' ~ columns | join(', ') ~ ' from ' ~ base_schema() ~ '.' ~ model_name ~ ')') }}
  {%- endif -%}
  (select
  {%- for name in columns %}
  {%- set type = columns[name] if columns is mapping else 'string' %}
  cast(null as {{ type }}) as {{ name }}{{ ',' if not loop.last }}
  {%- endfor %} where false)
{%- endmacro %}


{#- Columns of a model's rows, both as they are now and as they were before this build. -#}
{% macro now_and_before(model_name, columns) -%}
  select {{ columns | join(', ') }} from {{ ref(model_name) }}
  union all
  select {{ columns | join(', ') }} from {{ base_of(model_name, columns) }}
{%- endmacro %}


{#- The same, only for rows with touched ids. No rows if this build computes everything. -#}
{% macro touched_now_and_before(model_name, id, touched, columns) -%}
  {%- set rows = ref(model_name) -%}
  {%- set condition = is_touched(id, touched) -%}
  {%- if not is_refresh() -%}
    {{ return('select ' ~ columns | join(', ') ~ ' from ' ~ rows ~ ' where false') }}
  {%- endif -%}
  select {{ columns | join(', ') }} from {{ rows }} where {{ condition }}
  union all
  select {{ columns | join(', ') }} from {{ base_schema() }}.{{ model_name }} where {{ condition }}
{%- endmacro %}


{#- SQL for the ids of a model's rows that are new, deleted or changed since before this build. No ids if
    this build computes everything. `id` is the model's key. `touched` holds the ids that may have changed;
    `ignored` columns are not compared. -#}
{% macro changed_ids(id, model_name, touched=none, ignored=[]) -%}
  {%- set rows = ref(model_name) -%}
  {%- set condition = is_touched(id, touched) if touched else 'true' -%}
  {%- if not is_refresh() -%}
    {{ return('select ' ~ id ~ ' from ' ~ rows ~ ' where false') }}
  {%- endif -%}
  {%- set columns = '*' ~ (' except (' ~ ignored | join(', ') ~ ')' if ignored else '') -%}
  select coalesce(now.{{ id }}, before.{{ id }}) as {{ id }}
  from (select {{ columns }} from {{ rows }} where {{ condition }}) as now
  full outer join (select {{ columns }} from {{ base_schema() }}.{{ model_name }} where {{ condition }}) as before
    on now.{{ id }} = before.{{ id }}
  where struct(now.*) is distinct from struct(before.*)
{%- endmacro %}
