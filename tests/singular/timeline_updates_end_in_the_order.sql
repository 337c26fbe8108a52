with

updates as (

    select * from {{ tested_rows(ref('fct_timeline_updates')) }}

),

tangle_messages as (

    select * from {{ tested_rows(ref('fct_tangle_messages')) }}
    where status = 'in'

),

last_commands as (

    select
        tangle_id,
        message_id,
        max_by(command, struct(refresh_number, step)) as command,
        count_if(command = 'ins') - count_if(command = 'del') as insertion_count
    from updates
    group by tangle_id, message_id

),

refreshes as (

    select
        tangle_id,
        refresh_number,
        count(*) as command_count,
        max(step) as last_step
    from updates
    group by tangle_id, refresh_number

),

faults as (

    select coalesce(tangle_messages.tangle_id, last_commands.tangle_id) as tangle_id
    from tangle_messages
    full outer join last_commands
        on
            tangle_messages.tangle_id = last_commands.tangle_id
            and tangle_messages.message_id = last_commands.message_id
    where
        (tangle_messages.message_id is null) != (coalesce(last_commands.command, 'del') = 'del')
        or coalesce(last_commands.insertion_count, 0) != int(tangle_messages.message_id is not null)
    union all
    select tangle_id
    from refreshes
    where last_step != command_count - 1

)

select * from faults
