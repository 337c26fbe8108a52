{#- The build in one screen, for somebody who sees these tables for the first time. Ids are shortened. -#}
{% macro print_summary(changes) %}
  {%- set rows = run_query('select title, word, figure, note from ' ~ rows_made('int_quality__summary')
      ~ ' order by title, figure desc, word').rows -%}
  {%- set counted = {} -%}
  {%- for row in rows if row.title == 'Counts' -%}
    {%- do counted.update({row.word: row.figure}) -%}
  {%- endfor -%}

  {{- print("\nscuttlehouse: built, tested and published as build " ~ invocation_id ~ ".") -}}
  {{- print("  Of the logs " ~ counted.new_log_count ~ " are new, " ~ counted.changed_log_count ~ " changed, " ~ counted.known_log_count ~ " known (not read again), "
      ~ counted.vanished_log_count ~ " vanished (their lines stay).") -}}
  {{- print("  In the tables " ~ changes[0] ~ " rows came in, " ~ changes[1] ~ " changed and " ~ changes[2] ~ " are gone; fct_builds says in which.") -}}
  {{- print("\nThe log") -}}
  {{- print("  " ~ counted.message_count ~ " messages in " ~ counted.feed_count ~ " feeds of " ~ counted.person_count ~ " people; " ~ counted.encrypted_count
      ~ " of them nobody opened, " ~ counted.invalid_count ~ " are invalid, " ~ counted.not_checked_count ~ " are of a format that is not checked.") -}}
  {{- print_counts("Rejected lines", rows) -}}

  {{- print("\nTangles") -}}
  {{- print("  " ~ counted.tangle_count ~ " tangles hold " ~ counted.tangle_message_count ~ " messages; the deepest has "
      ~ counted.deepest ~ " steps. " ~ counted.set_aside_count ~ " messages wait outside for " ~ counted.gap_count ~ " missing ones.") -}}
  {{- print_counts("Set aside", rows) -}}
  {{- print_counts("Not a candidate", rows) -}}

  {{- print("\nGroups and the epoch that people should prefer (an id by its first letters)") -}}
  {{- print("  group     epochs  tips  people  preferred  people by epoch") -}}
  {%- for row in rows if row.title == 'Groups' -%}
    {{- print("  %-8s  %6s  %s" % (row.word, row.figure, row.note)) -}}
  {%- else -%}
    {{- print("  no groups in this log") -}}
  {%- endfor -%}

  {{- print_counts("To publish, so that groups hang together (fct_epoch_repairs)", rows) -}}

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
    {{- print("    %5s  %-26s  %s" % (row.figure, row.word, row.note)) -}}
  {%- endfor -%}
{% endmacro %}
