-- A message may be listed in a tangle of a group and be in none. The log shows whether its owner lacks it.
with

lines as (

    -- A log may hold a message thousands of times.
    select distinct
        source_file,
        message_id
    from {{ ref('stg_ssb__landed_lines') }}
    where content is not null and not has_claimed_id

),

owners as (

    select * from {{ ref('int_logs__owners') }}

),

messages as (

    select * from {{ ref('int_groups__messages') }}

),

held_messages as (

    select
        messages.group_id,
        lines.source_file,
        owners.owner_id,
        messages.message_id
    from lines
    inner join owners on lines.source_file = owners.source_file
    inner join messages on lines.message_id = messages.message_id

),

listed as (

    select
        group_id,
        message_id,
        explode(previous_ids) as previous_id
    from messages

),

listed_elsewhere as (

    select listed.*
    from listed
    left anti join messages
        on listed.group_id = messages.group_id and listed.previous_id = messages.message_id

),

-- Thousands of groups may list a message that thousands of logs hold. It is joined only with the logs that
-- hold the message which lists it.
known_elsewhere as (

    select distinct
        held_messages.group_id,
        held_messages.source_file,
        held_messages.owner_id,
        listed_elsewhere.previous_id as message_id
    from held_messages
    inner join listed_elsewhere
        on
            held_messages.group_id = listed_elsewhere.group_id
            and held_messages.message_id = listed_elsewhere.message_id
    left semi join lines
        on held_messages.source_file = lines.source_file and listed_elsewhere.previous_id = lines.message_id

),

final as (

    select * from held_messages
    union all
    select * from known_elsewhere

)

select * from final
