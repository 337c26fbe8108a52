-- The rules of the specification of sets that a message breaks (seeds/rules.csv). A violation alone changes
-- no other table (ruling R35).
with

set_messages as (

    select * from {{ ref('int_sets__messages') }}

),

rules as (

    select * from {{ ref('rules') }}

),

violations_about_items as (

    select
        set_messages.set_id,
        set_messages.message_id,
        items.item,
        items.known_id,
        'set_change_supersedes_nothing' as rule_id
    from set_messages,
        lateral inline(
            arrays_zip(set_messages.unsuperseded_items, set_messages.unsuperseded_ids)
        ) as items (item, known_id)

),

violations as (

    select * from violations_about_items
    union all
    select
        set_id,
        message_id,
        null as item,
        left_deletion_id as known_id,
        'set_addition_leaves_deletion' as rule_id
    from set_messages
    where left_deletion_id is not null

),

final as (

    select
        violations.set_id,
        violations.message_id,
        violations.item,
        violations.known_id,
        violations.rule_id,
        rules.document,
        rules.section,
        rules.severity
    from violations
    inner join rules on violations.rule_id = rules.rule_id

)

select * from final
