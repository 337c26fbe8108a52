{#- The feed that announcements name for the key of a feed, from its id. In buttwoo-v1 a key has several: a
    feed with a parent has the id of that one at its end (feed_of_message in scuttlehouse/ssb/ids.py). -#}
{% macro feed_of_key(feed_id) -%}
    if(
        {{ feed_id }} like 'ssb:feed/buttwoo-v1/%/%', substring_index({{ feed_id }}, '/', 3), {{ feed_id }}
    )
{%- endmacro %}
