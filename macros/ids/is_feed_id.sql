{#- Whether an id is that of a feed, in the spelling of staging (scuttlehouse/ssb/ids.py). -#}
{% macro is_feed_id(id) -%}
    ({{ id }} like '@%' or {{ id }} like 'ssb:feed/%')
{%- endmacro %}
