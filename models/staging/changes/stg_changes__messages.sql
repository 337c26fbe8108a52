with

changed_ssb_messages as (

    {{
        changed_ids(
            'message_id', 'stg_ssb__messages', 'stg_changes__sighted_messages', ignored=['source_file', 'line_number']
        )
    }}

),

changed_pzp_messages as (

    {{ changed_ids('message_id', 'stg_pzp__messages', 'stg_changes__sighted_messages') }}

),

final as (

    select message_id from changed_ssb_messages
    union all
    select message_id from changed_pzp_messages

)

select * from final
