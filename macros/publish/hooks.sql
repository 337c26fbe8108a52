{#- What every run of dbt begins with: settings are checked, the warehouse is locked, and a build starts from what is published. -#}
{% macro begin_run() %}
  {%- if execute -%}
    {%- do adapter.call_python(
        'scuttlehouse.builds.runs.begin',
        command=flags.WHICH,
        run_id=invocation_id,
        is_full_refresh=flags.FULL_REFRESH,
        is_empty=flags.EMPTY,
        graph=graph,
        selected=selected_resources,
        variables={
            'settle_steps': var('settle_steps'),
            'set_ghost_span': var('set_ghost_span'),
            'kept_builds': var('kept_builds')
        }
    ) -%}
    {%- do adapter.list_relations_again(base_schema()) -%}
    {%- if flags.WHICH in ('build', 'run', 'retry') -%}
      {%- do adapter.call_python('scuttlehouse.spark.cluster.check_workers') -%}
    {%- endif -%}
    {%- if flags.WHICH == 'freshness' -%}
      {%- do create_landing_files() -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{#- What every run ends with: a build in which everything has passed is published, and the steps are logged. -#}
{% macro end_run(results) %}
  {%- if execute -%}
    {%- do adapter.call_python('scuttlehouse.builds.runs.end', results=results, arguments=invocation_args_dict) -%}
  {%- endif -%}
{% endmacro %}


{#- Shows the files of the landing folder to `dbt source freshness`. The view lives as long as the session. -#}
{% macro create_landing_files() -%}
  {%- set folder = adapter.call_python('scuttlehouse.landing.logs.landing_folder') | string | replace('\\', '\\\\') | replace("'", "\\'") -%}
  {%- do run_query('create or replace global temporary view landing_files using binaryFile options (path '
      ~ "'" ~ folder ~ "', recursiveFileLookup 'true')") -%}
{%- endmacro %}
