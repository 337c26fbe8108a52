{#- A view that changes in one step: no reader finds it missing or half changed. (Spark drops and makes a view
    again for `create or replace`; `alter view` is one entry in the metastore.) Only a `dbt build` changes it:
    other commands test nothing. -#}
{% materialization switched_view, adapter='spark' %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set old_relation = adapter.get_relation(database=this.database, schema=this.schema, identifier=this.identifier) -%}

  {%- if is_kept(old_relation) -%}
    {{ return({'relations': [target_relation]}) }}
  {%- endif -%}
  {%- if old_relation is not none and old_relation.type != 'view' -%}
    {%- do adapter.drop_relation(old_relation) -%}
    {%- set old_relation = none -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- call statement('main') -%}
    {%- if not is_publishing() -%}
      select 'not switched: only dbt build tests what it publishes'
    {%- elif old_relation is none -%}
      create view {{ target_relation }} as {{ sql }}
    {%- else -%}
      alter view {{ target_relation }} as {{ sql }}
    {%- endif -%}
  {%- endcall -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{% macro is_publishing() -%}
{{ return(flags.WHICH in ('build', 'retry') and not flags.EMPTY) }}
{%- endmacro %}


{#- Whether this run publishes a mart: its published view is selected, and every test that it has, and so for all
    that is made of it, or readers would see tables that do not belong together. A retry runs what is left of
    a build, and dbt does not say which nodes that build selected: if it chose none, then what the retry leaves
    out is tested. -#}
{% macro publishes(mart) -%}
  {%- set missing = [] -%}
  {%- if selected_resources -%}
    {%- set made = ['model.scuttlehouse.' ~ mart] -%}
    {%- set readers = adapter.once('readers_of_nodes', readers_of_nodes) -%}
    {%- if mart == 'dim_logs' and not all_is_selected() -%}
      {#- It says which lines are in the tables: with the tables of a part, lines could be taken for read that are not. -#}
      {%- do missing.append('a part') -%}
    {%- endif -%}
    {#- Jinja goes on with what is appended while it loops. -#}
    {%- for source in made if not missing -%}
      {%- for node in readers.get(source, []) -%}
        {%- if node.unique_id not in selected_resources -%}
          {%- do missing.append(node.name) -%}
        {%- elif node.resource_type == 'model' and node.unique_id not in made -%}
          {%- do made.append(node.unique_id) -%}
        {%- endif -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- else -%}
    {%- for choice in ('select', 'exclude', 'selector', 'resource_types') if invocation_args_dict.get(choice) -%}
      {%- do missing.append(choice) -%}
    {%- endfor -%}
    {%- if 'test' in (invocation_args_dict.get('exclude_resource_types') or []) -%}
      {%- do missing.append('test') -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(not missing) }}
{%- endmacro %}


{#- Whether this run makes every model. -#}
{% macro all_is_selected() -%}
  {%- for node in graph.nodes.values() if node.resource_type == 'model' and node.config.materialized != 'ephemeral' -%}
    {%- if node.unique_id not in selected_resources -%}
      {{ return(false) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(true) }}
{%- endmacro %}


{#- The nodes that depend on a node, by the id of that one. -#}
{% macro readers_of_nodes() -%}
  {%- set readers = {} -%}
  {%- for node in graph.nodes.values() -%}
    {%- for parent in node.depends_on.nodes -%}
      {%- do readers.setdefault(parent, []).append(node) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(readers) }}
{%- endmacro %}


{#- The marts, all of which have tests. -#}
{% macro checked_marts() -%}
  {{ return([
      'dim_feeds',
      'fct_messages',
      'fct_rejected_lines',
      'dim_logs',
      'fct_feed_forks',
      'dim_tangles',
      'fct_tangle_messages',
      'fct_tangle_links',
      'fct_tangle_gaps',
      'fct_tangle_tips',
      'fct_thread_messages',
      'fct_timeline_updates',
      'dim_groups',
      'dim_epochs',
      'fct_epoch_links',
      'fct_epoch_precedence',
      'fct_epoch_members',
      'fct_epoch_forks',
      'fct_fork_witnesses',
      'fct_preferred_epochs',
      'fct_epoch_repairs',
      'fct_replication_plan',
      'fct_group_audit_log',
      'fct_membership_history',
      'dim_sets',
      'fct_set_items',
      'fct_set_messages',
      'fct_set_prunings',
      'fct_quality_results'
  ]) }}
{%- endmacro %}
