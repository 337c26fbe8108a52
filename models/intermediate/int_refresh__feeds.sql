-- All that a feed's rows hang on: its messages, what they name as previous, its person and purpose, and the
-- epoch that its key belongs to.
{%- set columns = {'message_id': 'string', 'feed_id': 'string'} %}
with

sighted_messages as (

    select * from {{ ref('int_refresh__sighted_messages') }}

),

all_messages as (

    {{ now_and_published('stg_ssb__messages', columns) }}

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

groups as (

    select * from {{ ref('int_refresh__groups') }}

),

touched_epochs as (

    select epochs.key_hash
    from epochs
    left semi join groups on epochs.group_id = groups.group_id

),

final as (

    select all_messages.feed_id
    from all_messages
    left semi join sighted_messages on all_messages.message_id = sighted_messages.message_id
    union
    select messages.feed_id
    from messages
    left semi join sighted_messages on messages.previous_id = sighted_messages.message_id
    union
    select feed_id from changed_people
    union
    select people.feed_id
    from people
    left semi join touched_epochs on people.key_hash = touched_epochs.key_hash

)

select * from final
