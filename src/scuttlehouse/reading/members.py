"""Who is a member of an epoch, as pages and drawings say it."""

from __future__ import annotations


def members_of_epochs(where: str) -> str:
    """SQL of the rows of ``fct_epoch_members`` that meet a condition, with ``is_out`` beside them.

    ``is_out``: the person was excluded from the epoch, and nobody added them again after it. Extra people are
    added again too (ruling R24), but never count. Not null. The history tells it of the people who are in
    the epoch now, also where the timeline lacks messages; the audit log tells it of others.

    >>> "as is_out" in members_of_epochs("group_id = 'a'")
    True
    """
    return f"""
        select
            members.*,
            members.is_excluded
            and coalesce(
                periods.is_excluded,
                not (members.is_readded and coalesce(acts.last_act = 'add', false))
            ) as is_out
        from fct_epoch_members as members
        left join (
            select epoch_id, subject_id, arg_max(action, position) as last_act
            from fct_group_audit_log where {where} and is_authorized is distinct from false
            group by epoch_id, subject_id
        ) as acts on members.epoch_id = acts.epoch_id and members.person_id = acts.subject_id
        left join (
            select epoch_id, person_id, is_excluded from fct_membership_history
            where {where} and is_current
        ) as periods on members.epoch_id = periods.epoch_id and members.person_id = periods.person_id
        where members.{where}
    """
