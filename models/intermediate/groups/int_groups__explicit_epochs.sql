with

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}

),

final as (

    select
        message_id,
        root_id as epoch_id
    from tangle_fields
    where
        tangle_kind = 'members'
        and content_type in ('group/add-member', 'group/exclude-member')
        -- Anybody may write anything there. Only a message makes an epoch.
        and root_id like 'ssb:message/%'
        and fault is null

)

select * from final
