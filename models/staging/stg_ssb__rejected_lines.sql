with

lines as (

    select * from {{ ref('stg_ssb__lines') }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

unusable as (

    select
        source_file,
        line_number,
        reject_reason as reason
    from lines
    where reject_reason is not null

),

-- Anybody can write a line under the id of somebody else's message. Where another line holds the real
-- one, this line says nothing about it.
forged as (

    select
        lines.source_file,
        lines.line_number,
        'forged' as reason
    from lines
    inner join messages on lines.message_id = messages.message_id
    where lines.validity = 'invalid' and messages.validity != 'invalid'

),

final as (

    select * from unusable
    union all
    select * from forged

)

select * from final
