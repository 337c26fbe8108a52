{#-
    The strategy `delete+insert`: delete the rows of some keys, then insert the rows that the model returns.
    By default these are the keys of the model's rows. `replaced_keys_from` names a model that holds the
    keys. Then a key without new rows loses its old rows, and if that model has no rows, nothing runs.
-#}
{% macro sparkpython_check_delete_insert(file_format) -%}
  {%- if file_format not in ['iceberg', 'delta'] or config.get('unique_key') is not string -%}
    {%- do exceptions.raise_compiler_error(
        'The strategy delete+insert needs the file_format iceberg or delta, and a unique_key that is one column.'
    ) -%}
  {%- endif -%}
{%- endmacro %}


{#- The relation of the model in `replaced_keys_from`, a model of the same schema that this one depends on.
None without it. -#}
{% macro sparkpython_replaced_keys() -%}
  {%- set name = config.get('replaced_keys_from') -%}
  {{ return(this.incorporate(path={'identifier': name}) if name else none) }}
{%- endmacro %}


{% macro sparkpython_delete_sql(target_relation, keys) -%}
  {%- set key = config.get('unique_key') -%}
  delete from {{ target_relation }} where {{ key }} in (select {{ key }} from {{ keys }})
{%- endmacro %}


{#- Rewrite an Iceberg table if a tenth of its rows are deleted, or if readers must open ten files of
deletes. -#}
{% macro sparkpython_compact(relation) -%}
  {%- if config.get('file_format') == 'iceberg' -%}
    {%- set is_worn -%}
      select
        int(summary['total-delete-files']) >= 10
        or bigint(summary['total-position-deletes']) * 10 > bigint(summary['total-records']) as is_worn
      from {{ relation }}.snapshots
      order by committed_at desc
      limit 1
    {%- endset -%}
    {%- if run_query(is_worn).rows[0][0] -%}
      {%- do run_query('insert overwrite ' ~ relation ~ ' select * from ' ~ relation) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro %}
