{#- Every run begins with this: check the settings, lock the warehouse, start a build from the published tables. -#}
{% macro begin_run() %}
  {%- if execute -%}
    {%- do adapter.call_python('scuttlehouse.catalog.home.close_log', folder=flags.LOG_PATH) -%}
    {%- do adapter.call_python(
        'scuttlehouse.builds.beginning.begin',
        command=flags.WHICH,
        run_id=invocation_id,
        schema=target.schema,
        is_full_refresh=flags.FULL_REFRESH,
        is_sampled=true if flags.EMPTY or invocation_args_dict.get('sample') else false,
        is_deferring=true if invocation_args_dict.get('defer') else false,
        graph=graph,
        selected=selected_resources,
        variables={
            'settle_steps': var('settle_steps'),
            'set_ghost_span': var('set_ghost_span'),
            'kept_builds': var('kept_builds'),
            'network_key_file': var('network_key_file')
        }
    ) -%}
    {%- do adapter.list_relations_again(base_schema()) -%}
    {%- if flags.WHICH in ('build', 'run') -%}
      {%- do adapter.call_python('scuttlehouse.builds.beginning.check_spark') -%}
    {%- endif -%}
    {%- if flags.WHICH == 'freshness' -%}
      {%- do create_landing_files() -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{#- Every run ends with this: publish a build that passed everything, and log the steps. -#}
{% macro end_run(results) %}
  {%- if execute -%}
    {%- do adapter.call_python('scuttlehouse.builds.ending.end', results=results) -%}
  {%- endif -%}
{% endmacro %}


{#- `dbt run-operation drop_developer_schema --profiles-dir profiles --target dev`: drop the work schema of
    this developer. -#}
{% macro drop_developer_schema() -%}
  {%- do adapter.call_python('scuttlehouse.builds.runs.drop_developer_schema', schema=target.schema) -%}
{%- endmacro %}


{#- Tell `dbt source freshness` of the newest log, as a build would find it: Spark leaves out files whose names begin
with a dot or an underscore. The view lasts as long as the Spark application, and all its sessions see it. -#}
{% macro create_landing_files() -%}
  {%- set newest_ms = adapter.call_python('scuttlehouse.landing.folder.newest_ms') -%}
  {%- do run_query('create or replace global temporary view landing_files as select timestamp_millis('
      ~ newest_ms ~ ') as modificationTime') -%}
{%- endmacro %}


{#- A model that reads the logs ends with this: another log in the place of one of them must not count as read. -#}
{% macro require_same_logs() -%}
  {%- if execute -%}
    {%- do adapter.call_python('scuttlehouse.landing.replaced.require_same_logs') -%}
  {%- endif -%}
{%- endmacro %}
