{%- set types = {'source_file': 'string', 'message_id': 'string', 'content': 'string'} %}
with

new_logs as (

    select * from {{ ref('stg_landing__new_logs') }}

),

changed_owners as (

    {{ changed_ids('source_file', 'int_logs__owners') }}

),

lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}
    where {{ is_refresh() | lower }}

),

published_lines as (

    select * from {{ base_of('stg_ssb__landed_lines', types) }}

),

now_held as (

    select
        lines.source_file,
        lines.message_id
    from lines
    left semi join new_logs on lines.source_file = new_logs.source_file
    where lines.content is not null

),

held_before as (

    select
        published_lines.source_file,
        published_lines.message_id
    from published_lines
    left semi join new_logs on published_lines.source_file = new_logs.source_file
    where published_lines.content is not null

),

-- A log that has grown holds most of its messages as before.
changed_views as (

    (
        select * from now_held
        except
        select * from held_before
    )
    union all
    (
        select * from held_before
        except
        select * from now_held
    )

),

final as (

    select message_id from changed_views
    union
    select lines.message_id
    from lines
    left semi join changed_owners on lines.source_file = changed_owners.source_file
    where lines.content is not null

)

select * from final
