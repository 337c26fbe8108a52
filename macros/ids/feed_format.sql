{#- The format of a feed, from its id. The id of a classic feed is no URI. -#}
{% macro feed_format(feed_id) -%}
    if({{ feed_id }} like '@%', 'classic', split_part({{ feed_id }}, '/', 2))
{%- endmacro %}
