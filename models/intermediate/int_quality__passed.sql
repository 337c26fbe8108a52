-- Every published view waits for this model, and this model for every table that has tests: dbt runs it
-- only when all of them have passed. Then all published views change with it, in one step.
{{ config(materialized='switched_view') }}
{%- set checked = [
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
] %}
{%- for model_name in checked %}
-- depends_on: {{ ref(model_name) }}
{%- endfor %}

{{ versions_to_publish(checked) }}
