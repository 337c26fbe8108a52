-- Everything that a set's rows depend on: its messages, and the account with the devices that may write it.
{%- set columns = {
    'message_id': 'string', 'set_id': 'string', 'account_id': 'string', 'is_account_message': 'boolean'
} %}
with

changed_messages as (

    select * from {{ ref('stg_changes__messages') }}

),

all_messages as (

    {{ now_and_before('stg_pzp__messages', columns) }}

),

touched_messages as (

    select all_messages.*
    from all_messages
    left semi join changed_messages on all_messages.message_id = changed_messages.message_id

),

touched_accounts as (

    select account_id from touched_messages
    where is_account_message

),

final as (

    select set_id from touched_messages
    where set_id is not null
    union
    select all_messages.set_id
    from all_messages
    left semi join touched_accounts on all_messages.account_id = touched_accounts.account_id
    where all_messages.set_id is not null

)

select * from final
