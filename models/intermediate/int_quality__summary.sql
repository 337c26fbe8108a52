with

messages as (

    select * from {{ ref('fct_messages') }}

),

feeds as (

    select * from {{ ref('dim_feeds') }}

),

tangles as (

    select * from {{ ref('dim_tangles') }}

),

logs as (

    select * from {{ ref('dim_logs') }}

),

sets as (

    select * from {{ ref('dim_sets') }}

),

rejected_lines as (

    select * from {{ ref('fct_rejected_lines') }}

),

tangle_messages as (

    select * from {{ ref('fct_tangle_messages') }}

),

repairs as (

    select * from {{ ref('fct_epoch_repairs') }}

),

groups as (

    select * from {{ ref('dim_groups') }}

),

preferred_epochs as (

    select * from {{ ref('fct_preferred_epochs') }}

),

counted_messages as (

    select
        count(*) as message_count,
        count_if(validity = 'invalid') as invalid_count,
        count_if(validity = 'not_checked') as not_checked_count,
        count_if(is_private and not is_decrypted) as encrypted_count
    from messages

),

counted_feeds as (

    select
        count(*) as feed_count,
        count(distinct person_id) as person_count
    from feeds
    where message_count > 0

),

counted_tangles as (

    select
        count(*) as tangle_count,
        coalesce(max(depth), 0) as deepest,
        coalesce(sum(message_count), 0) as tangle_message_count,
        coalesce(sum(set_aside_count), 0) as set_aside_count,
        coalesce(sum(gap_count), 0) as gap_count
    from tangles

),

counted_logs as (

    select
        count_if(status = 'new') as new_log_count,
        count_if(status = 'changed') as changed_log_count,
        count_if(status = 'known') as known_log_count,
        count_if(status = 'vanished') as vanished_log_count
    from logs

),

counted_sets as (

    select
        count(*) as set_count,
        sum(item_count) as item_count,
        sum(prunable_count) as prunable_count,
        sum(freed_bytes) as freed_bytes,
        sum(lost_by_reference_count) as lost_count
    from sets

),

all_counts as (

    select
        explode(map(
            'message_count', counted_messages.message_count,
            'invalid_count', counted_messages.invalid_count,
            'not_checked_count', counted_messages.not_checked_count,
            'encrypted_count', counted_messages.encrypted_count,
            'feed_count', counted_feeds.feed_count,
            'person_count', counted_feeds.person_count,
            'tangle_count', counted_tangles.tangle_count,
            'deepest', counted_tangles.deepest,
            'tangle_message_count', counted_tangles.tangle_message_count,
            'set_aside_count', counted_tangles.set_aside_count,
            'gap_count', counted_tangles.gap_count,
            'new_log_count', counted_logs.new_log_count,
            'changed_log_count', counted_logs.changed_log_count,
            'known_log_count', counted_logs.known_log_count,
            'vanished_log_count', counted_logs.vanished_log_count,
            'set_count', counted_sets.set_count,
            'item_count', counted_sets.item_count,
            'prunable_count', counted_sets.prunable_count,
            'freed_bytes', counted_sets.freed_bytes,
            'lost_count', counted_sets.lost_count
        )) as (word, figure)
    from counted_messages
    cross join counted_feeds
    cross join counted_tangles
    cross join counted_logs
    cross join counted_sets

),

rejected as (

    select
        reason,
        count(*) as line_count,
        min_by(source_file, line_number) as first_source_file,
        min(line_number) as first_line_number
    from rejected_lines
    group by reason

),

not_in_graph as (

    select
        status,
        status_reason,
        count(*) as message_count,
        count(distinct tangle_id) as tangle_count
    from tangle_messages
    where status in ('set_aside', 'rejected')
    group by status, status_reason

),

to_publish as (

    select
        action,
        count(*) as repair_count,
        count(distinct group_id) as group_count
    from repairs
    group by action

),

preferences as (

    select
        group_id,
        epoch_id,
        count(*) as person_count
    from preferred_epochs
    group by group_id, epoch_id

),

preferences_of_groups as (

    select
        group_id,
        array_join(transform(
            array_sort(collect_list(struct(-person_count as person_count, epoch_id))),
            preference -> concat(-preference.person_count, ' prefer ', {{ short_id('preference.epoch_id') }})
        ), ', ') as preferences
    from preferences
    group by group_id

),

largest_groups as (

    select
        groups.group_id,
        groups.epoch_count,
        format_string(
            '%4s  %6s  %-9s  %s',
            groups.tip_count,
            groups.person_count,
            coalesce({{ short_id('groups.preferred_epoch_id') }}, 'none'),
            coalesce(preferences_of_groups.preferences, '')
        ) as note
    from groups
    left join preferences_of_groups on groups.group_id = preferences_of_groups.group_id
    order by groups.epoch_count desc, groups.group_id asc
    limit 12

),

final as (

    select
        'Counts' as title,
        word,
        cast(figure as bigint) as figure,
        null as note
    from all_counts
    union all
    select
        'Rejected lines' as title,
        reason as word,
        line_count as figure,
        concat('first: ', first_source_file, ' line ', first_line_number) as note
    from rejected
    union all
    select
        if(status = 'set_aside', 'Set aside', 'Not a candidate') as title,
        status_reason as word,
        message_count as figure,
        concat('in ', tangle_count, ' tangles') as note
    from not_in_graph
    union all
    select
        'To publish, so that groups hang together (fct_epoch_repairs)' as title,
        action as word,
        repair_count as figure,
        concat('in ', group_count, ' groups') as note
    from to_publish
    union all
    select
        'Groups' as title,
        {{ short_id('group_id') }} as word,
        epoch_count as figure,
        note
    from largest_groups

)

select * from final
