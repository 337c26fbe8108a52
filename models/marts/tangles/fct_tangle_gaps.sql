with

links as (

    select * from {{ ref('int_tangles__links') }}
    where not is_in_log

),

candidates as (

    select * from {{ ref('int_tangles__candidates') }}
    where reject_reason is null

),

blocked as (

    select * from {{ ref('int_tangles__blocked') }}

),

tangles as (

    select distinct
        tangle_id,
        tangle_kind,
        group_id
    from candidates

),

missing_previous as (

    select
        tangle_id,
        previous_id as missing_id,
        count(*) as needed_by_count
    from links
    group by tangle_id, previous_id

),

-- A root that is not in the log is missing, even if no message in the log lists it.
missing_roots as (

    select
        tangle_id,
        root_id as missing_id,
        count(*) as candidate_count
    from candidates
    where not is_root_in_log
    group by tangle_id, root_id

),

gaps as (

    select
        coalesce(missing_previous.tangle_id, missing_roots.tangle_id) as tangle_id,
        coalesce(missing_previous.missing_id, missing_roots.missing_id) as missing_id,
        coalesce(missing_previous.needed_by_count, 0) as needed_by_count,
        coalesce(missing_roots.candidate_count, blocked.blocked_count) as blocked_count
    from missing_previous
    full outer join missing_roots
        on
            missing_previous.tangle_id = missing_roots.tangle_id
            and missing_previous.missing_id = missing_roots.missing_id
    left join blocked
        on
            missing_previous.tangle_id = blocked.tangle_id
            and missing_previous.missing_id = blocked.missing_id

),

final as (

    select
        gaps.tangle_id,
        gaps.missing_id,
        tangles.tangle_kind,
        tangles.group_id,
        gaps.needed_by_count,
        gaps.blocked_count
    from gaps
    inner join tangles on gaps.tangle_id = tangles.tangle_id

)

select * from final
