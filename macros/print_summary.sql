{#- The build in one screen, for somebody who sees these tables for the first time. Ids are shortened. -#}
{% macro print_summary(changes) %}
  {%- set log = run_query("
      select
          count(*) as message_count,
          count_if(validity = 'invalid') as invalid_count,
          count_if(validity = 'not_checked') as not_checked_count,
          count_if(is_private and not is_decrypted) as encrypted_count
      from scuttlehouse.fct_messages
  ").rows[0] -%}
  {%- set authors = run_query("
      select
          count(*) as feed_count,
          count(distinct person_id) as person_count
      from scuttlehouse.dim_feeds
      where message_count > 0
  ").rows[0] -%}
  {%- set tangles = run_query("
      select
          count(*) as tangle_count,
          coalesce(max(depth), 0) as depth,
          coalesce(sum(message_count), 0) as message_count,
          coalesce(sum(set_aside_count), 0) as set_aside_count,
          coalesce(sum(gap_count), 0) as gap_count
      from scuttlehouse.dim_tangles
  ").rows[0] -%}

  {%- set logs = run_query("
      select
          count_if(status = 'new') as new_count,
          count_if(status = 'changed') as changed_count,
          count_if(status = 'known') as known_count,
          count_if(status = 'vanished') as vanished_count
      from scuttlehouse.dim_logs
  ").rows[0] -%}

  {{- print("\nscuttlehouse: built, tested and published as build " ~ invocation_id ~ ".") -}}
  {{- print("  Of the logs " ~ logs[0] ~ " are new, " ~ logs[1] ~ " changed, " ~ logs[2] ~ " known (not read again), "
      ~ logs[3] ~ " vanished (their lines stay).") -}}
  {{- print("  In the tables " ~ changes[0] ~ " rows came in, " ~ changes[1] ~ " changed and " ~ changes[2] ~ " are gone; fct_builds says in which.") -}}
  {{- print("\nThe log") -}}
  {{- print("  " ~ log[0] ~ " messages in " ~ authors[0] ~ " feeds of " ~ authors[1] ~ " people; " ~ log[3]
      ~ " of them nobody opened, " ~ log[1] ~ " are invalid, " ~ log[2] ~ " are of a format that is not checked.") -}}
  {{- print_counts("Rejected lines", "
      select reason, count(*), concat('first: ', min_by(source_file, line_number), ' line ', min(line_number))
      from scuttlehouse.fct_rejected_lines group by reason order by 2 desc, 1
  ") -}}

  {{- print("\nTangles") -}}
  {{- print("  " ~ tangles[0] ~ " tangles hold " ~ tangles[2] ~ " messages; the deepest has "
      ~ tangles[1] ~ " steps. " ~ tangles[3] ~ " messages wait outside for " ~ tangles[4] ~ " missing ones.") -}}
  {{- print_counts("Set aside", "
      select status_reason, count(*), concat('in ', count(distinct tangle_id), ' tangles')
      from scuttlehouse.fct_tangle_messages where status = 'set_aside' group by status_reason order by 2 desc, 1
  ") -}}
  {{- print_counts("Not a candidate", "
      select status_reason, count(*), concat('in ', count(distinct tangle_id), ' tangles')
      from scuttlehouse.fct_tangle_messages where status = 'rejected' group by status_reason order by 2 desc, 1
  ") -}}

  {{- print("\nGroups and the epoch that people should prefer (an id by its first letters)") -}}
  {%- set preferences = run_query("
      select
          groups.group_id,
          groups.epoch_count,
          groups.tip_count,
          groups.person_count,
          groups.preferred_epoch_id,
          array_join(transform(
              array_sort(collect_list(struct(-preferred.person_count as n, preferred.epoch_id as epoch_id))),
              preference -> concat(-preference.n, ' prefer ', substring(split_part(preference.epoch_id, '/', -1), 1, 6))
          ), ', ') as preferences
      from scuttlehouse.dim_groups as groups
      left join (
          select group_id, epoch_id, count(*) as person_count
          from scuttlehouse.fct_preferred_epochs group by group_id, epoch_id
      ) as preferred on groups.group_id = preferred.group_id
      group by all
      order by groups.epoch_count desc, groups.group_id
      limit 12
  ").rows -%}
  {{- print("  group     epochs  tips  people  preferred  people by epoch") -}}
  {%- for row in preferences -%}
    {{- print("  %-8s  %6s  %4s  %6s  %-9s  %s" % (
        short_id(row[0]), row[1], row[2], row[3], short_id(row[4]) if row[4] else 'none', row[5]
    )) -}}
  {%- else -%}
    {{- print("  no groups in this log") -}}
  {%- endfor -%}

  {{- print_counts("To publish, so that groups hang together (fct_epoch_repairs)", "
      select action, count(*), concat('in ', count(distinct group_id), ' groups')
      from scuttlehouse.fct_epoch_repairs group by action order by action
  ") -}}

  {%- set sets = run_query("
      select
          count(*) as set_count,
          sum(item_count) as item_count,
          sum(prunable_count) as prunable_count,
          sum(freed_bytes) as freed_bytes,
          sum(lost_by_reference_count) as lost_count
      from scuttlehouse.dim_sets
  ").rows[0] -%}
  {%- if sets[0] -%}
    {{- print("\nReplicated sets") -}}
    {{- print("  " ~ sets[0] ~ " sets hold " ~ sets[1] ~ " items. " ~ sets[2] ~ " of their messages may go, which frees "
        ~ sets[3] ~ " bytes and changes nothing; the software that wrote them would drop " ~ sets[4] ~ " items.") -}}
  {%- endif -%}

  {{- print("\nLook further") -}}
  {{- print("  .venv/bin/scuttlehouse sql \"select * from dim_groups\"        any query over the published tables") -}}
  {{- print("  make docs                                                 what every table and column means") -}}
  {{- print("  " ~ home() ~ "/data_docs/index.html   what was checked\n") -}}
{% endmacro %}


{% macro print_counts(title, query) %}
  {%- for row in run_query(query).rows -%}
    {%- if loop.first %}{{- print("  " ~ title ~ ":") -}}{% endif -%}
    {{- print("    %5s  %-26s  %s" % (row[1], row[0], row[2])) -}}
  {%- endfor -%}
{% endmacro %}


{% macro short_id(id) -%}
  {{- return(id.split('/')[-1][:6]) -}}
{%- endmacro %}
