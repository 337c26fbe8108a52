-- A message may be listed in a tangle of a group and be in none. The log shows whether its owner lacks it.
with

lines as (

    -- A log may hold a message thousands of times, and thousands of groups may list it.
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

named_messages as (

    select
        group_id,
        message_id
    from messages
    union
    select
        group_id,
        explode(previous_ids) as message_id
    from messages

),

final as (

    select
        named_messages.group_id,
        lines.source_file,
        owners.owner_id,
        lines.message_id
    from lines
    inner join owners on lines.source_file = owners.source_file
    inner join named_messages on lines.message_id = named_messages.message_id

)

select * from final
