with

timelines as (

    select * from {{ ref('int_groups__timelines') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

actions as (

    select
        timelines.group_id,
        timelines.position,
        timelines.message_id,
        timelines.content_type,
        timelines.asserted_ms,
        people.person_id as actor_id,
        case timelines.content_type
            when 'group/init' then 'init'
            when 'group/add-member' then 'add'
            when 'group/exclude-member' then 'exclude'
            else 'post'
        end as action,
        case
            when timelines.content_type = 'group/init' then timelines.message_id
            else timelines.epoch_id
        end as epoch_id,
        case timelines.content_type
            when 'group/add-member' then group_messages.recipient_ids
            when 'group/exclude-member' then group_messages.excluded_ids
        end as subject_ids
    from timelines
    inner join people on timelines.feed_id = people.feed_id
    left join group_messages on timelines.message_id = group_messages.message_id

),

final as (

    select
        group_id,
        message_id,
        action,
        content_type,
        actor_id,
        explode_outer(subject_ids) as subject_id,
        epoch_id,
        position,
        {{ timestamp_of('asserted_ms') }} as asserted_at
    from actions

)

select * from final
