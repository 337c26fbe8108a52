with

tangle_messages as (

    select * from {{ tested_rows(ref('fct_tangle_messages')) }}
    where status = 'in'

),

links as (

    select * from {{ tested_rows(ref('fct_tangle_links')) }}

),

tips as (

    select * from {{ tested_rows(ref('fct_tangle_tips')) }}

),

tangles as (

    select * from {{ tested_rows(ref('dim_tangles')) }}

),

listed_messages as (

    select distinct
        links.tangle_id,
        links.previous_id as message_id
    from links
    inner join tangle_messages
        on links.tangle_id = tangle_messages.tangle_id and links.message_id = tangle_messages.message_id

),

-- A message in the graph is either listed by another message in the graph, or a tip; never both.
message_states as (

    select
        tangle_messages.tangle_id,
        tangle_messages.message_id,
        tangle_messages.is_tip,
        listed_messages.message_id is null as is_unlisted,
        tips.message_id is not null as is_listed_as_tip
    from tangle_messages
    left join listed_messages
        on
            tangle_messages.tangle_id = listed_messages.tangle_id
            and tangle_messages.message_id = listed_messages.message_id
    left join tips
        on tangle_messages.tangle_id = tips.tangle_id and tangle_messages.message_id = tips.message_id

),

tip_counts as (

    select
        tangle_id,
        count(*) as tip_count
    from tips
    group by tangle_id

),

faults as (

    select
        tangle_id,
        message_id
    from message_states
    where is_unlisted != is_tip or is_unlisted != is_listed_as_tip
    union all
    select
        tangles.tangle_id,
        null as message_id
    from tangles
    full outer join tip_counts on tangles.tangle_id = tip_counts.tangle_id
    where not coalesce(tangles.tip_count = coalesce(tip_counts.tip_count, 0), false)
    union all
    select
        tips.tangle_id,
        tips.message_id
    from tips
    left anti join tangle_messages
        on tips.tangle_id = tangle_messages.tangle_id and tips.message_id = tangle_messages.message_id

)

select * from faults
