{#- Whether a message counts as signed by its author. Anybody can write one that is not checked under
    another's name; only in formats that are never checked, there is nothing else to count (ruling R4). -#}
{% macro counts_as_signed(validity, feed_format) -%}
    (
        {{ validity }} = 'valid'
        or ({{ validity }} = 'not_checked' and not coalesce({{ feed_format }} in ('classic', 'bendybutt-v1'), false))
    )
{%- endmacro %}
