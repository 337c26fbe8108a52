with

messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where content is not null and validity != 'invalid'

),

contents as (

    select
        message_id,
        content_type,
        from_json(content, 'root string, recps array<string>, excludes array<string>') as content
    from messages
    where content_type in ('group/init', 'group/add-member', 'group/exclude-member')

),

final as (

    select
        message_id,
        content_type,
        content.root as root_id,
        try_element_at(content.recps, 1) as group_id,
        array_distinct(filter(slice(content.recps, 2, size(content.recps)), person_id -> person_id != '0'))
            as recipient_ids,
        array_distinct(filter(content.excludes, person_id -> person_id is not null)) as excluded_ids
    from contents

)

select * from final
