{#- What every build has done, step by step: a table that builds add to and readers read as it is. -#}
{% macro builds_log() -%}
  {{ return(versions_schema() ~ '.builds') }}
{%- endmacro %}


{#- The columns of the log; build_id is its partition. -#}
{% macro builds_log_columns() -%}
  {{ return({
      'step': 'string', 'step_kind': 'string', 'status': 'string', 'message': 'string', 'seconds': 'double',
      'rows_in': 'bigint', 'rows_out': 'bigint', 'rows_added': 'bigint', 'rows_changed': 'bigint', 'rows_gone': 'bigint',
      'settling_steps': 'bigint', 'started_at': 'timestamp'
  }) }}
{%- endmacro %}


{#- Make the log, or give it the columns that have come since it was made: what it tells of earlier builds stays. -#}
{% macro create_builds_log() -%}
  {%- do run_query('create table if not exists ' ~ builds_log() ~ ' (step string, build_id string) using parquet partitioned by (build_id)') -%}
  {%- set known = run_query('describe ' ~ builds_log()).columns[0].values() -%}
  {%- set missing = [] -%}
  {%- for name, type in builds_log_columns().items() if name not in known -%}
    {%- do missing.append(name ~ ' ' ~ type) -%}
  {%- endfor -%}
  {%- if missing -%}
    {%- do run_query('alter table ' ~ builds_log() ~ ' add columns (' ~ missing | join(', ') ~ ')') -%}
  {%- endif -%}
{%- endmacro %}


{#- Add a run to the log: one row for all of it, and one for each of its steps, if they did anything. -#}
{% macro log_build(results, status, changes) -%}
  {%- set row_counts = count_rows(results) -%}
  {%- set seconds = (modules.datetime.datetime.now(modules.pytz.utc) - run_started_at).total_seconds() -%}
  {%- set rows = [logged(step='build', kind='build', status=status, seconds=seconds, changes=total_changes(changes), started_at=run_started_at)] -%}
  {%- for result in results if result.node.resource_type in ('model', 'seed', 'test') and status != 'unchanged' -%}
    {%- set rows_in = [] -%}
    {%- for parent in result.node.depends_on.nodes if parent in row_counts -%}
      {%- do rows_in.append(row_counts[parent]) -%}
    {%- endfor -%}
    {%- set rows_out = row_counts.get(result.node.unique_id) -%}
    {%- set message = none if result.status in ('success', 'pass') else result.message -%}
    {%- set started_at = (result.timing | last).started_at if result.timing else none -%}
    {%- do rows.append(logged(
        step=result.node.name,
        kind=result.node.resource_type,
        status=result.status,
        message=message,
        seconds=result.execution_time,
        rows_in=rows_in | sum if rows_in else none,
        rows_out=rows_out,
        changes=changes.get(result.node.alias) if result.node.config.materialized == 'published_view' else none,
        settling_steps=var('settle_steps') if result.node.name == 'int_tangles__settled' else none,
        started_at=started_at
    )) -%}
  {%- endfor -%}
  {%- do write_log(invocation_id, rows) -%}
{%- endmacro %}


{% macro write_log(build_id, rows) -%}
  {%- do run_query('insert into ' ~ builds_log() ~ ' (' ~ builds_log_columns() | join(', ') ~ ", build_id) select *, '" ~ build_id ~ "' from values "
      ~ rows | join(', ')) -%}
{%- endmacro %}


{#- A row of the log as SQL values. Of a message the first line counts, cut where it gets long. -#}
{% macro logged(
    step, kind, status, message=none, seconds=none, rows_in=none, rows_out=none, changes=none, settling_steps=none, started_at=none
) -%}
  {%- set values = [] -%}
  {%- for text in (step, kind, status, (message or '').strip().split('\n')[0][:500] or none) -%}
    {%- do values.append(sql_text(text) if text is not none else 'null') -%}
  {%- endfor -%}
  {%- for number in [seconds, rows_in, rows_out] + (changes or [none, none, none]) + [settling_steps] -%}
    {%- do values.append(number if number is not none else 'null') -%}
  {%- endfor -%}
  {%- do values.append("timestamp'" ~ started_at ~ "'" if started_at else 'null') -%}
  {{ return('(' ~ values | join(', ') ~ ')') }}
{%- endmacro %}


{#- The rows that a run has written, by the model's id, where they were inserted: Spark counts those itself. -#}
{% macro count_rows(results) -%}
  {%- set counts = {} -%}
  {%- for result in results if result.adapter_response and result.adapter_response.get('rows_affected') is not none -%}
    {%- do counts.update({result.node.unique_id: result.adapter_response['rows_affected']}) -%}
  {%- endfor -%}
  {{ return(counts) }}
{%- endmacro %}
