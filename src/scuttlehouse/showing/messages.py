"""The pages of a message, of a missing message and of a tangle."""

from __future__ import annotations

from scuttlehouse.showing.paragraphs import Paragraph

_LISTED_BY = Paragraph(
    "Listed as previous by",
    """
    select message_id as message, tangle_id as tangle, is_in_graph as "in the graph"
    from fct_tangle_links where previous_id = {id}
    """,
)

MESSAGE_PAGE = (
    Paragraph(
        "",
        """
        select
            content_type as type,
            person_id as author,
            feed_id as feed,
            sequence,
            asserted_at as "written, its author says",
            received_at as received,
            epoch_id as epoch,
            case
                when not is_private then 'no'
                when is_decrypted then 'yes, opened'
                else 'yes, nobody opened it'
            end as encrypted,
            validity,
            invalid_reason as "invalid because",
            warning,
            case
                when is_valid_in_feed then 'valid'
                when not is_valid_in_feed then 'not valid'
                else 'unknown'
            end as "in its feed",
            feed_fault as "fault of the feed",
            feed_fault_sequence as "at sequence",
            is_past_cutoff as "past the cut-off",
            source_file as "in the log",
            line_number as line
        from fct_messages where message_id = {id}
        """,
    ),
    Paragraph(
        "Tangles",
        """
        select
            tangle_id as tangle,
            replace(status, '_', ' ') || coalesce(': ' || status_reason, '') as status,
            rank,
            position,
            concat_ws(', ', if(is_root, 'root', null), if(is_tip, 'tip', null)) as place,
            blocking_ids as "waits for"
        from fct_tangle_messages where message_id = {id}
        """,
    ),
    Paragraph(
        "Lists as previous",
        """
        select
            previous_id as previous,
            tangle_id as tangle,
            is_in_log as "in the log",
            is_in_graph as "in the graph"
        from fct_tangle_links where message_id = {id}
        """,
    ),
    _LISTED_BY,
    Paragraph(
        "Other messages with its sequence: the feed is forked",
        """
        with here as (select * from fct_feed_forks where message_id = {id})

        select others.message_id as message, others.previous_id as previous
        from fct_feed_forks as others
        inner join here on others.feed_id = here.feed_id and others.sequence = here.sequence
        where others.message_id != {id}
        """,
        is_problem=True,
    ),
    Paragraph(
        "What it does in a group",
        """
        select group_id as "group", action, subject_id as whom, epoch_id as epoch, is_authorized as authorized
        from fct_group_audit_log where message_id = {id}
        """,
    ),
    Paragraph(
        "Broken rules",
        """
        select rule_id as rule, group_id as "group", severity, document, section, found
        from fct_rule_violations where message_id = {id}
        """,
        is_problem=True,
    ),
)

MISSING_PAGE = (
    Paragraph(
        "",
        """
        select count(*) as "tangles that need it", max(blocked_count) as "messages waiting for it, at most"
        from fct_tangle_gaps where missing_id = {id}
        """,
    ),
    Paragraph(
        "Tangles that need it",
        """
        select
            tangle_id as tangle,
            group_id as "group",
            needed_by_count as "listed by",
            blocked_count as "waiting for it"
        from fct_tangle_gaps where missing_id = {id}
        """,
        order='"waiting for it" desc, tangle',
        is_problem=True,
    ),
    _LISTED_BY,
    Paragraph(
        "Who should fetch it",
        'select person_id as person, group_id as "group" from fct_replication_plan where missing_id = {id}',
    ),
)

TANGLE_PAGE = (
    Paragraph(
        "",
        """
        select
            tangle_kind as kind,
            root_id as root,
            group_id as "group",
            message_count as messages,
            author_count as "from feeds",
            depth as "steps from the root",
            tip_count as tips,
            set_aside_count as "set aside",
            rejected_count as rejected,
            gap_count as missing
        from dim_tangles where tangle_id = {id}
        """,
    ),
    Paragraph(
        "Tips: what a new message should list as previous",
        """
        select
            message_id as message,
            person_id as author,
            content_type as type,
            position,
            asserted_at as written
        from fct_tangle_messages where tangle_id = {id} and status = 'in' and is_tip
        """,
        order="position",
    ),
    Paragraph(
        "Set aside",
        """
        select message_id as message, person_id as author, status_reason as why, blocking_ids as "waits for"
        from fct_tangle_messages where tangle_id = {id} and status = 'set_aside'
        """,
        order="why = 'previous_set_aside', message",
        is_problem=True,
    ),
    Paragraph(
        "Rejected",
        """
        select status_reason as why, count(*) as messages, min(message_id) as "for example"
        from fct_tangle_messages where tangle_id = {id} and status = 'rejected' group by 1
        """,
        is_problem=True,
    ),
    Paragraph(
        "Missing from the log",
        """
        select missing_id as missing, needed_by_count as "listed by", blocked_count as "waiting for it"
        from fct_tangle_gaps where tangle_id = {id}
        """,
        order='"waiting for it" desc, missing',
        is_problem=True,
    ),
)
