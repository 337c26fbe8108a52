{#- Everything that settles tangles (design: one watermark per tangle and feed).

    In one tangle an author writes from what they know, so whatever they write later comes causally after
    what they wrote before: the messages of a feed that are in the graph are a prefix of it, and one number
    per feed, the sequence at which it is stuck, says all. -#}

{#- Whether a message stands below the watermark of its feed. Where the feed has none, all of it does; where
    it has one, a message without a sequence number (only in formats that are not checked) does not. -#}
{% macro is_below_watermark(sequence, stuck) -%}
    coalesce({{ sequence }} < {{ stuck }}.stuck_at_sequence, {{ stuck }}.feed_id is null)
{%- endmacro %}

{#- The feeds that are stuck whatever the others do: some message has no previous, or one that is no
    candidate of the tangle. `needs` has a row per link and per message without any. -#}
{% macro first_settle_step(needs) -%}
select
    tangle_id,
    feed_id,
    min(sequence) as stuck_at_sequence
from {{ needs }}
where not is_previous_candidate
group by tangle_id, feed_id
{%- endmacro %}

{#- One step from the watermarks before it. It names the step before once: a query that unrolls n steps then
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

{#- The first step and `steps` more, as CTEs `settled_0` to `settled_<steps>`. -#}
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
