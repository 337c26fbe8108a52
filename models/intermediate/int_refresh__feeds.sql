-- All that a feed's rows hang on: its messages, what they name as previous, its person and purpose, and the
-- epoch that its key belongs to.
{%- set message_columns = {'message_id': 'string', 'feed_id': 'string', 'previous_id': 'string'} %}
with

sighted_messages as (

    select * from {{ ref('int_refresh__sighted_messages') }}

),

new_messages as (

    select * from {{ ref('stg_ssb__messages') }}
    where {{ is_refresh() | lower }} and {{ is_computed('stg_ssb__messages') }}

),

published_messages as (

    select * from {{ base_of('stg_ssb__messages', message_columns) }}

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

-- What is new has been read anew: all other messages are those of the published build.
touched_messages as (

    select published_messages.feed_id
    from published_messages
    where
        published_messages.message_id in (select sighted_messages.message_id from sighted_messages)
        or published_messages.previous_id in (select sighted_messages.message_id from sighted_messages)

),

final as (

    select feed_id from new_messages
    union
    select feed_id from touched_messages
    union
    select feed_id from changed_people
    union
    select people.feed_id
    from people
    left semi join touched_keys on people.key_hash = touched_keys.key_hash

)

select * from final
