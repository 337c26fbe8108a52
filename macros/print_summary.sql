{#- The build in one screen, for somebody who sees these tables for the first time. Ids are shortened. -#}
{% macro print_summary(changes) %}
  {%- set counted = run_query("
      select
          messages.*,
          authors.*,
          tangles.*,
          logs.*,
          sets.*
      from (
          select
              count(*) as message_count,
              count_if(validity = 'invalid') as invalid_count,
              count_if(validity = 'not_checked') as not_checked_count,
              count_if(is_private and not is_decrypted) as encrypted_count
          from " ~ rows_made('fct_messages') ~ "
      ) as messages
      cross join (
          select
              count(*) as feed_count,
              count(distinct person_id) as person_count
          from " ~ rows_made('dim_feeds') ~ "
          where message_count > 0
      ) as authors
      cross join (
          select
              count(*) as tangle_count,
              coalesce(max(depth), 0) as depth,
              coalesce(sum(message_count), 0) as tangle_message_count,
              coalesce(sum(set_aside_count), 0) as set_aside_count,
              coalesce(sum(gap_count), 0) as gap_count
          from " ~ rows_made('dim_tangles') ~ "
      ) as tangles
      cross join (
          select
              count_if(status = 'new') as new_log_count,
              count_if(status = 'changed') as changed_log_count,
              count_if(status = 'known') as known_log_count,
              count_if(status = 'vanished') as vanished_log_count
          from " ~ rows_made('dim_logs') ~ "
      ) as logs
      cross join (
          select
              count(*) as set_count,
              sum(item_count) as item_count,
              sum(prunable_count) as prunable_count,
              sum(freed_bytes) as freed_bytes,
              sum(lost_by_reference_count) as lost_count
          from " ~ rows_made('dim_sets') ~ "
      ) as sets
  ").rows[0] -%}
  {%- set listed = run_query("
      select 'Rejected lines' as title, reason as word, count(*) as row_count,
          concat('first: ', min_by(source_file, line_number), ' line ', min(line_number)) as note
      from " ~ rows_made('fct_rejected_lines') ~ " group by reason
      union all
      select if(status = 'set_aside', 'Set aside', 'Not a candidate'), status_reason, count(*),
          concat('in ', count(distinct tangle_id), ' tangles')
      from " ~ rows_made('fct_tangle_messages') ~ " where status in ('set_aside', 'rejected') group by status, status_reason
      union all
      select 'To publish, so that groups hang together (fct_epoch_repairs)', action, count(*), concat('in ', count(distinct group_id), ' groups')
      from " ~ rows_made('fct_epoch_repairs') ~ " group by action
      order by title, row_count desc, word
  ").rows -%}

  {{- print("\nscuttlehouse: built, tested and published as build " ~ invocation_id ~ ".") -}}
  {{- print("  Of the logs " ~ counted.new_log_count ~ " are new, " ~ counted.changed_log_count ~ " changed, " ~ counted.known_log_count ~ " known (not read again), "
      ~ counted.vanished_log_count ~ " vanished (their lines stay).") -}}
  {{- print("  In the tables " ~ changes[0] ~ " rows came in, " ~ changes[1] ~ " changed and " ~ changes[2] ~ " are gone; fct_builds says in which.") -}}
  {{- print("\nThe log") -}}
  {{- print("  " ~ counted.message_count ~ " messages in " ~ counted.feed_count ~ " feeds of " ~ counted.person_count ~ " people; " ~ counted.encrypted_count
      ~ " of them nobody opened, " ~ counted.invalid_count ~ " are invalid, " ~ counted.not_checked_count ~ " are of a format that is not checked.") -}}
  {{- print_counts("Rejected lines", listed) -}}

  {{- print("\nTangles") -}}
  {{- print("  " ~ counted.tangle_count ~ " tangles hold " ~ counted.tangle_message_count ~ " messages; the deepest has "
      ~ counted.depth ~ " steps. " ~ counted.set_aside_count ~ " messages wait outside for " ~ counted.gap_count ~ " missing ones.") -}}
  {{- print_counts("Set aside", listed) -}}
  {{- print_counts("Not a candidate", listed) -}}

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
      from " ~ rows_made('dim_groups') ~ " as groups
      left join (
          select group_id, epoch_id, count(*) as person_count
          from " ~ rows_made('fct_preferred_epochs') ~ " group by group_id, epoch_id
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

  {{- print_counts("To publish, so that groups hang together (fct_epoch_repairs)", listed) -}}

  {%- if counted.set_count -%}
    {{- print("\nReplicated sets") -}}
    {{- print("  " ~ counted.set_count ~ " sets hold " ~ counted.item_count ~ " items. " ~ counted.prunable_count ~ " of their messages may go, which frees "
        ~ counted.freed_bytes ~ " bytes and changes nothing; the software that wrote them would drop " ~ counted.lost_count ~ " items.") -}}
  {%- endif -%}

  {{- print("\nLook further") -}}
  {{- print("  .venv/bin/scuttlehouse sql \"select * from dim_groups\"        any query over the published tables") -}}
  {{- print("  make docs                                                 what every table and column means") -}}
  {{- print("  " ~ home() ~ "/data_docs/index.html   what was checked\n") -}}
{% endmacro %}


{% macro print_counts(title, rows) %}
  {%- for row in rows if row.title == title -%}
    {%- if loop.first %}{{- print("  " ~ title ~ ":") -}}{% endif -%}
    {{- print("    %5s  %-26s  %s" % (row.row_count, row.word, row.note)) -}}
  {%- endfor -%}
{% endmacro %}


{% macro short_id(id) -%}
  {{- return(id.split('/')[-1][:6]) -}}
{%- endmacro %}
