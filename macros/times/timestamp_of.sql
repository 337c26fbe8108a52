{#- A time from milliseconds since 1970. Null if there is none, or if it is outside the years 1 to 9999, which
    no calendar column can hold. -#}
{% macro timestamp_of(milliseconds) -%}
case
    when {{ milliseconds }} between -62135596800000 and 253402300799999
        then timestamp_millis(cast({{ milliseconds }} as bigint))
end
{%- endmacro %}
