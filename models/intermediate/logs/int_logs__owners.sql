-- Only the owner's log holds the opened message with the seed of their root metafeed (ruling R37).
with

lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}

),

owners as (

    select distinct
        source_file,
        owner_id
    from lines
    where owner_id is not null

),

final as (

    select
        source_file,
        min(owner_id) as owner_id
    from owners
    group by source_file
    having count(*) = 1

)

select * from final
