{#- Settings that cannot be meant stop a run before it starts. -#}
{% macro check_settings() %}
  {%- if execute -%}
    {%- set steps = var('settle_steps') -%}
    {%- if steps is not integer or steps < 1 or steps > 64 -%}
      {%- do exceptions.raise_compiler_error(
          "The var settle_steps is " ~ steps ~ ": set it to a whole number from 1 to 64."
      ) -%}
    {%- endif -%}
    {%- set span = var('set_ghost_span') -%}
    {%- if span is not integer or span < 1 -%}
      {%- do exceptions.raise_compiler_error(
          "The var set_ghost_span is " ~ span ~ ": set it to a whole number from 1 on."
      ) -%}
    {%- endif -%}
    {%- for schema in [versions_schema(), 'scuttlehouse'] -%}
      {%- do run_query('create schema if not exists ' ~ schema) -%}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}


{#- What a build ends with: what is in the tables now, or that they stay as they were. -#}
{% macro summarise_build(results) %}
  {%- if execute and is_publishing() -%}
    {%- set views = [] -%}
    {%- set unpublished = [] -%}
    {%- for result in results if result.node.config.materialized == 'published_view' -%}
      {%- do views.append(result.node.alias) -%}
      {%- if result.status != 'success' or not publishes(result.node.alias) -%}
        {%- do unpublished.append(result.node.alias) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if unpublished and results | rejectattr('status', 'in', ['success', 'pass', 'skipped', 'no-op']) | list -%}
      {{- print("\nNothing was published: mend what failed above and build again. Until then the schema " ~
          "scuttlehouse holds the tables of the last build that passed all its checks.\nIf an expectation failed, " ~
          env_var('SCUTTLEHOUSE_HOME', '.scuttlehouse') ~ "/data_docs/index.html says which and where.\n") -}}
    {%- elif unpublished -%}
      {{- print("\nNot published, as not all of their tests were selected: " ~ unpublished | join(', ') ~ ".\n") -}}
    {%- elif views | length == published_models() | length -%}
      {{- print_summary() -}}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{% macro published_models() %}
  {{- return(
      graph.nodes.values()
      | selectattr('resource_type', 'equalto', 'model')
      | selectattr('config.materialized', 'equalto', 'published_view')
      | list
  ) -}}
{% endmacro %}
