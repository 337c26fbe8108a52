-- The rules of the group exclusion specification and of the tangle SIP that a message of a group breaks.
-- seeds/rules.csv describes each rule. A violation alone changes no other table (ruling R35).
with

violations as (

    select * from {{ ref('int_groups__act_violations') }}
    union all
    select * from {{ ref('int_groups__tangle_violations') }}
    union all
    select * from {{ ref('int_groups__knowledge_violations') }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

rules as (

    select * from {{ ref('rules') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

final as (

    select
        violations.group_id,
        violations.message_id,
        messages.feed_id,
        people.person_id,
        {{ person_name('people.person_id', 'names.name') }} as person_name,
        violations.rule_id,
        rules.document,
        rules.section,
        rules.severity,
        violations.found
    from violations
    inner join rules on violations.rule_id = rules.rule_id
    inner join messages on violations.message_id = messages.message_id
    inner join people on messages.feed_id = people.feed_id
    left join names on people.person_id = names.person_id
    -- Anybody can write the others under somebody's name.
    where {{ counts_as_signed('messages.validity', 'messages.feed_format', 'messages.message_id') }}

)

select * from final
