with

gaps as (

    select * from {{ tested_rows(ref('fct_tangle_gaps')) }}

),

tangles as (

    select * from {{ tested_rows(ref('dim_tangles')) }}

),

links as (

    select * from {{ tested_rows(ref('fct_tangle_links')) }}
    where not is_in_log

),

asked_ids as (

    select missing_id as message_id from gaps
    union
    select root_id as message_id from tangles

),

messages as (

    select message_id from {{ ref('stg_ssb__messages') }}
    where not has_claimed_id and message_id in (select asked_ids.message_id from asked_ids)

),

needed_ids as (

    select
        tangle_id,
        previous_id as missing_id,
        count(*) as needed_by_count
    from links
    group by tangle_id, previous_id

),

missing_roots as (

    select
        tangles.tangle_id,
        tangles.root_id
    from tangles
    left anti join messages on tangles.root_id = messages.message_id
    where tangles.candidate_count > 0

),

faults as (

    select
        gaps.tangle_id,
        gaps.missing_id
    from gaps
    inner join tangles on gaps.tangle_id = tangles.tangle_id
    left join messages on gaps.missing_id = messages.message_id
    left join needed_ids
        on gaps.tangle_id = needed_ids.tangle_id and gaps.missing_id = needed_ids.missing_id
    where
        messages.message_id is not null
        or gaps.needed_by_count != coalesce(needed_ids.needed_by_count, 0)
        or not coalesce(
            gaps.blocked_count between greatest(gaps.needed_by_count, 1) and tangles.set_aside_count, false
        )
        or (gaps.missing_id = tangles.root_id and gaps.blocked_count != tangles.candidate_count)
    union all
    select
        needed_ids.tangle_id,
        needed_ids.missing_id
    from needed_ids
    left anti join gaps
        on needed_ids.tangle_id = gaps.tangle_id and needed_ids.missing_id = gaps.missing_id
    union all
    select
        missing_roots.tangle_id,
        missing_roots.root_id as missing_id
    from missing_roots
    left anti join gaps
        on missing_roots.tangle_id = gaps.tangle_id and missing_roots.root_id = gaps.missing_id

)

select * from faults
