{{ config(materialized='incremental', incremental_strategy='append') }}

with

messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where received_ms is not null

),

{% if is_incremental() %}
    known as (

        select
            message_id,
            min(received_ms) as received_ms
        from {{ this }}
        group by message_id

    ),
{% endif %}

final as (

    select
        messages.message_id,
        messages.received_ms
    from messages
    {% if is_incremental() %}
        left join known on messages.message_id = known.message_id
        where known.message_id is null or messages.received_ms < known.received_ms
    {% endif %}

)

select * from final
