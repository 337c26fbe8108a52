{{ config(materialized='ephemeral') }}

-- The rules about what the author of a message knew: which epoch to prefer, and which messages were newest.

-- A message of 8192 bytes lists 221 others at most. One of an unchecked format may list thousands: the work
-- would grow with the square of its length.
{%- set most_compared = 250 %}

with

judged as (

    select * from {{ ref('int_groups__judged') }}

),

first_epochs as (

    select * from {{ ref('int_groups__epochs') }}
    where is_root and {{ is_touched('group_id', 'int_changes__groups') }}

),

tangle_messages as (

    select * from {{ ref('int_tangles__messages') }}

),

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}

),

-- A message that nobody has signed does not show what its author knew.
placed_messages as (

    select tangle_messages.*
    from tangle_messages
    left semi join first_epochs on tangle_messages.group_id = first_epochs.group_id
    where
        tangle_messages.tangle_kind in ('group', 'epoch', 'members')
        and tangle_messages.status = 'in'
        and {{ counts_as_signed(
            "if(tangle_messages.is_unverified, 'not_checked', 'valid')",
            feed_format('tangle_messages.feed_id'),
            'tangle_messages.message_id'
        ) }}

),

-- Two messages of a forked feed may have the same sequence. Then neither is known to come before a later one.
placed_fields as (

    select
        placed_messages.group_id,
        placed_messages.tangle_id,
        placed_messages.message_id,
        placed_messages.feed_id,
        tangle_fields.sequence,
        tangle_fields.previous_ids,
        tangle_fields.sequence in (
            lag(tangle_fields.sequence) over feed_order, lead(tangle_fields.sequence) over feed_order
        ) as is_in_fork
    from placed_messages
    inner join tangle_fields
        on
            placed_messages.message_id = tangle_fields.message_id
            and placed_messages.tangle_kind = tangle_fields.tangle_kind
    window feed_order as (
        partition by placed_messages.tangle_id, placed_messages.feed_id
        order by tangle_fields.sequence
    )

),

listed as (

    select
        group_id,
        tangle_id,
        message_id,
        feed_id,
        sequence,
        is_in_fork,
        if(size(previous_ids) <= {{ most_compared }}, previous_ids, null) as compared_ids,
        explode(previous_ids) as previous_id
    from placed_fields

),

-- What a feed lists, and where it lists that first.
numbered as (

    select
        group_id,
        message_id,
        previous_id,
        sequence,
        min(if(is_in_fork, null, sequence)) over (
            partition by tangle_id, feed_id, previous_id
        ) as first_sequence
    from listed

),

-- A message that the same feed listed before was not a tip for the author. Nor was one that is listed
-- together with a message after it, in the tangle of any epoch, nor one that a message lists of which the
-- author knew, in those of the group's epochs.
no_tips as (

    select
        group_id,
        message_id,
        previous_id
    from numbered
    where first_sequence < sequence
    union
    select
        listed.group_id,
        listed.message_id,
        further.previous_id
    from listed
    inner join listed as further
        on listed.tangle_id = further.tangle_id and listed.previous_id = further.message_id
    where
        size(listed.compared_ids) > 1
        and further.compared_ids is not null
        and array_contains(listed.compared_ids, further.previous_id)
    union
    select
        group_id,
        message_id,
        explode(no_tip_ids) as previous_id
    from judged

),

tip_faults as (

    select
        group_id,
        message_id,
        previous_id as no_tip_id,
        cast(null as array<string>) as left_out_tip_ids
    from no_tips
    union all
    select
        group_id,
        message_id,
        cast(null as string) as no_tip_id,
        left_out_tip_ids
    from judged
    where size(left_out_tip_ids) > 0

),

messages_with_faults as (

    select
        group_id,
        message_id,
        array_sort(collect_set(no_tip_id)) as no_tip_ids,
        any_value(left_out_tip_ids, true) as left_out_tip_ids
    from tip_faults
    group by group_id, message_id

),

final as (

    select
        group_id,
        message_id,
        if(kind = 'exclude', 'late_exclusion', 'late_post') as rule_id,
        'an epoch to prefer is known' as found
    from judged
    where is_late
    union all
    select
        group_id,
        message_id,
        -- Who lists what is no tip mostly leaves out the tip in whose place it stands.
        if(size(no_tip_ids) > 0, 'previous_is_no_tip', 'tip_is_left_out') as rule_id,
        array_join(if(size(no_tip_ids) > 0, no_tip_ids, left_out_tip_ids), ' ') as found
    from messages_with_faults

)

select * from final
