with

lines as (

    select * from {{ ref('stg_ssb__lines') }}

),

messages as (

    select * from {{ ref('fct_messages') }}

),

rejected_lines as (

    select * from {{ ref('fct_rejected_lines') }}

),

faults as (

    select
        lines.source_file,
        lines.line_number
    from lines
    left join messages on lines.message_id = messages.message_id
    left join rejected_lines
        on lines.source_file = rejected_lines.source_file and lines.line_number = rejected_lines.line_number
    where
        case
            when rejected_lines.reason = 'forged'
                then messages.message_id is null or lines.validity != 'invalid'
            else (messages.message_id is null) != (rejected_lines.reason is not null)
        end

)

select * from faults
