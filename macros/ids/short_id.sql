{#- SQL for the start of an id, which is enough to tell ids apart by eye. A classic feed keeps its sigil
    spelling, and its base64 may have a slash. All tokens begin alike: their hashes differ. -#}
{% macro short_id(id) -%}
    substring(
        case
            when {{ id }} like '@%' then substring({{ id }}, 2)
            when {{ is_token(id) }} then split_part({{ id }}, '-', -1)
            else split_part({{ id }}, '/', -1)
        end, 1, 6
    )
{%- endmacro %}
