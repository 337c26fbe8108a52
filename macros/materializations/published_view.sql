{#- What BI reads: a contracted view of the version that last passed every check. Its text names no version
    (macro published_version), so a build leaves it as it is unless its columns or their descriptions changed. -#}
{% materialization published_view, adapter='spark' %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set old_relation = adapter.get_relation(database=this.database, schema=this.schema, identifier=this.identifier) -%}
  {%- set text_hash = local_md5(tojson([sql, model.description, model.columns])) -%}

  {{ run_hooks(pre_hooks) }}

  {%- if not is_publishing() or versions_schema() not in sql or text_hash in old_relation.information | default('') -%}
    {%- call noop_statement('main', 'nothing to change') -%}{%- endcall -%}
  {%- else -%}
    {%- call statement('main') -%}
      {{ create_view_as(target_relation, sql) }}
    {%- endcall -%}
    {%- do run_query('alter view ' ~ target_relation ~ " set tblproperties ('scuttlehouse.text_hash' = '" ~ text_hash ~ "')") -%}
  {%- endif -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{#- The version of a mart that has passed all checks, as a relation to select from. -#}
{% macro published_version(mart) -%}
  {%- set mart_relation = ref(mart) -%}
  {%- set passed = ref('int_quality__passed') -%}
  {%- set table = passed_table(mart) if execute -%}
  {%- if table -%}
    {{ return('(select * from ' ~ versions_schema() ~ '.' ~ table ~ " where version = (select versions['" ~ table ~ "'] from " ~ passed ~ '))') }}
  {%- endif -%}
  {{ return(mart_relation) }}
{%- endmacro %}


{#- The table of a mart's published version; none where it never passed. -#}
{% macro passed_table(mart) -%}
  {%- set tables = [] -%}
  {%- for table in passed_versions() if mart_of(table) == mart -%}
    {%- do tables.append(table) -%}
  {%- endfor -%}
  {{ return(tables | last if tables) }}
{%- endmacro %}


{% macro mart_of(table) -%}
{{ return(table.rsplit('__', 1)[0]) }}
{%- endmacro %}


{#- What int_quality__passed says: the version that is published, by the table that holds it. -#}
{% macro passed_versions() -%}
  {%- set passed = adapter.get_relation(database=none, schema=target.schema, identifier='int_quality__passed') -%}
  {%- set versions = {} -%}
  {%- if passed is not none and passed.is_view -%}
    {%- for row in run_query('select explode(versions) from ' ~ passed) -%}
      {%- do versions.update({row[0]: row[1]}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(versions) }}
{%- endmacro %}


{#- What int_quality__passed is to say after this run, as a select: the new versions of the marts that the run
    published and tested; of other marts, and of published views that read other columns until they are
    made again, the old ones. -#}
{% macro versions_to_publish(marts) -%}
  {%- set versions = {} -%}
  {%- if execute and is_publishing() -%}
    {%- set passed = passed_versions() -%}
    {%- set built = versions_behind_marts() -%}
    {%- for mart in marts -%}
      {%- set view = adapter.get_relation(database=none, schema='scuttlehouse', identifier=mart) -%}
      {%- for table in passed if mart_of(table) == mart and table in view.information | default('') -%}
        {%- do versions.update({table: passed[table]}) -%}
      {%- endfor -%}
      {%- if publishes(mart) -%}
        {%- do versions.update({built[mart].table: built[mart].version}) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endif -%}
  select cast(map(
  {%- for table in versions %}
    '{{ table }}', '{{ versions[table] }}'{{ ',' if not loop.last }}
  {%- endfor %}
  ) as map<string, string>) as versions
{%- endmacro %}


{#- The version that each mart's own view reads: that of the last build, passed or not. -#}
{% macro versions_behind_marts() -%}
  {%- set versions = {} -%}
  {%- for row in run_query('show table extended in ' ~ target.schema ~ " like 'dim_*|fct_*'") -%}
    {%- set found = modules.re.search(versions_schema() ~ "\\.(\\w+) where version = '([^']+)'", row[3]) -%}
    {%- do versions.update({row[1]: {'table': found.group(1), 'version': found.group(2)}}) -%}
  {%- endfor -%}
  {{ return(versions) }}
{%- endmacro %}
