{#- Says in a file which files are published, for `scuttlehouse sql`, which leaves the metastore to builds. -#}
{% macro list_published_files(history) -%}
  {%- set build = published_build(history) -%}
  {%- set tables = {} -%}
  {%- for model in published_models() -%}
    {%- set columns, names, described = [], [], [] -%}
    {%- for column in model.columns.values() -%}
      {%- do columns.append('`' ~ column.name ~ '` ' ~ column.data_type) -%}
      {%- do names.append('`' ~ column.name ~ '`') -%}
      {%- do described.append(get_column_comment_sql(column.name, model.columns) | trim) -%}
    {%- endfor -%}
    {%- set is_log = model.alias == 'fct_builds' -%}
    {%- set table = builds_log().split('.')[1] if is_log else table_of(model.alias, build.versions) -%}
    {%- if table -%}
      {%- do tables.update({model.alias: {
          'table': table,
          'columns': columns | join(', '),
          'names': names | join(', '),
          'described': described | join(', '),
          'rows': builds_log() if is_log else passed_rows(table, 'passed')
      }}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do adapter.write_file(home() ~ '/published.json', tojson({
      'build_id': build.build_id,
      'published_at': build.published_at,
      'versions': build.versions,
      'schema': versions_schema(),
      'location': folder_of(versions_schema()),
      'tables': tables
  })) -%}
{%- endmacro %}
