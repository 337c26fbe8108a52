{%- set types = {
    'source_file': 'string', 'message_id': 'string', 'content': 'string', 'has_claimed_id': 'boolean'
} %}
with

new_logs as (

    select * from {{ ref('stg_landing__new_logs') }}

),

changed_owners as (

    {{ changed_ids('source_file', 'int_logs__owners') }}

),

lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}
    where {{ is_refresh() | lower }} and content is not null and not has_claimed_id

),

published_lines as (

    select * from {{ base_of('stg_ssb__landed_lines', types) }}
    where content is not null and not has_claimed_id

),

held_messages as (

    select
        source_file,
        message_id,
        true as is_now
    from lines
    union all
    select
        source_file,
        message_id,
        false as is_now
    from published_lines

),

-- A log that has grown holds most of its messages as before.
changed_views as (

    select
        held_messages.source_file,
        held_messages.message_id
    from held_messages
    left semi join new_logs on held_messages.source_file = new_logs.source_file
    group by held_messages.source_file, held_messages.message_id
    having bool_and(held_messages.is_now) or not bool_or(held_messages.is_now)

),

final as (

    select message_id from changed_views
    union
    select lines.message_id
    from lines
    left semi join changed_owners on lines.source_file = changed_owners.source_file

)

select * from final
