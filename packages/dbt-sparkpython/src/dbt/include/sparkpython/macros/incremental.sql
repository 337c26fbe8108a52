{#-
    dbt-spark's incremental materialization, with three changes. SQL and Python models put their new rows
    into a temporary view, which is dropped afterwards. A partitioned insert_overwrite asks for dynamic
    overwriting in the statement, and not for the rest of the session. And there is the strategy
    `delete+insert`.
-#}
{% materialization incremental, adapter='sparkpython', supported_languages=['sql', 'python'] -%}
  {%- set file_format = dbt_spark_validate_get_file_format(config.get('file_format', default='parquet')) -%}
  {%- set strategy = config.get('incremental_strategy') or 'append' -%}
  {%- if strategy == 'delete+insert' -%}
    {%- do sparkpython_check_delete_insert(file_format) -%}
  {%- else -%}
    {%- do dbt_spark_validate_get_incremental_strategy(strategy, file_format) -%}
  {%- endif -%}
  {%- set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
  {%- set incremental_predicates = config.get('predicates', none) or config.get('incremental_predicates', none) -%}
  {%- set language = model['language'] -%}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- set existing_relation = load_relation(this) -%}
  {%- set is_created = existing_relation is none or existing_relation.is_view or should_full_refresh() -%}
  {%- set replaced_keys = sparkpython_replaced_keys() if strategy == 'delete+insert' and not is_created -%}

  {%- if replaced_keys and not run_query('select 1 from ' ~ replaced_keys ~ ' limit 1').rows -%}
    {%- call noop_statement('main', 'no key to replace') -%}{%- endcall -%}
    {%- if not sparkpython_has_docs(existing_relation) -%}
      {%- do persist_docs(target_relation, model) -%}
    {%- endif -%}
    {{ return({'relations': [target_relation]}) }}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- if is_created -%}
    {%- set is_replaced = existing_relation is not none and (
        file_format == 'delta' and existing_relation.is_delta or file_format == 'iceberg' and existing_relation.is_iceberg) -%}
    {%- if existing_relation is not none and not is_replaced -%}
      {% do adapter.drop_relation(existing_relation) %}
    {%- endif -%}
    {%- call statement('main', language=language) -%}
      {{ create_table_as(False, target_relation, compiled_code, language) }}
    {%- endcall -%}
    {% do persist_constraints(target_relation, model) %}
  {%- else -%}
    {%- set new_rows = this.incorporate(path={'identifier': python_result_view()}).include(database=false, schema=false) -%}
    {%- call statement('create_tmp_relation', language=language) -%}
      {{ create_table_as(True, new_rows, compiled_code, language) }}
    {%- endcall -%}
    {%- do process_schema_changes(on_schema_change, new_rows, existing_relation) -%}
    {%- if strategy == 'delete+insert' -%}
      {%- call statement('delete_replaced_keys') -%}
        {{ sparkpython_delete_sql(target_relation, replaced_keys or new_rows) }}
      {%- endcall -%}
      {%- call statement('main') -%}
        insert into {{ target_relation }} by name select * from {{ new_rows }}
      {%- endcall -%}
      {%- do sparkpython_compact(target_relation) -%}
    {%- else -%}
      {%- call statement('main') -%}
        {%- if strategy in ['insert_overwrite', 'microbatch'] and file_format not in ['delta', 'iceberg', 'hudi'] -%}
          {{ sparkpython_insert_overwrite_sql(new_rows, target_relation) }}
        {%- else -%}
          {{ dbt_spark_get_incremental_sql(strategy, new_rows, target_relation, existing_relation, config.get('unique_key', none), incremental_predicates) }}
        {%- endif -%}
      {%- endcall -%}
    {%- endif -%}
    {%- call statement('drop_tmp_relation') -%}
      drop view if exists {{ new_rows }}
    {%- endcall -%}
  {%- endif -%}

  {% do apply_grants(target_relation, config.get('grants'), should_revoke(existing_relation, should_full_refresh())) %}
  {% do persist_docs(target_relation, model) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}


{% macro sparkpython_insert_overwrite_sql(source_relation, target_relation) -%}
  {%- set columns = adapter.get_columns_in_relation(target_relation) | map(attribute='quoted') | join(', ') -%}
  insert overwrite table {{ target_relation }}
  {% if config.get('partition_by') %}with ('partitionOverwriteMode' = 'dynamic'){% endif %}
  {{ partition_cols(label='partition') }}
  select {{ columns }} from {{ source_relation }}
{%- endmacro %}
