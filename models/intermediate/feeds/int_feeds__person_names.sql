with

names as (

    select * from {{ ref('stg_ssb__names') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

-- A feed's last word about itself or another feed of its person.
feed_names as (

    select
        speakers.person_id,
        names.name,
        names.told_ms,
        names.message_id,
        row_number() over (
            partition by names.feed_id
            order by names.sequence desc, names.told_ms desc nulls last, names.message_id asc
        ) as place
    from names
    inner join people as speakers on names.feed_id = speakers.feed_id
    inner join people as named_feeds
        on names.named_id = named_feeds.feed_id and speakers.person_id = named_feeds.person_id

),

person_names as (

    select
        person_id,
        name,
        row_number() over (partition by person_id order by told_ms desc nulls last, message_id asc) as place
    from feed_names
    where place = 1

),

final as (

    select
        person_id,
        name
    from person_names
    where place = 1

)

select * from final
