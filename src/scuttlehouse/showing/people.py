"""The pages of a person and of a feed."""

from __future__ import annotations

from scuttlehouse.showing.paragraphs import Paragraph

# Anybody may begin groups with anybody, so those in which the person writes come first. What nobody can check
# is in anybody's name.
_OWN_MESSAGES = """
    own_messages as (
        select group_id, count(*) as message_count
        from fct_messages where person_id = {id} and validity = 'valid' group by group_id
    )
"""
_OWN_MESSAGES_FIRST = '"own messages" desc, columns(*)'

PERSON_PAGE = (
    Paragraph(
        "",
        """
        select
            name,
            feed_count as feeds,
            message_count as messages,
            first_message_at as "first message",
            last_message_at as "last message",
            group_count as "groups now",
            ever_group_count as "groups ever",
            differing_group_count as "groups that prefer another epoch",
            received_exclusion_count as "times excluded",
            made_exclusion_count as "exclusions made"
        from dim_people where person_id = {id}
        """,
    ),
    Paragraph(
        "Groups, and the epoch to prefer in each",
        f"""
        with

        periods as (select * from fct_membership_history where person_id = {{id}} and is_current),
        preferences as (select * from fct_preferred_epochs where person_id = {{id}}),
        {_OWN_MESSAGES}

        select
            preferences.group_id as "group",
            if(periods.is_excluded, 'excluded', 'member') as state,
            preferences.epoch_id as "should prefer",
            preferences.rule,
            if(preferences.is_tip, 'newest', 'the group went on without them') as epoch,
            groups.preferred_epoch_id as "the group prefers",
            coalesce(own_messages.message_count, 0) as "own messages"
        from preferences
        left join periods on preferences.group_id = periods.group_id
        left join dim_groups as groups on preferences.group_id = groups.group_id
        left join own_messages on preferences.group_id = own_messages.group_id
        """,
        order=_OWN_MESSAGES_FIRST,
    ),
    Paragraph(
        "What to fetch and serve",
        f"""
        with {_OWN_MESSAGES}

        select
            plan.group_id as "group",
            count(distinct feed_id) filter (where should_fetch) as "feeds to fetch",
            count(distinct feed_id) filter (where should_serve) as "feeds to serve",
            count(distinct feed_id) filter (where rule = 'excluded_member') as "of excluded people",
            count(distinct missing_id) as "missing messages to fetch",
            coalesce(any_value(own_messages.message_count), 0) as "own messages"
        from fct_replication_plan as plan
        left join own_messages on plan.group_id = own_messages.group_id
        where person_id = {{id}}
        group by plan.group_id
        """,
        order=_OWN_MESSAGES_FIRST,
    ),
    Paragraph(
        "Feeds with faults",
        """
        with faults as (
            select
                feed_id,
                arg_min(feed_fault, feed_fault_sequence) as fault,
                count(*) filter (where validity = 'invalid') as invalid_count
            from fct_messages
            where
                person_id = {id}
                and (feed_fault != 'previous_is_not_checked' or validity = 'invalid')
            group by feed_id
        )

        select
            feeds.feed_id as feed,
            feeds.feed_format as format,
            feeds.last_sequence as last,
            feeds.valid_through_sequence as "valid through",
            feeds.gap_count as missing,
            coalesce(faults.invalid_count, 0) as invalid,
            feeds.is_forked as forked,
            faults.fault as "first fault"
        from dim_feeds as feeds
        left join faults on feeds.feed_id = faults.feed_id
        where
            feeds.person_id = {id}
            and (feeds.gap_count > 0 or feeds.is_forked or faults.feed_id is not null)
        """,
        is_problem=True,
    ),
    Paragraph(
        "Repairs of groups that concern them",
        f"""
        with {_OWN_MESSAGES}

        select
            action as "to do",
            repairs.group_id as "group",
            epoch_id as epoch,
            severity,
            because,
            coalesce(own_messages.message_count, 0) as "own messages"
        from fct_epoch_repairs as repairs
        left join own_messages on repairs.group_id = own_messages.group_id
        where person_id = {{id}}
        """,
        order=_OWN_MESSAGES_FIRST,
        is_problem=True,
    ),
)

FEED_PAGE = (
    Paragraph(
        "",
        """
        select
            person_id as person,
            has_known_person as "announced by them",
            feed_format as format,
            feed_purpose as purpose,
            message_count as messages,
            first_sequence as "first sequence",
            last_sequence as "last sequence",
            valid_through_sequence as "valid through",
            gap_count as "missing before the last",
            is_forked as forked,
            first_message_at as "first message",
            last_message_at as "last message"
        from dim_feeds where feed_id = {id}
        """,
    ),
    Paragraph(
        "Types of its messages",
        """
        select coalesce(content_type, 'unknown') as type, count(*) as messages
        from fct_messages where feed_id = {id} group by 1
        """,
        order="messages desc, type",
    ),
    Paragraph(
        "Messages with the same sequence",
        """
        select sequence, message_id as message, previous_id as previous
        from fct_feed_forks where feed_id = {id}
        """,
        is_problem=True,
    ),
    Paragraph(
        "Faults",
        """
        select
            coalesce(invalid_reason, feed_fault) as fault,
            if(invalid_reason is null, 'broken before them', 'invalid') as "what they are",
            count(*) as messages,
            min(coalesce(feed_fault_sequence, sequence)) as "first at sequence"
        from fct_messages
        where feed_id = {id} and (invalid_reason is not null or feed_fault is not null)
        group by 1, 2
        """,
        order='"first at sequence", fault',
        is_problem=True,
    ),
    Paragraph(
        "Who should fetch and serve it",
        """
        select
            person_id as person,
            group_id as "group",
            rule as why,
            should_fetch as fetch,
            should_serve as serve
        from fct_replication_plan where feed_id = {id}
        """,
    ),
)
