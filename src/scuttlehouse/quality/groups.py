"""Expectations on the marts of groups.

The ids of groups and persons come from what messages say, which may be any text: there it is only
promised that there is one. An epoch is a message, and has a message's id.
"""

from __future__ import annotations

from typing import get_args

from scuttlehouse.groups.epochs import Rule
from scuttlehouse.groups.repairs import Action
from scuttlehouse.quality.expectations import (
    MESSAGE_ID,
    among,
    at_least,
    filled,
    flags,
    message_id,
    no_key,
    number,
    satisfies,
    shaped,
    suite,
)

GROUPS = (
    suite(
        "dim_groups",
        "a group",
        "group_id short_id name root_id founder_id founder_name preferred_epoch_id epoch_count "
        "tip_count is_forked fork_count repair_count person_count current_member_count "
        "message_count created_at last_message_at",
        filled("group_id", "Never null: the group."),
        filled("short_id", "Never null: the beginning of the group's id."),
        filled("name", "Never null: the name of the group."),
        no_key("name"),
        filled("founder_id", "Never null: the person who wrote the first message."),
        *message_id("root_id", "the group's first message, which is its first epoch too"),
        shaped(
            "preferred_epoch_id",
            MESSAGE_ID,
            "An epoch; null where two tips have no member in common.",
        ),
        *number("epoch_count", 1, "a group begins with an epoch"),
        *number("tip_count", 0, "0 where the first epoch has no valid members tangle"),
        *flags("is_forked"),
        satisfies("is_forked", "is_forked = (tip_count > 1)", "Forked where several are newest."),
        *number("fork_count", 0, "0 where nothing is forked now"),
        *number("repair_count", 0, "0 where nothing is to be done"),
        *number("person_count", 0, "0 where nobody was added"),
        at_least("current_member_count", 0, "0 where nobody was added to the preferred epoch."),
        satisfies(
            "current_member_count",
            "(current_member_count is null) = (preferred_epoch_id is null)",
            "Null where no epoch is preferred.",
        ),
        *number("message_count", 0, "the length of the timeline"),
    ),
    suite(
        "dim_epochs",
        "an epoch",
        "epoch_id group_id short_id group_name creator_id creator_name depth key_rank "
        "member_count is_root is_tip is_authorized has_valid_members_tangle has_short_key "
        "is_empty has_foreign_creator has_unfollowed_exclusion has_late_post has_wrong_secret "
        "asserted_at",
        *message_id("epoch_id", "the epoch's first message"),
        filled("group_id", "Never null: the group."),
        filled("short_id", "Never null: the beginning of the epoch's id."),
        filled("group_name", "Never null: the name of the group."),
        no_key("group_name"),
        filled("creator_id", "Never null: the person who wrote the first message."),
        *number("depth", 0, "the rank of the first message in the epoch tangle"),
        at_least("key_rank", 1, "Keys rank from 1; null where the log does not hold the key."),
        *number("member_count", 0, "0 where nobody was added"),
        *flags("is_root", "is_tip", "has_valid_members_tangle", "has_short_key"),
        satisfies(
            "is_tip",
            "not is_tip or (has_valid_members_tangle and coalesce(is_authorized, true))",
            "An epoch that does not count is not a newest one.",
        ),
        satisfies("is_authorized", "not is_root or is_authorized", "Everybody may found a group."),
        satisfies(
            "key_rank", "key_rank is null or not has_short_key", "A key that is too short has none."
        ),
        *flags("is_empty", "has_foreign_creator", "has_unfollowed_exclusion"),
        *flags("has_late_post", "has_wrong_secret"),
        satisfies("is_empty", "is_empty = (member_count = 0)", "Empty where nobody was added."),
        satisfies(
            "has_foreign_creator",
            "has_foreign_creator or not is_empty",
            "The creator of an epoch without members is not a member.",
        ),
    ),
    suite(
        "fct_epoch_links",
        "a direct precedence",
        "epoch_id group_id previous_epoch_id",
        *message_id("epoch_id", "the epoch that succeeds"),
        *message_id("previous_epoch_id", "the epoch that precedes"),
    ),
    suite(
        "fct_epoch_precedence",
        "an epoch and a predecessor",
        "epoch_id group_id predecessor_id distance",
        *message_id("epoch_id", "the epoch that succeeds"),
        *message_id("predecessor_id", "the epoch that precedes"),
        *number("distance", 1, "the least number of steps between the two"),
    ),
    suite(
        "fct_epoch_members",
        "a person in an epoch",
        "epoch_id group_id group_name person_id person_name added_by_id added_by_name "
        "excluded_by_id excluded_by_name is_declared is_excluded is_correct is_missing is_extra "
        "is_readded is_added_by_outsider is_excluded_by_outsider added_at excluded_at",
        *message_id("epoch_id", "the epoch"),
        filled("group_id", "Never null: the group."),
        filled("person_id", "Never null: the person."),
        satisfies(
            "added_by_id",
            "(added_by_id is not null) = is_declared",
            "Exactly the members were added by somebody.",
        ),
        satisfies("added_at", "added_at is null or is_declared", "Only members were added."),
        satisfies(
            "excluded_by_id",
            "(excluded_by_id is not null) = is_excluded",
            "Exactly the excluded people were excluded by somebody.",
        ),
        satisfies(
            "excluded_at", "excluded_at is null or is_excluded", "Only excluded people have a time."
        ),
        *flags("is_added_by_outsider", "is_excluded_by_outsider"),
        *flags("is_declared", "is_excluded", "is_correct", "is_missing", "is_extra", "is_readded"),
        satisfies(
            "is_missing",
            "is_missing = (is_correct and not is_declared)",
            "Correct, but not declared (4.9).",
        ),
        satisfies(
            "is_extra",
            "is_extra = (is_declared and not is_correct)",
            "Declared, but not correct (4.9).",
        ),
        satisfies("is_readded", "is_declared or not is_readded", "Only a member was added again."),
    ),
    suite(
        "fct_epoch_forks",
        "a pair of epochs that are or were forked",
        "group_id group_name left_epoch_id right_epoch_id nearest_epoch_id winner_epoch_id "
        "loser_epoch_id healed_by_epoch_id healed_by_id healed_by_name rule is_criss_cross "
        "is_current is_healed witness_count needs_repair began_at",
        filled("group_id", "Never null: the group."),
        *message_id("left_epoch_id", "one of the two"),
        *message_id("right_epoch_id", "the other one"),
        *message_id("nearest_epoch_id", "a nearest epoch that both succeed"),
        filled("rule", "Never null: a rule says which one to prefer."),
        among(
            "rule",
            ["same", "subset", "overlapping", "disjoint"],
            "How the members of the two compare (4.4 to 4.7).",
        ),
        satisfies(
            "winner_epoch_id",
            "(winner_epoch_id is not null) = (rule != 'disjoint')",
            "One of the two wins, unless they have no member in common.",
        ),
        shaped("winner_epoch_id", MESSAGE_ID, "The id of a message, as a URI."),
        *number("witness_count", 0, "0 where nobody saw both"),
        shaped("loser_epoch_id", MESSAGE_ID, "The id of a message, as a URI."),
        satisfies(
            "loser_epoch_id",
            "(loser_epoch_id is null) = (winner_epoch_id is null)",
            "If one wins, the other loses.",
        ),
        shaped("healed_by_epoch_id", MESSAGE_ID, "The id of a message, as a URI."),
        *flags("is_criss_cross", "is_current", "is_healed", "needs_repair"),
        satisfies(
            "is_healed",
            "is_healed = (healed_by_epoch_id is not null) and not (is_healed and is_current)",
            "An epoch after one of the two healed it.",
        ),
        satisfies(
            "needs_repair",
            "(rule = 'overlapping' and is_current) or not needs_repair",
            "Only now, and where each has members that the other lacks (4.6).",
        ),
    ),
    suite(
        "fct_exclusions",
        "a person whom a message excludes",
        "message_id group_id group_name epoch_id excluded_id excluded_name excluded_by_id "
        "excluded_by_name group_feed_id cutoff_sequence following_epoch_id late_message_count "
        "is_authorized counts excluded_at",
        *message_id("message_id", "the message that excludes"),
        filled("group_id", "Never null: the group."),
        *message_id("epoch_id", "the epoch that the person is excluded in"),
        filled("excluded_id", "Never null: the person."),
        filled("excluded_by_id", "Never null: the person who wrote the message."),
        shaped("following_epoch_id", MESSAGE_ID, "The id of a message, as a URI."),
        at_least("late_message_count", 0, "0 where nothing came after the cut-off."),
        satisfies(
            "late_message_count",
            "late_message_count is null or cutoff_sequence is not null",
            "Only a cut-off has messages after it.",
        ),
        satisfies(
            "cutoff_sequence",
            "cutoff_sequence is null or group_feed_id is not null",
            "A cut-off is of a feed.",
        ),
        *flags("counts"),
        satisfies(
            "counts",
            "counts = coalesce(is_authorized, true)",
            "A message by an outsider does not count.",
        ),
        satisfies(
            "following_epoch_id",
            "following_epoch_id is null or counts",
            "No epoch follows an exclusion that does not count.",
        ),
    ),
    suite(
        "fct_epoch_preferences",
        "an epoch that is preferred to another",
        "group_id preferred_epoch_id other_epoch_id rule",
        filled("group_id", "Never null: the group."),
        *message_id("preferred_epoch_id", "the epoch that is preferred"),
        *message_id("other_epoch_id", "the other epoch"),
        filled("rule", "Never null: the reason."),
        among("rule", ["successor", "same", "subset", "overlapping"], "The rules of 4.2 to 4.6."),
    ),
    suite(
        "fct_fork_witnesses",
        "a witness of a fork",
        "group_id left_epoch_id right_epoch_id person_id person_name",
        filled("group_id", "Never null: the group."),
        *message_id("left_epoch_id", "one of the two"),
        *message_id("right_epoch_id", "the other one"),
        filled("person_id", "Never null: the witness."),
    ),
    suite(
        "fct_preferred_epochs",
        "a person in a group",
        "group_id group_name person_id person_name epoch_id rule is_witness is_tip",
        filled("group_id", "Never null: the group."),
        filled("person_id", "Never null: the person."),
        *message_id("epoch_id", "the epoch that the person should prefer"),
        filled("rule", "Never null: a rule decided."),
        among(
            "rule",
            ["only", "successor", "subset", "same", "overlapping"],
            "The last rule that had a choice to make (4.2 to 4.6).",
        ),
        satisfies(
            "is_witness",
            "(is_witness is null) = (rule in ('only', 'successor'))",
            "Null where no fork had to be decided.",
        ),
        *flags("is_tip"),
    ),
    suite(
        "fct_epoch_repairs",
        "a thing to publish",
        "group_id group_name epoch_id person_id person_name action because severity first_seen_at",
        filled("group_id", "Never null: the group."),
        *message_id("epoch_id", "the epoch that it is about"),
        filled("action", "Never null: the action."),
        among("action", ["add", "create_epoch", "exclude"], "What can be done."),
        satisfies(
            "person_id",
            "(person_id is null) = (action = 'create_epoch')",
            "Somebody is added or excluded; an epoch is created.",
        ),
        filled("because", "Never null: the reason."),
        satisfies(
            "because",
            "because like if(action = 'add', '%(4.9)', '%(4.6)')",
            "The section that asks for it.",
        ),
        filled("severity", "Never null: how strongly it is asked for."),
        satisfies(
            "severity",
            "severity = if(action = 'add', 'must', 'should')",
            "Only additions must be (4.9).",
        ),
    ),
    suite(
        "fct_rule_violations",
        "a rule that a message breaks",
        "group_id message_id feed_id person_id person_name rule_id document section severity found",
        filled("group_id", "Never null: the group."),
        *message_id("message_id", "the message that breaks the rule"),
        filled("feed_id", "Never null: a message is in a feed."),
        filled("person_id", "Never null: the person who wrote the message."),
        filled("rule_id", "Never null: the rule."),
        among("document", ["group exclusion", "tangle sip"], "The documents with rules."),
        filled("section", "Never null: the section of the rule."),
        filled("severity", "Never null: how strongly it is asked for."),
        among("severity", ["must", "should"], "The words of RFC 2119."),
        filled("found", "Never null: what was found."),
    ),
    suite(
        "fct_group_days",
        "a group on a day",
        "group_id group_name day member_count message_count post_count author_count epoch_count "
        "exclusion_count fork_count gap_count repair_count",
        filled("group_id", "Never null: the group."),
        filled("day", "Never null: the day."),
        *number("member_count", 0, "0 before the first addition"),
        *number("message_count", 0, "0 for a day without messages"),
        *number("post_count", 0, "0 for a day without posts"),
        satisfies("post_count", "post_count <= message_count", "Posts are messages."),
        *number("author_count", 0, "0 for a day without messages"),
        *number("epoch_count", 0, "0 for a day without new epochs"),
        *number("exclusion_count", 0, "0 for a day without exclusions"),
        *number("fork_count", 0, "0 for a day without new forks"),
        *number("gap_count", 0, "0 where nothing is missing"),
        *number("repair_count", 0, "0 where nothing is to be done"),
    ),
    suite(
        "fct_peer_epochs",
        "an epoch that the owner of a log knows",
        "source_file owner_id owner_name group_id group_name epoch_id counts is_tip is_member "
        "is_preferred is_preferred_by_all_logs rule member_count fork_count repair_count",
        filled("source_file", "Never null: the log."),
        filled("owner_id", "Never null: the person whose log it is."),
        filled("group_id", "Never null: the group."),
        *message_id("epoch_id", "the epoch"),
        *flags("counts", "is_tip", "is_member", "is_preferred", "is_preferred_by_all_logs"),
        satisfies(
            "is_tip", "counts or not is_tip", "An epoch that does not count is not a newest one."
        ),
        satisfies(
            "is_member", "counts or not is_member", "An epoch that does not count has no members."
        ),
        satisfies(
            "is_preferred",
            "is_preferred = (rule is not null) and (is_member or not is_preferred)",
            "A rule makes members prefer it.",
        ),
        among("rule", get_args(Rule), "A rule of preference."),
        *number("member_count", 0, "0 for an epoch that does not count"),
        *number("fork_count", 0, "0 where the owner detects no fork"),
        *number("repair_count", 0, "0 where nothing is to be done"),
    ),
    suite(
        "fct_peer_repairs",
        "a thing that the owner of a log should publish",
        "source_file owner_id owner_name group_id group_name epoch_id person_id person_name "
        "action because",
        filled("source_file", "Never null: the log."),
        filled("owner_id", "Never null: the person whose log it is."),
        filled("group_id", "Never null: the group."),
        *message_id("epoch_id", "the epoch"),
        filled("action", "Never null: the action."),
        among("action", get_args(Action), "What can be done."),
        satisfies(
            "person_id",
            "(person_id is null) = (action = 'create_epoch')",
            "Null where an epoch is created.",
        ),
        filled("because", "Never null: the rule that asks for it."),
    ),
    suite(
        "fct_replication_plan",
        "a feed or a missing message, and who should fetch it",
        "group_id person_id epoch_id feed_id owner_id missing_id rule should_fetch should_serve",
        filled("group_id", "Never null: the group."),
        filled("person_id", "Never null: the person whose plan it is."),
        filled("rule", "Never null: the reason."),
        among(
            "rule",
            [
                "preferred_epoch",
                "remaining_member",
                "excluded_member",
                "missing_message",
                "no_member",
            ],
            "The reasons of section 4.8.2.",
        ),
        shaped("epoch_id", MESSAGE_ID, "The id of a message, as a URI; null for a message."),
        satisfies(
            "missing_id",
            "(missing_id is not null) = (rule = 'missing_message')",
            "Only missing messages have a missing id.",
        ),
        *(
            satisfies(
                column,
                f"({column} is null) = (rule = 'missing_message')",
                "Every other row is a feed of a person in an epoch.",
            )
            for column in ("epoch_id", "feed_id", "owner_id")
        ),
        *flags("should_fetch", "should_serve"),
        satisfies(
            "should_fetch",
            "should_fetch = (rule not in ('excluded_member', 'no_member'))",
            "All feeds, except those of excluded people and strangers.",
        ),
        satisfies(
            "should_serve",
            "should_serve = (rule != 'no_member')",
            "All feeds, except those of strangers.",
        ),
    ),
    suite(
        "fct_group_audit_log",
        "an action in a group",
        "group_id group_name message_id action content_type actor_id actor_name subject_id "
        "subject_name epoch_id position is_authorized is_past_cutoff asserted_at",
        filled("group_id", "Never null: the group."),
        *message_id("message_id", "the message that acts"),
        filled("action", "Never null: every message is an action."),
        among("action", ["init", "add", "exclude", "post"], "What can be done in a group."),
        filled("actor_id", "Never null: the person who wrote the message."),
        satisfies(
            "subject_id",
            "subject_id is null or action in ('add', 'exclude')",
            "Only people who are added or excluded.",
        ),
        shaped("epoch_id", MESSAGE_ID, "The id of a message, as a URI; null where unknown."),
        *number("position", 0, "the place in the group's timeline, from 0"),
        *flags("is_past_cutoff"),
    ),
    suite(
        "fct_membership_history",
        "a period of membership",
        "group_id group_name person_id person_name epoch_id valid_from_position "
        "valid_to_position is_excluded is_current valid_from_at valid_to_at",
        filled("group_id", "Never null: the group."),
        filled("person_id", "Never null: the person."),
        *message_id("epoch_id", "the epoch that the person is in"),
        *number("valid_from_position", 0, "where the period begins"),
        satisfies(
            "valid_to_position",
            "valid_to_position is null or valid_to_position > valid_from_position",
            "It ends after it began.",
        ),
        *flags("is_excluded", "is_current"),
        satisfies(
            "is_current",
            "is_current = (valid_to_position is null)",
            "A period without an end is current.",
        ),
        satisfies(
            "valid_to_at",
            "valid_to_at is null or (not is_current and coalesce(valid_to_at >= valid_from_at, true))",
            "A current period has no end, and no period ends before it begins.",
        ),
    ),
)
