with

tangles as (

    select * from {{ ref('dim_tangles') }}
    where {{ is_tested('dim_tangles') }}

),

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}
    where
        is_root
        and status = 'in'
        and {{ is_tested('fct_tangle_messages') }}

),

roots as (

    select
        tangle_id,
        count(*) as root_count,
        min(message_id) as root_id,
        min(rank) as rank
    from tangle_messages
    group by tangle_id

),

faults as (

    select tangles.tangle_id
    from tangles
    left join roots on tangles.tangle_id = roots.tangle_id
    where
        (tangles.message_count > 0) != (roots.tangle_id is not null)
        or roots.root_count > 1
        or roots.root_id != tangles.root_id
        or roots.rank != 0

)

select * from faults
