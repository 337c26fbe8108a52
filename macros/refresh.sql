{#- What a refresh starts from: the build that is published. A refresh computes what new lines can have
    changed, and carries the rest over from there, so a build that failed or was killed leaves nothing behind
    that counts. -#}

{#- The builds whose tables are kept, newest first, and which of them is published: what the history column of
    int_quality__passed says. -#}
{% macro build_history() -%}
  {%- set passed = adapter.get_relation(database=none, schema=target.schema, identifier='int_quality__passed') -%}
  {%- if passed is not none and passed.is_view -%}
    {%- set rows = run_query('select * from ' ~ passed) -%}
    {%- if 'history' in rows.column_names -%}
      {{ return(fromjson(rows.rows[0]['history'])) }}
    {%- endif -%}
  {%- endif -%}
  {{ return({'published': none, 'builds': []}) }}
{%- endmacro %}


{#- The build of a history that is published; none where there is none yet. -#}
{% macro published_build(history) -%}
  {{ return(history.builds | selectattr('build_id', 'equalto', history.published) | first) }}
{%- endmacro %}


{#- What the tables of a build hang on beside the lines that were read: the code, and the vars that change
    what is computed. -#}
{% macro rules_hash() -%}
  {{ return(adapter.once('rules_hash', hash_of_rules)) }}
{%- endmacro %}


{% macro hash_of_rules() -%}
  {{ return(local_md5(adapter.rules_hash('scuttlehouse') ~ var('set_ghost_span') ~ ' ' ~ var('settle_steps'))[:16]) }}
{%- endmacro %}


{#- The published build, if a whole `dbt build` would only make and test its tables again: no log, no rule, no test and
    no description is other than then, and nothing has been built since. Else none. -#}
{% macro unchanged_since(base, base_versions, project_hash) -%}
  {%- if flags.WHICH != 'build' or not base_versions or base.project_hash != project_hash -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set built = {} -%}
  {%- for model in versions_behind_models().values() -%}
    {%- do built.update({model.table: model.version}) -%}
  {%- endfor -%}
  {%- set other_logs = run_query(
      'select 1 from ' ~ target.schema ~ '.stg_landing__logs as logs full outer join scuttlehouse.dim_logs as published'
      ~ ' on logs.source_file = published.source_file'
      ~ " where struct(logs.batch_id, timestamp_millis(logs.modified_ms), logs.status = 'vanished')"
      ~ " is distinct from struct(published.batch_id, published.modified_at, published.status = 'vanished') limit 1"
  ) -%}
  {{ return({'build_id': base.build_id, 'published_at': base.published_at} if built == base_versions and not other_logs.rows else none) }}
{%- endmacro %}


{#- The published build, where int_refresh__plan has found that this run can leave all tables as they are. -#}
{% macro kept_build() -%}
  {%- set plan = adapter.answered('plan_of_this_build') if execute -%}
  {{ return(plan.unchanged_since if plan else none) }}
{%- endmacro %}


{#- Whether a relation stays as it is, instead of being made again; then dbt gets the answer that a model wants. -#}
{% macro is_kept(relation) -%}
  {%- set build = kept_build() -%}
  {%- if build and relation -%}
    {%- call noop_statement('main', 'unchanged since build ' ~ build.build_id) -%}{%- endcall -%}
    {{ return(true) }}
  {%- elif relation and model.config.get('computed_for') and is_idle(model.unique_id) -%}
    {%- call noop_statement('main', 'nothing of it is touched') -%}{%- endcall -%}
    {{ return(true) }}
  {%- endif -%}
  {{ return(false) }}
{%- endmacro %}


{#- Whether this build has nothing to compute of a model: it is carried over whole, or `computed_for` models that are, and nobody
    reads it. What it then holds may be of a build that failed, so a build that tests all rows computes it, on nothing. -#}
{% macro is_idle(model_id) -%}
  {%- set node = graph.nodes[model_id] -%}
  {%- if node.resource_type != 'model' or not carries_tested_rows() -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set touched = node.config.get('computed_for') or carried_by(node.name)[1] -%}
  {{ return(touched != '' and row_count(touched) == 0) }}
{%- endmacro %}


{#- Whether all that a test reads is idle in this build, so that it would find what it has found before. -#}
{% macro tests_what_is_idle() -%}
  {%- for parent in model.depends_on.nodes -%}
    {%- if parent not in selected_resources or not is_idle(parent) -%}
      {{ return(false) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(model.depends_on.nodes != []) }}
{%- endmacro %}


{#- The versions of the published build, if this run may carry rows over from them; else none, and every table is
    computed from all lines. -#}
{% macro base_versions(base) -%}
  {%- set logs = adapter.get_relation(database=none, schema=target.schema, identifier='stg_landing__logs') -%}
  {%- set published_logs = adapter.get_relation(database=none, schema='scuttlehouse', identifier='dim_logs') -%}
  {%- if flags.FULL_REFRESH or flags.EMPTY or not base or not logs or not published_logs
      or not base.is_whole or base.rules_hash != rules_hash() -%}
    {{ return({}) }}
  {%- endif -%}
  {%- set same = run_query('select 1 from ' ~ logs ~ ' inner join ' ~ published_logs ~ ' using (landing_folder) limit 1') -%}
  {{ return(base.versions if same.rows else {}) }}
{%- endmacro %}


{#- Where this run starts from, as int_refresh__plan says it. -#}
{% macro plan_as_json() -%}
  {{ return(tojson(adapter.once('plan_of_this_build', plan_of_this_build) if execute else {})) }}
{%- endmacro %}


{% macro plan_of_this_build() -%}
  {%- set base = published_build(build_history()) or {} -%}
  {%- set versions = base_versions(base) -%}
  {%- set project_hash = adapter.project_hash('scuttlehouse') -%}
  {%- set kept = unchanged_since(base, versions, project_hash) -%}
  {%- if is_publishing() and not kept -%}
    {#- Great Expectations takes seconds to import, and nothing else runs beside the model that needs it. A third of that are
        statistics for expectations that are not ours. -#}
    {%- do adapter.import_ahead(['great_expectations'], ['scipy.stats']) -%}
  {%- endif -%}
  {{ return({
      'planned_by': invocation_id,
      'base_versions': versions,
      'carries_tested_rows': versions != {} and base.project_hash == project_hash,
      'rules_hash': rules_hash(),
      'project_hash': project_hash,
      'unchanged_since': kept
  }) }}
{%- endmacro %}


{#- What int_refresh__plan says, of this run or of the last one that made it. -#}
{% macro refresh_plan() -%}
  {{ return(adapter.answered('plan_of_this_build') or read_refresh_plan()) }}
{%- endmacro %}


{% macro read_refresh_plan() -%}
  {%- set plan = adapter.get_relation(database=none, schema=target.schema, identifier='int_refresh__plan') -%}
  {%- if plan is none -%}
    {{ return({'base_versions': {}}) }}
  {%- endif -%}
  {{ return(fromjson(run_query('select refresh_plan from ' ~ plan).rows[0][0])) }}
{%- endmacro %}


{#- Whether this build carries rows over from the published one, and computes only what may have changed. -#}
{% macro is_refresh() -%}
  {%- do ref('int_refresh__plan') -%}
  {{ return(execute and refresh_plan().base_versions != {}) }}
{%- endmacro %}


{#- SQL that holds for the rows that this build computes: in a refresh those whose id is in a relation of what may
    have changed, else all. What it leaves out, the materialization carries over. -#}
{% macro is_touched(id, touched) -%}
  {%- set relation = ref(touched) -%}
  {{ return(is_among(id, relation) if is_refresh() else 'true') }}
{%- endmacro %}


{#- SQL that holds for the rows of a versioned model that this build computes: is_touched for what reads them, where
    the model says itself which they are. If another run has made it, it may be of another plan. -#}
{% macro is_computed(versioned_model) -%}
  {%- do ref(versioned_model) -%}
  {%- if not is_refresh() -%}
    {{ return('true') }}
  {%- elif adapter.answered('plan_of_this_build') and 'model.scuttlehouse.' ~ versioned_model in selected_resources -%}
    {{ return('is_computed') }}
  {%- endif -%}
  {{ return(is_among_touched(versioned_model)) }}
{%- endmacro %}


{#- SQL that holds for the rows whose id is among those that a versioned model is `carried_by`; for all of a model that is
    computed anew in every build. -#}
{% macro is_among_touched(versioned_model) -%}
  {%- set id, touched = carried_by(versioned_model) -%}
  {{ return(is_among(id, rows_made(touched)) if id else 'true') }}
{%- endmacro %}


{#- A hint to Spark, for a relation whose rows those of a model bound: to send it to where the rows of the others are read. Of its
    own, Spark takes it for as large as what it was filtered from, and sorts all. -#}
{% macro in_memory(relation, model_name) -%}
  {%- do ref(model_name) -%}
  {{ return('/*+ broadcast(' ~ relation ~ ') */' if is_refresh() and are_few(model_name) else '') }}
{%- endmacro %}


{#- Whether the rows of a model are few enough to be held in memory by whoever reads others. -#}
{% macro are_few(model_name) -%}
  {{ return(row_count(model_name) <= 100000) }}
{%- endmacro %}


{#- SQL that holds for the rows of a mart that a test is to look at: those that this build computes, where what it
    carries over has passed the same tests; else all. -#}
{% macro is_tested() -%}
  {{ return('is_computed' if carries_tested_rows() else 'true') }}
{%- endmacro %}


{% macro is_among(id, relation) -%}
  {{ return(id ~ ' in (select touched.' ~ id.split('.') | last ~ ' from ' ~ relation ~ ' as touched)') }}
{%- endmacro %}


{#- The same for rows that hang on the ids of a relation. -#}
{% macro is_tested_among(id, touched) -%}
  {%- set relation = ref(touched) -%}
  {{ return(is_among(id, relation) if carries_tested_rows() else 'true') }}
{%- endmacro %}


{#- Whether the rows that this build carries over have passed every test that it runs. A run that goes on with the
    plan of another one tests all rows. -#}
{% macro carries_tested_rows() -%}
  {%- set plan = adapter.answered('plan_of_this_build') if execute and is_publishing() -%}
  {{ return(plan.carries_tested_rows if plan else false) }}
{%- endmacro %}


{#- Columns of a model as the published build has them, as a relation to select from: no rows where everything is
    computed. `columns` are the types by name. -#}
{% macro base_of(model_name, columns) -%}
  {%- if is_refresh() -%}
    {{ return('(select ' ~ columns | join(', ') ~ ' from ' ~ base_rows(model_name) ~ ')') }}
  {%- endif -%}
  (select
  {%- for name, type in columns.items() %} cast(null as {{ type }}) as {{ name }}{{ ',' if not loop.last }}
  {%- endfor %} where false)
{%- endmacro %}


{#- Columns of a model's rows as they are now and as the published build has them. -#}
{% macro now_and_published(model_name, columns) -%}
  select {{ columns | join(', ') }} from {{ ref(model_name) }}
  union all
  select {{ columns | join(', ') }} from {{ base_of(model_name, columns) }}
{%- endmacro %}


{#- Of those rows the ones with touched ids: what this build computes, and what was in its place. None where
    everything is computed. -#}
{% macro touched_now_and_published(model_name, columns) -%}
  {%- set rows = ref(model_name) -%}
  {%- if not is_refresh() -%}
    {{ return('select ' ~ columns | join(', ') ~ ' from ' ~ rows ~ ' where false') }}
  {%- endif -%}
  select {{ columns | join(', ') }} from {{ rows }} where {{ is_computed(model_name) }}
  union all
  select {{ columns | join(', ') }} from {{ base_rows(model_name) }}
  where {{ is_among_touched(model_name) }}
{%- endmacro %}


{% macro base_rows(model_name) -%}
  {%- set versions = refresh_plan().base_versions -%}
  {%- set table = table_of(model_name, versions) -%}
  {%- if not table -%}
    {%- do exceptions.raise_compiler_error('The published build has no version of ' ~ model_name ~ '.') -%}
  {%- endif -%}
  {{ return('(select * except (is_computed) from ' ~ rows_of_version_in_session(table, versions[table]) ~ ')') }}
{%- endmacro %}


{#- SQL for the ids of a model's rows that the published build does not have, or has otherwise: none where
    everything is computed. `id` is the model's key; `ignored` columns are not compared. -#}
{% macro changed_ids(id, model_name, ignored=[]) -%}
  {%- set rows = ref(model_name) -%}
  {%- if not is_refresh() -%}
    {{ return('select ' ~ id ~ ' from ' ~ rows ~ ' where false') }}
  {%- endif -%}
  {%- set new = '(select * except (' ~ (ignored + ['is_computed']) | join(', ') ~ ') from ' ~ rows
      ~ ' where ' ~ is_computed(model_name) ~ ')' -%}
  {%- set asked = is_among_touched(model_name) -%}
  {%- if asked != 'true' -%}
    {#- Most of what is computed is new: if all is, Spark sees it here and reads no other column. -#}
    {#- Few ids are sent to where the rows are read; of its own, Spark sorts all rows and all their columns. -#}
    {%- set carried_id, touched = carried_by(model_name) -%}
    {%- set hint = '/*+ broadcast(base) */ ' if id == carried_id and are_few(touched) else '' -%}
    {%- set asked = id ~ ' in (select ' ~ hint ~ id ~ ' from ' ~ base_rows(model_name) ~ ' as base where ' ~ asked ~ ')' -%}
  {%- endif -%}
  {%- set columns = '*' ~ (' except (' ~ ignored | join(', ') ~ ')' if ignored else '') -%}
  {%- set old = '(select ' ~ columns ~ ' from ' ~ base_rows(model_name) ~ ' where ' ~ asked ~ ')' -%}
  select coalesce(new.{{ id }}, old.{{ id }}) as {{ id }}
  from {{ new }} as new
  full outer join {{ old }} as old on new.{{ id }} = old.{{ id }}
  where struct(new.*) is distinct from struct(old.*)
{%- endmacro %}
