{#- Whether a message counts as signed by its author. Anybody can write one that is not checked under
    another's name; only in formats that are never checked, there is nothing else to count (ruling R4). An id
    of a checked format is the hash of a message of such a feed: no message of another feed has it. -#}
{% macro counts_as_signed(validity, feed_format, message_id="''") -%}
    (
        {{ validity }} = 'valid'
        or (
            {{ validity }} = 'not_checked'
            and not coalesce({{ feed_format }} in ('classic', 'bendybutt-v1'), false)
            and split_part({{ message_id }}, '/', 2) not in ('classic', 'bendybutt-v1')
        )
    )
{%- endmacro %}
