-- All that a feed's rows hang on: its messages, what they name as previous, its person and purpose, and the
-- epoch that its key belongs to.
with

sighted_messages as (

    select * from {{ ref('int_refresh__sighted_messages') }}

),

touched_messages as (

    {{ touched_now_and_published('stg_ssb__messages', ['feed_id']) }}

),

messages as (

    select * from {{ ref('stg_ssb__messages') }}

),

changed_people as (

    select * from {{ ref('int_refresh__people') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

epochs as (

    select * from {{ ref('int_groups__known_epochs') }}

),

touched_epochs as (

    select * from {{ ref('int_refresh__epochs') }}

),

touched_keys as (

    select epochs.key_hash
    from epochs
    left semi join touched_epochs on epochs.epoch_id = touched_epochs.epoch_id

),

final as (

    select feed_id from touched_messages
    union
    select messages.feed_id
    from messages
    left semi join sighted_messages on messages.previous_id = sighted_messages.message_id
    union
    select feed_id from changed_people
    union
    select people.feed_id
    from people
    left semi join touched_keys on people.key_hash = touched_keys.key_hash

)

select * from final
