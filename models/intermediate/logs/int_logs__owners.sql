-- Only the owner's log holds the opened message with the seed of their root metafeed (ruling R37).
with

lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}

),

final as (

    select
        source_file,
        min(owner_id) as owner_id
    from lines
    where owner_id is not null
    group by source_file
    having count(distinct owner_id) = 1

)

select * from final
