-- Somebody's message to themselves about their seed: only their own log holds it opened.
with

lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}
    where content_type = 'metafeed/seed' and is_decrypted and validity != 'invalid'

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

owners as (

    select distinct
        lines.source_file,
        people.person_id
    from lines
    inner join people on lines.feed_id = people.feed_id

),

final as (

    select
        source_file,
        min(person_id) as owner_id
    from owners
    group by source_file
    having count(*) = 1

)

select * from final
