{#- What BI reads: a contracted view of the version that last passed every check. Its text names no version
    (macro published_version), so a build leaves it as it is unless its columns or their descriptions changed. -#}
{% materialization published_view, adapter='spark' %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set old_relation = adapter.get_relation(database=this.database, schema=this.schema, identifier=this.identifier) -%}
  {%- if is_kept(old_relation) -%}
    {{ return({'relations': [target_relation]}) }}
  {%- endif -%}
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
  {%- set table = table_of(mart, adapter.once('passed_versions', passed_versions)) if execute -%}
  {%- if table -%}
    {{ return(passed_rows(table, passed)) }}
  {%- endif -%}
  {{ return(mart_relation) }}
{%- endmacro %}


{#- The rows of the version of a table that a relation says has passed, whichever that is when somebody reads. -#}
{% macro passed_rows(table, passed) -%}
  {%- set version = "(select versions['" ~ table ~ "'] from " ~ passed ~ ')' -%}
  {{ return(rows_behind(table, version, 'split_part(' ~ version ~ ", '_on_', 2)")) }}
{%- endmacro %}


{#- The table that holds a model's version in a build; none where the build has none. -#}
{% macro table_of(model_name, versions) -%}
  {%- set tables = [] -%}
  {%- for table in versions if model_of(table) == model_name -%}
    {%- do tables.append(table) -%}
  {%- endfor -%}
  {{ return(tables | last if tables) }}
{%- endmacro %}


{% macro model_of(table) -%}
{{ return(table.rsplit('__', 1)[0]) }}
{%- endmacro %}


{#- The versions that are published, by the table that holds them. -#}
{% macro passed_versions() -%}
  {{ return((published_build(build_history()) or {'versions': {}}).versions) }}
{%- endmacro %}


{#- What int_quality__passed is to say after this run, as a select: the new versions of the marts that the run
    published and tested; of other marts, and of published views that read other columns until they are
    made again, the old ones. A build that published all of them is whole: the next one may start from it. -#}
{% macro versions_to_publish(marts) -%}
  {%- set versions = {} -%}
  {%- set history = build_history() if execute and is_publishing() else {'builds': []} -%}
  {%- if execute and is_publishing() -%}
    {%- set passed = (published_build(history) or {'versions': {}}).versions -%}
    {%- set built = versions_behind_models() -%}
    {%- set left_out = [] -%}
    {%- for mart in marts -%}
      {%- set view = adapter.get_relation(database=none, schema='scuttlehouse', identifier=mart) -%}
      {%- for table in passed if model_of(table) == mart and table in view.information | default('') -%}
        {%- do versions.update({table: passed[table]}) -%}
      {%- endfor -%}
      {%- if publishes(mart) -%}
        {%- do versions.update({built[mart].table: built[mart].version}) -%}
      {%- else -%}
        {%- do left_out.append(mart) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if not left_out and refresh_plan().get('rules_hash') != rules_hash() -%}
      {%- do refuse_an_old_plan() -%}
    {%- endif -%}
    {%- for name in built if name not in marts -%}
      {%- do versions.update({built[name].table: built[name].version}) -%}
    {%- endfor -%}
    {%- set build = {
        'build_id': invocation_id,
        'published_at': modules.datetime.datetime.now(modules.pytz.utc).strftime('%Y-%m-%d %H:%M:%S UTC'),
        'is_whole': not left_out,
        'replaced': history.published,
        'rules_hash': rules_hash(),
        'project_hash': refresh_plan().get('project_hash'),
        'versions': versions
    } -%}
    {%- do history.update({'published': invocation_id, 'builds': ([build] + builds_to_go_back_to(history))[:var('kept_builds')]}) -%}
  {%- endif -%}
  select
    cast(map(
    {%- for table in versions %}
      '{{ table }}', '{{ versions[table] }}'{{ ',' if not loop.last }}
    {%- endfor %}
    ) as map<string, string>) as versions,
    '{{ tojson(history) }}' as history
{%- endmacro %}


{#- The builds of a history in the order in which a rollback takes them: the published one, what is older, and last what somebody
    has rolled back from. -#}
{% macro builds_to_go_back_to(history) -%}
  {%- set undone, others = [], [] -%}
  {%- for build in history.builds -%}
    {%- do (others if others or build.build_id == history.published else undone).append(build) -%}
  {%- endfor -%}
  {{ return(others + undone) }}
{%- endmacro %}


{#- The version that each versioned model's own view reads: that of the last build, passed or not. -#}
{% macro versions_behind_models() -%}
  {%- set names = graph.nodes.values() | selectattr('resource_type', 'equalto', 'model')
      | selectattr('config.materialized', 'equalto', 'versioned_table') | map(attribute='alias') | list -%}
  {%- set versions = {} -%}
  {%- for row in run_query('show table extended in ' ~ target.schema ~ " like '" ~ names | join('|') ~ "'") -%}
    {%- set found = modules.re.search(versions_schema() ~ "\\.(\\w+) where version = '([^']+)'", row[3]) -%}
    {%- if found -%}
      {%- do versions.update({row[1]: {'table': found.group(1), 'version': found.group(2)}}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(versions) }}
{%- endmacro %}
