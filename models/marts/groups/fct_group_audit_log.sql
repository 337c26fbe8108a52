with

timeline as (

    select * from {{ ref('int_tangles__messages') }}
    where
        tangle_kind = 'group'
        and status = 'in'
        and group_id is not null
        and {{ is_touched('group_id', 'int_refresh__groups') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

message_epochs as (

    select * from {{ ref('int_feeds__message_epochs') }}

),

actions as (

    select
        timeline.group_id,
        timeline.position,
        timeline.message_id,
        timeline.content_type,
        timeline.asserted_ms,
        people.person_id as actor_id,
        case timeline.content_type
            when 'group/init' then 'init'
            when 'group/add-member' then 'add'
            when 'group/exclude-member' then 'exclude'
            else 'post'
        end as action,
        case
            when timeline.content_type = 'group/init' then timeline.message_id
            else message_epochs.epoch_id
        end as epoch_id,
        case timeline.content_type
            when 'group/add-member' then group_messages.recipient_ids
            when 'group/exclude-member' then group_messages.excluded_ids
        end as subject_ids
    from timeline
    inner join people on timeline.feed_id = people.feed_id
    left join group_messages on timeline.message_id = group_messages.message_id
    left join message_epochs on timeline.message_id = message_epochs.message_id

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
