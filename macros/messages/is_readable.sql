{#- Whether a log tells what a message says. If logs tell different things, and none counts (ruling R36),
    nobody knows what it says, even if nobody has encrypted it. Then it has no type, either. -#}
{% macro is_readable(message) -%}
    (
        {{ message }}.is_decrypted
        or (
            not {{ message }}.is_private
            and (
                {{ message }}.warning is distinct from 'plaintexts_differ'
                or {{ message }}.content_type is not null
            )
        )
    )
{%- endmacro %}
