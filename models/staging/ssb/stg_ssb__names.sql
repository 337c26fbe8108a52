{{ config(materialized='incremental', unique_key='message_id', replaced_keys_from='stg_changes__messages') }}

with

messages as (

    select * from {{ touched_rows(ref('stg_ssb__messages'), 'message_id', 'stg_changes__sighted_messages') }}
    -- A name counts if it is in a public, signed message.
    where
        content_type = 'about'
        and validity = 'valid'
        and not is_private
        and {{ is_touched('message_id', 'stg_changes__messages') }}

),

named as (

    select
        message_id,
        feed_id,
        sequence,
        {{ told_ms('asserted_ms', 'received_ms') }} as told_ms,
        get_json_object(content, '$.about') as named_id,
        get_json_object(content, '$.name') as name -- noqa: RF04
    from messages

),

final as (

    select * from named
    where name is not null

)

select * from final
