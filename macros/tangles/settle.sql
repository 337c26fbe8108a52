{#- Everything that settles tangles (design: one watermark per tangle and feed).

    In one tangle an author writes from what they know. So their later messages come causally after their
    earlier ones, and the messages of a feed that are in the graph are a prefix of the feed. One number per
    feed is enough: the sequence at which the feed is stuck. -#}

{#- Whether a message is below the watermark of its feed. If the feed has none, all of its messages are. If
    it has one, a message without a sequence number (only in formats that are not checked) is not. -#}
{% macro is_below_watermark(sequence, stuck) -%}
    coalesce({{ sequence }} < {{ stuck }}.stuck_at_sequence, {{ stuck }}.feed_id is null)
{%- endmacro %}

{#- The feeds that are stuck whatever the other feeds do: a message has no previous, or one that is not a
    candidate of the tangle. `needs` has a row per link, and a row per message without links. -#}
{% macro first_settle_step(needs) -%}
select
    tangle_id,
    feed_id,
    min(sequence) as stuck_at_sequence
from {{ needs }}
where not is_previous_candidate
group by tangle_id, feed_id
{%- endmacro %}

{#- One step, from the watermarks of the step before. It names that step only once, so a query with n steps
    grows with n, and not with 2 to the n. -#}
{% macro settle_step(needs, stuck) -%}
select
    {{ needs }}.tangle_id,
    {{ needs }}.feed_id,
    min({{ needs }}.sequence) as stuck_at_sequence
from {{ needs }}
left join {{ stuck }}
    on
        {{ needs }}.tangle_id = {{ stuck }}.tangle_id
        and {{ needs }}.previous_feed_id = {{ stuck }}.feed_id
where
    not {{ needs }}.is_previous_candidate
    or (
        not {{ needs }}.is_previous_root
        and not {{ is_below_watermark(needs ~ '.previous_sequence', stuck) }}
    )
group by {{ needs }}.tangle_id, {{ needs }}.feed_id
{%- endmacro %}

{#- The first step and `steps` more steps, as CTEs `settled_0` to `settled_<steps>`. -#}
{% macro settle_steps(needs, steps) -%}
settled_0 as (

    {{ first_settle_step(needs) }}

)
    {%- for step in range(1, steps + 1) %},

settled_{{ step }} as (

    {{ settle_step(needs, 'settled_' ~ (step - 1)) }}

)
    {%- endfor %}
{%- endmacro %}
