with

candidates as (

    select * from {{ ref('int_tangles__candidates') }}
    where reject_reason is null

),

settled as (

    select * from {{ ref('int_tangles__settled') }}

),

checked as (

    select * from {{ ref('int_tangles__checked') }}

),

walked as (

    select * from {{ ref('int_tangles__walked') }}

),

final as (

    select
        candidates.tangle_id,
        candidates.message_id,
        candidates.previous_ids,
        candidates.told_ms,
        case when checked.is_settled then 'settled' else 'walked' end as grown_by,
        case
            when not checked.is_settled then walked.message_id is not null
            else candidates.is_root or {{ is_below_watermark('candidates.sequence', 'settled') }}
        end as is_grown
    from candidates
    inner join checked on candidates.tangle_id = checked.tangle_id
    left join settled
        on candidates.tangle_id = settled.tangle_id and candidates.feed_id = settled.feed_id
    left join walked
        on candidates.tangle_id = walked.tangle_id and candidates.message_id = walked.message_id

)

select * from final
