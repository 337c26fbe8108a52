with

ssb_lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}

),

pzp_lines as (

    select * from {{ ref('stg_pzp__landed_lines') }}

),

ssb_messages as (

    select * from {{ tested_rows(ref('fct_messages')) }}

),

pzp_messages as (

    select * from {{ tested_rows(ref('stg_pzp__messages')) }}

),

rejected_lines as (

    select * from {{ ref('int_logs__rejected_lines') }}

),

lines as (

    select
        source_file,
        line_number,
        message_id,
        validity,
        false as may_be_either
    from ssb_lines
    union all
    -- An invalid line of pzp is rejected, whatever message it claims to be. One that is not checked is, too,
    -- unless another line holds its ciphertext.
    select
        source_file,
        line_number,
        case when validity != 'invalid' then message_id end as message_id,
        validity,
        coalesce(validity = 'not_checked', false) as may_be_either
    from pzp_lines

),

-- A line may hold several messages, and beside them bytes that are not a message.
numbered_lines as (

    select
        *,
        max(message_id is null) over (partition by source_file, line_number) as has_reject,
        max(validity = 'invalid') over (partition by source_file, line_number) as has_invalid_message
    from lines

),

tested_lines as (

    select * from numbered_lines
    where message_id is null or {{ is_tested('stg_ssb__messages') }}

),

messages as (

    select message_id from ssb_messages
    union all
    select message_id from pzp_messages

),

faults as (

    select
        tested_lines.source_file,
        tested_lines.line_number
    from tested_lines
    left join messages on tested_lines.message_id = messages.message_id
    left join rejected_lines
        on
            tested_lines.source_file = rejected_lines.source_file
            and tested_lines.line_number = rejected_lines.line_number
    where
        case
            when tested_lines.message_id is null then rejected_lines.reason is null
            when messages.message_id is null
                then not tested_lines.may_be_either or rejected_lines.reason is null
            when tested_lines.may_be_either then false
            when tested_lines.has_reject then false
            when rejected_lines.reason in ('forged', 'rewritten')
                then tested_lines.has_invalid_message is distinct from true
            else rejected_lines.reason is not null
        end

)

select * from faults
