with

tangle_messages as (

    select * from {{ touched_rows(ref('int_tangles__messages'), 'tangle_id', 'int_changes__tangles') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

final as (

    select
        tangle_messages.tangle_id,
        tangle_messages.message_id,
        tangle_messages.tangle_kind,
        tangle_messages.group_id,
        coalesce(people.person_id, tangle_messages.feed_id) as person_id,
        tangle_messages.content_type,
        {{ timestamp_of('tangle_messages.asserted_ms') }} as asserted_at
    from tangle_messages
    left join people on tangle_messages.feed_id = people.feed_id
    where tangle_messages.is_tip

)

select * from final
