with

set_messages as (

    select * from {{ ref('int_sets__messages') }}
    where pruning is not null

),

candidates as (

    select * from {{ ref('int_sets__candidates') }}

),

-- An erased message keeps its metadata, with `null` in place of the data.
final as (

    select
        set_messages.set_id,
        set_messages.message_id,
        set_messages.pruning,
        case
            when set_messages.pruning = 'delete' then candidates.line_bytes
            when candidates.is_erased then 0
            else greatest(candidates.data_bytes - 4, 0)
        end as freed_bytes
    from set_messages
    inner join candidates on set_messages.message_id = candidates.message_id

)

select * from final
