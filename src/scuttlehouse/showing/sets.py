"""The pages of a set and of a message of a set."""

from __future__ import annotations

from scuttlehouse.showing.paragraphs import Paragraph


def _broken_rules(columns: str, column: str) -> Paragraph:
    return Paragraph(
        "Broken rules",
        f"""
        select {columns}, item, known_id as "known deletion", severity, document, section
        from fct_set_rule_violations where {column} = {{id}}
        """,
        is_problem=True,
    )


SET_PAGE = (
    Paragraph(
        "",
        """
        select
            domain,
            account_id as account,
            item_count as items,
            nullif(lost_by_reference_count, 0) as "items that its software would lose",
            message_count as messages,
            device_count as devices,
            tip_count as tips,
            depth as "steps from the first",
            set_aside_count as "set aside",
            rejected_count as rejected,
            erased_count as erased,
            prunable_count as "messages to drop",
            freed_bytes as "bytes that this frees"
        from dim_sets where set_id = {id}
        """,
    ),
    Paragraph(
        "Items",
        """
        select
            position as place,
            item,
            last_added_by_id as "added by",
            is_lost_by_reference as "would be lost"
        from fct_set_items where set_id = {id}
        """,
    ),
    Paragraph(
        "Tips: what a new message should list as previous",
        """
        select message_id as message, device_key as device, depth, received_at as received
        from fct_set_messages where set_id = {id} and is_tip
        """,
    ),
    Paragraph(
        "Set aside or rejected",
        """
        select
            replace(status, '_', ' ') as status,
            status_reason as why,
            count(*) as messages,
            min(message_id) as "for example"
        from fct_set_messages where set_id = {id} and status != 'in' group by all
        """,
        is_problem=True,
    ),
    Paragraph(
        "Faults of messages",
        """
        select set_fault as fault, count(*) as messages, min(message_id) as "for example"
        from fct_set_messages where set_id = {id} and set_fault is not null group by all
        """,
        is_problem=True,
    ),
    Paragraph(
        "Missing from the log",
        """
        select linked_id as missing, link as "listed as", count(*) as "listed by"
        from fct_set_links where set_id = {id} and not is_in_log group by all
        """,
        is_problem=True,
    ),
    _broken_rules("rule_id as rule, message_id as message", "set_id"),
)

SET_MESSAGE_PAGE = (
    Paragraph(
        "",
        """
        select
            set_id as "set",
            device_key as device,
            replace(status, '_', ' ') || coalesce(': ' || status_reason, '') as status,
            set_fault as fault,
            depth,
            position,
            added_count as "items added",
            deleted_count as "items deleted",
            superseded_by_id as "superseded by",
            case
                when is_prunable then 'yes'
                when kept_because is not null then 'no: ' || replace(kept_because, '_', ' ')
            end as "may be dropped",
            received_at as received
        from fct_set_messages where message_id = {id}
        """,
    ),
    Paragraph(
        "What it changes",
        'select change, item, is_in_set as "in the set now" from fct_set_changes where message_id = {id}',
    ),
    Paragraph(
        "Lists",
        """
        select link as "as", linked_id as message, is_in_log as "in the log", is_in_set as "in the set"
        from fct_set_links where message_id = {id}
        """,
    ),
    Paragraph(
        "Listed by",
        'select link as "as", message_id as message from fct_set_links where linked_id = {id}',
    ),
    _broken_rules("rule_id as rule", "message_id"),
)
