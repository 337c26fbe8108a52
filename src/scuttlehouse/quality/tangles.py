"""Expectations on the marts of tangles.

What a message says of others (a root, a previous, the name of a tangle) may be any text: there it
is only promised that there is one.
"""

from __future__ import annotations

from scuttlehouse.quality.expectations import (
    among,
    at_least,
    filled,
    flags,
    message_id,
    no_key,
    number,
    satisfies,
    suite,
)

REJECTED = (
    "invalid_message",
    "field_is_no_object",
    "root_is_no_id",
    "root_has_previous",
    "previous_is_no_list_of_ids",
    "type_not_allowed",
    "not_for_the_group",
)
SET_ASIDE = (
    "loop",
    "no_previous",
    "missing",
    "previous_encrypted",
    "previous_no_candidate",
    "previous_set_aside",
)

TANGLES = (
    suite(
        "dim_tangles",
        "a tangle",
        "tangle_id root_id group_id tangle_kind grown_by candidate_count message_count "
        "set_aside_count rejected_count tip_count author_count depth gap_count",
        filled("tangle_id", "Never null: the kind and the root."),
        filled(
            "root_id", "Never null: a field without a readable root has its own message as root."
        ),
        filled("tangle_kind", "Never null: the name of the field."),
        among("grown_by", ["settled", "walked"], "Settled in SQL, or walked in Python."),
        satisfies(
            "grown_by",
            "(grown_by is not null) = (candidate_count > 0)",
            "Exactly the tangles with candidates were grown.",
        ),
        *number("candidate_count", 0, "0 where every message is rejected"),
        *number("message_count", 0, "0 where nothing is in the graph"),
        *number("set_aside_count", 0, "0 where nothing is set aside"),
        *number("rejected_count", 0, "0 where nothing is rejected"),
        *number("tip_count", 0, "0 where nothing is in the graph"),
        satisfies(
            "tip_count",
            "(tip_count > 0) = (message_count > 0)",
            "A graph with messages has a tip.",
        ),
        *number("author_count", 0, "0 where nothing is in the graph"),
        satisfies(
            "author_count",
            "(author_count > 0) = (message_count > 0)",
            "Somebody wrote the messages in a graph.",
        ),
        at_least("depth", 0, "Ranks count from 0."),
        satisfies(
            "depth",
            "(depth is not null) = (message_count > 0)",
            "The greatest rank; null where nothing is in the graph.",
        ),
        *number("gap_count", 0, "0 for a tangle without gaps"),
    ),
    suite(
        "fct_tangle_messages",
        "a candidate in a tangle",
        "tangle_id message_id tangle_kind group_id person_id content_type asserted_at status "
        "status_reason blocking_ids rank position thread_position is_root "
        "is_tip is_unverified is_on_declared_feed",
        filled("tangle_id", "Never null: the tangle."),
        *message_id("message_id", "the candidate"),
        filled("tangle_kind", "Never null: the kind of the tangle."),
        filled("person_id", "Never null: a feed that nobody announced is its own person."),
        no_key("content_type"),
        filled("status", "Never null: every candidate is judged."),
        among("status", ["in", "set_aside", "rejected"], "In the graph, set aside, or rejected."),
        among("status_reason", [*REJECTED, *SET_ASIDE], "A reason that is documented."),
        satisfies(
            "status_reason",
            "case status when 'in' then status_reason is null"
            f" when 'rejected' then status_reason in {REJECTED}"
            f" when 'set_aside' then status_reason in {SET_ASIDE} end",
            "Null in the graph; a message that is set aside or rejected has a reason.",
        ),
        satisfies(
            "blocking_ids",
            "blocking_ids is null or status = 'set_aside'",
            "Only messages that are set aside are blocked.",
        ),
        at_least("rank", 0, "Ranks count from 0."),
        satisfies(
            "rank",
            "(rank is not null) = (status = 'in')",
            "Exactly the messages in the graph have a rank.",
        ),
        at_least("position", 0, "Positions count from 0."),
        satisfies(
            "position",
            "(position is not null) = (status = 'in')",
            "Exactly the messages in the graph have a position.",
        ),
        at_least("thread_position", 0, "Positions count from 0."),
        satisfies(
            "thread_position",
            "(thread_position is not null) = (status = 'in')",
            "Exactly the messages in the graph have a place in the thread order.",
        ),
        *flags("is_root", "is_tip", "is_unverified"),
        satisfies("is_tip", "status = 'in' or not is_tip", "Only messages in the graph are tips."),
    ),
    suite(
        "fct_tangle_links",
        "a previous link",
        "tangle_id message_id previous_id tangle_kind group_id is_in_log is_in_graph",
        filled("tangle_id", "Never null: the tangle."),
        filled("tangle_kind", "Never null: the kind of the tangle."),
        *message_id("message_id", "the message that lists the other"),
        filled("previous_id", "Never null: the listed id."),
        *flags("is_in_log", "is_in_graph"),
        satisfies(
            "is_in_graph", "is_in_log or not is_in_graph", "Messages in the graph are in the log."
        ),
    ),
    suite(
        "fct_tangle_gaps",
        "a missing message of a tangle",
        "tangle_id missing_id tangle_kind group_id needed_by_count blocked_count",
        filled("tangle_id", "Never null: the tangle."),
        filled("tangle_kind", "Never null: the kind of the tangle."),
        filled("missing_id", "Never null: the missing id."),
        *number("needed_by_count", 0, "0 for a root that no message lists"),
        *number("blocked_count", 1, "what blocks nothing is not missed"),
    ),
    suite(
        "fct_tangle_tips",
        "a tip",
        "tangle_id message_id tangle_kind group_id person_id content_type asserted_at",
        filled("tangle_id", "Never null: the tangle."),
        filled("tangle_kind", "Never null: the kind of the tangle."),
        *message_id("message_id", "the tip"),
        filled("person_id", "Never null: a feed without a known root is a person of its own."),
    ),
    suite(
        "fct_thread_messages",
        "a message of a thread",
        "tangle_id message_id author_id person_id content_type asserted_time_fault thread_position "
        "depth is_tip attached_by is_concurrent asserted_at received_at ordered_at",
        filled("tangle_id", "Never null: the thread."),
        *message_id("message_id", "the message"),
        filled("author_id", "Never null: the feed that wrote it."),
        filled("person_id", "Never null: a feed without a known root is a person of its own."),
        among(
            "asserted_time_fault",
            ["missing", "before_1970", "after_received"],
            "A fault that is documented.",
        ),
        *number("thread_position", 0, "the root"),
        filled("attached_by", "Never null: every message is attached to something."),
        among("attached_by", ["linked", "by_time", "branch_missing"], "A way that is documented."),
        at_least("depth", 0, "Not below 0."),
        satisfies(
            "depth",
            "(depth is not null) = (attached_by = 'linked')",
            "Exactly the messages in the graph have a depth.",
        ),
        satisfies(
            "thread_position",
            "coalesce(depth, 0) <= thread_position",
            "A message comes after the whole chain before it.",
        ),
        *flags("is_tip"),
        satisfies(
            "is_concurrent",
            "(is_concurrent is null) = (thread_position = 0)",
            "All but the first have a message above them.",
        ),
    ),
    suite(
        "fct_timeline_updates",
        "an update command",
        "refresh_number refresh_id tangle_id step command message_id from_position to_position "
        "refreshed_at",
        *number("refresh_number", 1, "the first refresh tells everything"),
        filled("refresh_id", "Never null: the build."),
        filled("tangle_id", "Never null: the tangle."),
        *number("step", 0, "the first command of a refresh and tangle"),
        filled("command", "Never null: every step does something."),
        among("command", ["ins", "mov", "del"], "The commands of a replica."),
        *message_id("message_id", "what the command is about"),
        at_least("from_position", 0, "The first place is 0; null for `ins`."),
        at_least("to_position", 0, "The first place is 0; null for `del`."),
        satisfies(
            "from_position",
            "(from_position is null) = (command = 'ins')",
            "Every message had a position, unless it is new.",
        ),
        satisfies(
            "to_position",
            "(to_position is null) = (command = 'del')",
            "Every message has a position, unless it is deleted.",
        ),
        filled("refreshed_at", "Never null: when the commands were made."),
    ),
)
