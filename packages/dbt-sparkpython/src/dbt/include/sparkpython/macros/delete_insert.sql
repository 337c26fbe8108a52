{#-
  The strategy `delete+insert`: the rows of some keys are deleted, and the rows that the model returns are inserted. By default
  these are the keys of the model's rows. `replaced_keys_from` names a model that holds them: then a key of which
  the model returns nothing loses its rows, and where that model has no row, nothing is run.
-#}
{% macro sparkpython_check_delete_insert(file_format) -%}
  {%- if file_format not in ['iceberg', 'delta'] or config.get('unique_key') is not string -%}
    {%- do exceptions.raise_compiler_error(
        'The strategy delete+insert needs the file_format iceberg or delta, and a unique_key that is one column.'
    ) -%}
  {%- endif -%}
{%- endmacro %}


{#- The relation that `replaced_keys_from` names, a model of the same schema on which this one depends; none without it. -#}
{% macro sparkpython_replaced_keys() -%}
  {%- set name = config.get('replaced_keys_from') -%}
  {{ return(this.incorporate(path={'identifier': name}) if name else none) }}
{%- endmacro %}


{% macro sparkpython_delete_sql(target_relation, keys) -%}
  {%- set key = config.get('unique_key') -%}
  delete from {{ target_relation }} where {{ key }} in (select {{ key }} from {{ keys }})
{%- endmacro %}


{#- Rewrite an Iceberg table whose readers skip a tenth of its rows, or open ten files to know which: it then has neither. -#}
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
