{{ config(materialized='incremental', unique_key='message_id', replaced_keys_from='stg_changes__messages') }}

with

messages as (

    select * from {{ touched_rows(ref('stg_ssb__messages'), 'message_id', 'stg_changes__sighted_messages') }}
    -- All changed messages are among the computed ones, so only their contents are read.
    where
        -- Both feeds must have signed that they belong together (ruling R37), in a message of one of them: a
        -- metafeed speaks for its subfeeds, a main feed for itself.
        is_announcement_signed
        and content is not null
        and {{ is_touched('message_id', 'stg_changes__messages') }}

),

contents as (

    select
        message_id,
        content_type,
        key_hash,
        sequence,
        get_json_object(content, '$.metafeed') as metafeed_id,
        get_json_object(content, '$.subfeed') as subfeed_id,
        get_json_object(content, '$.feedpurpose') as purpose
    from messages
    where content_type in ('metafeed/add/derived', 'metafeed/add/existing', 'metafeed/announce')

),

final as (

    select
        message_id,
        metafeed_id,
        subfeed_id,
        content_type,
        purpose,
        key_hash,
        sequence
    from contents
    where metafeed_id != subfeed_id

)

select * from final
