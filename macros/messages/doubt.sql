{#- How little a line proves of the message with its id, from 0. Lines of least doubt count. An invalid line
    is last if its id is only a claim: anybody can write such a line under any id. -#}
{% macro doubt(validity, has_claimed_id) -%}
    case {{ validity }} when 'valid' then 0 when 'not_checked' then 1 else if({{ has_claimed_id }}, 3, 2) end
{%- endmacro %}
