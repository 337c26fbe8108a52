with

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}
    where tangle_kind = 'members' and status = 'in' and not is_root

),

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where {{ is_touched('group_id', 'int_refresh__groups') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

timeline as (

    select * from {{ ref('int_tangles__messages') }}
    where tangle_kind = 'group' and status = 'in'

),

timeline_lengths as (

    select
        group_id,
        count(*) as message_count
    from timeline
    group by group_id

),

final as (

    select
        epochs.epoch_id,
        epochs.group_id,
        tangle_messages.message_id,
        people.person_id as author_id,
        group_messages.asserted_ms,
        -- What the timeline does not hold counts as after all that it holds.
        coalesce(timeline.position, timeline_lengths.message_count, 0) as position,
        explode(
            case
                when group_messages.content_type = 'group/add-member' then group_messages.recipient_ids
                else group_messages.excluded_ids
            end
        ) as person_id,
        case when group_messages.content_type = 'group/add-member' then 'add' else 'exclude' end as change
    from tangle_messages
    inner join epochs on tangle_messages.root_id = epochs.epoch_id
    inner join group_messages on tangle_messages.message_id = group_messages.message_id
    inner join people on group_messages.feed_id = people.feed_id
    left join timeline
        on tangle_messages.message_id = timeline.message_id and epochs.group_id = timeline.group_id
    left join timeline_lengths on epochs.group_id = timeline_lengths.group_id

)

select * from final
