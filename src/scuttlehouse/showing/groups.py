"""The pages of a group and of an epoch."""

from __future__ import annotations

from scuttlehouse.showing.paragraphs import Paragraph


def _forks(where: str) -> Paragraph:
    return Paragraph(
        "Forks",
        f"""
        select
            left_epoch_id as epoch,
            right_epoch_id as "other epoch",
            rule,
            winner_epoch_id as winner,
            case
                when needs_repair then 'needs repair'
                when is_current then 'current'
                when healed_by_epoch_id is not null then 'healed by ' || healed_by_epoch_id
                else 'past'
            end as state,
            began_at as began
        from fct_epoch_forks where {where}
        """,
        order="state = 'needs repair' desc, state = 'current' desc, began desc, epoch, \"other epoch\"",
    )


def _repairs(column: str) -> Paragraph:
    return Paragraph(
        "Repairs that somebody should publish",
        f"""
        select action as "to do", person_id as person, epoch_id as epoch, severity, because
        from fct_epoch_repairs where {column} = {{id}}
        """,
        is_problem=True,
    )


def _members(where: str) -> str:
    """SQL of the people of epochs, with their state in words."""
    return f"""
        select
            *,
            case
                when is_missing then 'missing: should be a member'
                when is_extra and is_readded then 'extra: added again after an exclusion'
                when is_extra then 'extra: should not be a member'
                when is_still_excluded then 'excluded'
                when is_declared then 'member'
                else 'no member'
            end as state
        from fct_epoch_members where {where}
    """


_GAPS = Paragraph(
    "Missing messages of its tangles",
    """
    select missing_id as missing, tangle_id as tangle, blocked_count as "waiting for it"
    from fct_tangle_gaps where group_id = {id}
    """,
    order='"waiting for it" desc, missing, tangle',
    is_problem=True,
)

GROUP_PAGE = (
    Paragraph(
        "",
        """
        select
            name,
            founder_id as founder,
            created_at as created,
            last_message_at as "last message",
            message_count as messages,
            person_count as "people ever",
            epoch_count as epochs,
            tip_count as "newest epochs",
            preferred_epoch_id as "preferred epoch",
            current_member_count as "its members",
            fork_count as forks,
            repair_count as repairs
        from dim_groups where group_id = {id}
        """,
    ),
    Paragraph(
        "People",
        f"""
        with

        preferences as (select * from fct_preferred_epochs where group_id = {{id}}),
        groups as (select * from dim_groups where group_id = {{id}}),
        members as ({_members("group_id = {id}")})

        select
            preferences.person_id as person,
            case
                when groups.preferred_epoch_id is null then 'the group prefers none'
                else coalesce(members.state, 'not in it')
            end as "in the preferred epoch",
            preferences.epoch_id as "should prefer",
            preferences.rule,
            members.added_by_id as "added by"
        from preferences
        inner join groups on preferences.group_id = groups.group_id
        left join members
            on groups.preferred_epoch_id = members.epoch_id and preferences.person_id = members.person_id
        """,
    ),
    Paragraph(
        "Epochs",
        """
        with groups as (select * from dim_groups where group_id = {id})

        select
            epochs.epoch_id as epoch,
            epochs.depth as step,
            epochs.creator_id as "made by",
            epochs.asserted_at as made,
            epochs.member_count as members,
            case
                when not (epochs.is_authorized and epochs.has_valid_members_tangle)
                    then 'counts for nothing'
                when epochs.epoch_id = groups.preferred_epoch_id then 'newest, preferred'
                when epochs.is_tip then 'newest'
                else 'past'
            end as state
        from dim_epochs as epochs
        inner join groups on epochs.group_id = groups.group_id
        where epochs.group_id = {id}
        """,
        order="step desc, epoch",
    ),
    _forks("group_id = {id}"),
    _repairs("group_id"),
    _GAPS,
    Paragraph(
        "Broken rules",
        """
        select rule_id as rule, severity, count(*) as messages, min(message_id) as "for example"
        from fct_rule_violations where group_id = {id} group by rule_id, severity
        """,
        is_problem=True,
    ),
)

ROOTLESS_GROUP_PAGE = (
    Paragraph(
        "",
        """
        select
            'unknown without its first message, opened and checked' as "epochs and members",
            count(*) as messages,
            count(distinct person_id) as authors,
            min(asserted_at) as "first message",
            max(asserted_at) as "last message"
        from fct_messages where group_id = {id}
        """,
    ),
    Paragraph(
        "Tangles",
        """
        select
            tangle_id as tangle,
            message_count as messages,
            set_aside_count as "set aside",
            rejected_count as rejected,
            gap_count as missing
        from dim_tangles where group_id = {id}
        """,
    ),
    _GAPS,
    Paragraph(
        "Who wrote to it",
        """
        select
            person_id as author,
            coalesce(content_type, 'unknown') as type,
            count(*) as messages,
            max(asserted_at) as "last message"
        from fct_messages where group_id = {id} group by 1, 2
        """,
        order="messages desc, author, type",
    ),
)

EPOCH_PAGE = (
    Paragraph(
        "",
        """
        with

        epochs as (select * from dim_epochs where epoch_id = {id}),
        messages as (select * from fct_messages where message_id = {id}),
        preferences as (
            select count(*) as person_count from fct_preferred_epochs where epoch_id = {id}
        )

        select
            epochs.group_id as "group",
            epochs.creator_id as "made by",
            epochs.asserted_at as made,
            epochs.depth as "steps from the first",
            epochs.key_rank as "rank of its key",
            epochs.member_count as members,
            case
                when not epochs.is_authorized then 'counts for nothing: an outsider made it'
                when not epochs.has_valid_members_tangle
                    then 'counts for nothing: its members tangle is not valid'
                when epochs.is_tip then 'newest'
                else 'past'
            end as state,
            groups.preferred_epoch_id = epochs.epoch_id as "preferred by the group",
            preferences.person_count as "people who prefer it",
            messages.feed_id as "on the feed",
            messages.sequence,
            messages.validity
        from epochs
        cross join preferences
        left join dim_groups as groups on epochs.group_id = groups.group_id
        left join messages on epochs.epoch_id = messages.message_id
        """,
    ),
    Paragraph(
        "Before and after it",
        """
        select 'follows' as link, previous_epoch_id as epoch from fct_epoch_links where epoch_id = {id}
        union all
        select 'is followed by', epoch_id from fct_epoch_links where previous_epoch_id = {id}
        """,
    ),
    Paragraph(
        "People",
        f"""
        select
            person_id as person,
            state,
            added_by_id as "added by",
            added_at as added,
            excluded_by_id as "excluded by",
            excluded_at as excluded
        from ({_members("epoch_id = {id}")})
        """,
        order="state, person",
    ),
    _forks("left_epoch_id = {id} or right_epoch_id = {id}"),
    _repairs("epoch_id"),
    Paragraph(
        "Tangles that it begins",
        """
        select
            tangle_id as tangle,
            message_count as messages,
            set_aside_count as "set aside",
            gap_count as missing
        from dim_tangles where root_id = {id}
        """,
    ),
)
