"""The queries of the summary: what it counts, and which groups it shows."""

from __future__ import annotations

_SHOWN_GROUPS = 12

COUNTS = (
    """
        select
            count(*) as message_count,
            count(*) filter (where validity = 'invalid') as invalid_count,
            count(*) filter (where validity = 'not_checked') as not_checked_count,
            count(*) filter (where is_private and not is_decrypted) as encrypted_count
        from fct_messages
    """,
    """
        select count(*) as feed_count, count(distinct person_id) as person_count
        from dim_feeds
        where message_count > 0
    """,
    """
        select
            count(*) as tangle_count,
            coalesce(max(depth), 0) as deepest
        from dim_tangles
    """,
    # A message may be in several tangles, and missing in several: each counts once.
    """
        select
            count(distinct message_id) filter (where status = 'in') as tangle_message_count,
            count(distinct message_id) filter (where status = 'set_aside') as set_aside_count
        from fct_tangle_messages
    """,
    "select count(distinct missing_id) as missing_count from fct_tangle_gaps",
    "select count(*) as group_count from dim_groups",
    """
        select
            count(*) filter (where status = 'new') as new_log_count,
            count(*) filter (where status = 'changed') as changed_log_count,
            count(*) filter (where status = 'known') as known_log_count,
            count(*) filter (where status = 'vanished') as vanished_log_count,
            count(*) filter (where status in ('copy', 'moved')) as copied_log_count,
            count(*) filter (where status = 'left_out') as left_out_count
        from dim_logs
    """,
    """
        select
            count(*) as set_count,
            sum(item_count) as item_count,
            sum(prunable_count) as prunable_count,
            sum(freed_bytes) as freed_bytes,
            sum(lost_by_reference_count) as lost_count
        from dim_sets
    """,
)

REASONS = """
    select
        'Rejected lines' as title,
        reason as word,
        sum(line_count) as figure,
        'first: ' || arg_min(source_file, (line_number, source_file)) || ' line ' || min(line_number) as note
    from fct_rejected_lines
    group by reason
    union all
    select
        if(status = 'set_aside', 'Set aside', 'Not a candidate'),
        status_reason,
        count(distinct message_id),
        'in ' || count(distinct tangle_id) || if(count(distinct tangle_id) = 1, ' tangle', ' tangles')
    from fct_tangle_messages
    where status in ('set_aside', 'rejected')
    group by status, status_reason
    union all
    select
        'To publish, so that groups are connected (fct_epoch_repairs)',
        action,
        count(*),
        'in ' || count(distinct group_id) || if(count(distinct group_id) = 1, ' group', ' groups')
    from fct_epoch_repairs
    group by action
    order by title, figure desc, word
"""

GROUPS = f"""
    with

    preferences as (

        select group_id, epoch_id, count(*) as person_count
        from fct_preferred_epochs
        group by group_id, epoch_id

    ),

    placed as (

        select
            *,
            row_number() over (partition by group_id order by person_count desc, epoch_id) as place,
            count(*) over (partition by group_id) as preferred_count
        from preferences

    ),

    -- Three fit into a line; of more, two and the number of the others.
    preferences_of_groups as (

        select
            group_id,
            string_agg(person_count || ' ' || split_part(epoch_id, '/', -1)[1:6], ', ' order by place)
                filter (where place <= if(preferred_count > 3, 2, 3))
            || if(max(preferred_count) > 3, ', ' || max(preferred_count) - 2 || ' more epochs', '')
                as preferences
        from placed
        group by group_id

    ),

    largest_groups as (

        select * from dim_groups
        order by epoch_count desc, group_id
        limit {_SHOWN_GROUPS}

    )

    select
        split_part(group_id, '/', -1)[1:6] as short_id,
        epoch_count,
        tip_count,
        person_count,
        coalesce(split_part(preferred_epoch_id, '/', -1)[1:6], 'none') as preferred,
        coalesce(preferences, '') as preferences
    from largest_groups
    left join preferences_of_groups using (group_id)
    order by epoch_count desc, short_id
"""
