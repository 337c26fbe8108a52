{%- set steps = var('settle_steps') | int -%}

with

candidates as (

    select * from {{ ref('int_tangles__candidates') }}
    where reject_reason is null

),

links as (

    select * from {{ ref('int_tangles__links') }}

),

needs as (

    select
        tangle_id,
        feed_id,
        sequence,
        previous_feed_id,
        previous_sequence,
        is_previous_root,
        is_previous_candidate
    from links
    union all
    select
        tangle_id,
        feed_id,
        sequence,
        null as previous_feed_id,
        null as previous_sequence,
        false as is_previous_root,
        false as is_previous_candidate
    from candidates
    where not is_root and size(previous_ids) = 0

),

{{ settle_steps('needs', steps) }},

final as (

    select * from settled_{{ steps }}

)

select * from final
