with

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

named_feeds as (

    select
        group_messages.message_id,
        'recipient' as part,
        items.pos as place,
        items.col as feed_id,
        null as cutoff
    from group_messages, lateral posexplode(group_messages.recipient_ids) as items
    union all
    select
        group_messages.message_id,
        'excluded' as part,
        items.pos as place,
        items.col.excluded_ids as feed_id,
        case
            when items.col.cutoff_feed_ids is not null
                then struct(items.col.cutoff_feed_ids as feed_id, items.col.cutoff_sequences as sequence)
        end as cutoff
    from group_messages,
        lateral posexplode(
            arrays_zip(
                group_messages.excluded_ids, group_messages.cutoff_feed_ids, group_messages.cutoff_sequences
            )
        ) as items

),

-- Old software names people by their main feeds, and the same person may be named by several.
named_people as (

    select
        named_feeds.message_id,
        named_feeds.part,
        coalesce(people.person_id, named_feeds.feed_id) as person_id,
        min(named_feeds.place) as place,
        -- A feed without a sequence is cut off nowhere.
        min_by(
            named_feeds.cutoff,
            struct(named_feeds.cutoff is null, named_feeds.cutoff.sequence is null, named_feeds.cutoff)
        ) as cutoff
    from named_feeds
    left join people on named_feeds.feed_id = people.feed_id
    group by named_feeds.message_id, named_feeds.part, coalesce(people.person_id, named_feeds.feed_id)

),

-- A feed that nobody has announced may be of anybody, but for the metafeed that a person is.
cut_offs_of_others as (

    select distinct named_feeds.message_id
    from named_feeds
    inner join people as owners on named_feeds.cutoff.feed_id = owners.feed_id
    left join people on named_feeds.feed_id = people.feed_id
    where
        owners.person_id not in (owners.feed_id, coalesce(people.person_id, named_feeds.feed_id))
        and (
            people.person_id != people.feed_id
            or {{ feed_format('named_feeds.feed_id') }} = 'bendybutt-v1'
        )

),

lists as (

    select
        message_id,
        array_sort(
            collect_list(case when part = 'recipient' then struct(place, person_id) end)
        ) as recipient_people,
        array_sort(
            collect_list(case when part = 'excluded' then struct(place, person_id, cutoff) end)
        ) as excluded_people
    from named_people
    group by message_id

),

final as (

    select
        group_messages.message_id,
        group_messages.feed_id,
        group_messages.content_type,
        group_messages.key_hash,
        group_messages.group_id as named_group_id,
        cut_offs_of_others.message_id is not null as cuts_off_others,
        coalesce(group_messages.has_other_recipients, false) as has_other_recipients,
        case
            when group_messages.recipient_ids is not null
                then coalesce(transform(lists.recipient_people, person -> person.person_id), array())
        end as recipient_ids,
        case
            when group_messages.excluded_ids is not null
                then coalesce(transform(lists.excluded_people, person -> person.person_id), array())
        end as excluded_ids,
        case
            when group_messages.excluded_ids is not null
                then coalesce(transform(lists.excluded_people, person -> person.cutoff.feed_id), array())
        end as cutoff_feed_ids,
        case
            when group_messages.excluded_ids is not null
                then coalesce(transform(lists.excluded_people, person -> person.cutoff.sequence), array())
        end as cutoff_sequences
    from group_messages
    left join lists on group_messages.message_id = lists.message_id
    left join cut_offs_of_others on group_messages.message_id = cut_offs_of_others.message_id

)

select * from final
