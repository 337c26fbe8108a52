with

links as (

    select * from {{ ref('int_feeds__links') }}

),

walked as (

    select * from {{ ref('int_feeds__walked') }}

),

-- If no sequence is claimed twice, the messages after a fault follow it one by one. A message that claims no
-- place in the feed has its own fault, which does not pass to any other message.
chained as (

    select
        links.message_id,
        links.feed_id,
        links.sequence,
        last(links.link_fault, true) over (
            partition by links.feed_id, coalesce(links.sequence >= 1, false) order by links.sequence
        ) as feed_fault,
        last(case when links.link_fault is not null then links.sequence end, true) over (
            partition by links.feed_id, coalesce(links.sequence >= 1, false) order by links.sequence
        ) as feed_fault_sequence
    from links
    left anti join walked on links.feed_id = walked.feed_id

),

final as (

    select
        message_id,
        feed_id,
        sequence,
        feed_fault,
        feed_fault_sequence
    from chained
    union all
    select
        message_id,
        feed_id,
        sequence,
        feed_fault,
        feed_fault_sequence
    from walked

)

select * from final
