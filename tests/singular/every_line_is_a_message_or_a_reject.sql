with

ssb_lines as (

    select * from {{ ref('stg_ssb__lines') }}

),

pzp_lines as (

    select * from {{ ref('stg_pzp__lines') }}

),

ssb_messages as (

    select * from {{ ref('fct_messages') }}

),

pzp_messages as (

    select * from {{ ref('stg_pzp__messages') }}

),

rejected_lines as (

    select * from {{ ref('fct_rejected_lines') }}

),

lines as (

    select
        source_file,
        line_number,
        message_id,
        validity
    from ssb_lines
    union all
    -- An invalid line of pzp is a reject, whatever message it claims to be.
    select
        source_file,
        line_number,
        case when validity = 'valid' then message_id end as message_id,
        validity
    from pzp_lines

),

messages as (

    select message_id from ssb_messages
    union all
    select message_id from pzp_messages

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
