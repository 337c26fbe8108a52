"""Expectations on the marts of sets."""

from __future__ import annotations

from scuttlehouse.pzp.lines import SET_FAULTS
from scuttlehouse.quality.expectations import (
    among,
    at_least,
    filled,
    flags,
    number,
    satisfies,
    shaped,
    suite,
)

REJECTED = ("no_device_of_the_account", "depth_is_wrong")
SET_ASIDE = ("account_missing", "missing")
KEPT = ("moot", "item_root", "concurrent", "source", "deletion", "order")

# 32 bytes in base58; those of a message in a table are checked.
HASH = r"^[1-9A-HJ-NP-Za-km-z]{32,44}\z"

SETS = (
    suite(
        "dim_sets",
        "a set",
        "set_id account_id domain message_count set_aside_count rejected_count erased_count "
        "device_count tip_count depth min_required_depth min_ghost_depth item_count "
        "lost_by_reference_count prunable_count freed_bytes",
        filled("set_id", "Never null: the set."),
        shaped("set_id", HASH, "A hash in base58."),
        filled("account_id", "Never null: a set is of an account."),
        filled("domain", "Never null: a set is of something."),
        shaped("domain", r"^set_v1__\w*\z", "The domain of a set."),
        *number("message_count", 0, "0 where nothing is in the tangle"),
        *number("set_aside_count", 0, "0 where nothing waits"),
        *number("rejected_count", 0, "0 where nothing is rejected"),
        *number("erased_count", 0, "0 where nothing is erased"),
        *number("device_count", 0, "0 for a moot alone"),
        *number("tip_count", 0, "0 where nothing is in the tangle"),
        satisfies(
            "tip_count",
            "(tip_count > 0) = (message_count > 0)",
            "A tangle with messages has a tip.",
        ),
        at_least("depth", 0, "Depths count from 0."),
        satisfies(
            "depth",
            "(depth is not null) = (message_count > 0)",
            "The greatest depth; null where nothing is in the tangle.",
        ),
        at_least("min_required_depth", 1, "The moot is not an item root."),
        satisfies(
            "min_ghost_depth",
            "min_ghost_depth is null and min_required_depth is null"
            " or coalesce(min_ghost_depth between 0 and min_required_depth, false)",
            "Not above the least depth of an item root; null where there is none.",
        ),
        *number("item_count", 0, "0 for an empty set"),
        satisfies(
            "item_count",
            "item_count = 0 or min_required_depth is not null",
            "What is in a set was added by a message.",
        ),
        *number("lost_by_reference_count", 0, "0 where nothing would be lost"),
        satisfies(
            "lost_by_reference_count",
            "lost_by_reference_count <= item_count",
            "Only items can be lost.",
        ),
        *number("prunable_count", 0, "0 where nothing may go"),
        *number("freed_bytes", 0, "0 where nothing may go"),
    ),
    suite(
        "fct_set_items",
        "an item of a set",
        "set_id item placed_by_id last_added_by_id position is_lost_by_reference",
        filled("set_id", "Never null: the set."),
        filled("item", "Never null: the item."),
        filled("placed_by_id", "Never null: somebody added the item."),
        filled("last_added_by_id", "Never null: somebody added the item."),
        *number("position", 0, "the first item"),
        *flags("is_lost_by_reference"),
    ),
    suite(
        "fct_set_messages",
        "a message of a set",
        "set_id message_id device_key status status_reason set_fault superseded_by_id kept_because "
        "depth position lipmaa_depth added_count deleted_count is_moot is_erased is_tip "
        "is_item_root has_lipmaa_link is_prunable is_ghostable received_at",
        filled("set_id", "Never null: the set."),
        filled("message_id", "Never null: the message."),
        shaped("message_id", HASH, "A hash in base58."),
        satisfies(
            "device_key",
            "device_key is not null or is_moot",
            "Only a moot needs no signature.",
        ),
        filled("status", "Never null: every message is judged."),
        among("status", ["in", "set_aside", "rejected"], "In the tangle, set aside, or rejected."),
        satisfies(
            "status_reason",
            "case status when 'in' then status_reason is null"
            f" when 'rejected' then status_reason in {REJECTED}"
            f" when 'set_aside' then status_reason in {SET_ASIDE} end",
            "Null in the tangle; a message that is set aside or rejected has a reason.",
        ),
        among("set_fault", list(SET_FAULTS), "A fault that is documented."),
        among("kept_because", list(KEPT), "A reason that is documented."),
        satisfies(
            "kept_because",
            "(kept_because is not null) = (status = 'in' and not is_prunable)",
            "Exactly the messages that must stay have a reason.",
        ),
        *number("depth", 0, "the moot"),
        satisfies("depth", "(depth = 0) = is_moot", "The moot, and nothing else, has depth 0."),
        at_least("position", 0, "Positions count from 0."),
        satisfies(
            "position",
            "(position is not null) = (status = 'in')",
            "Exactly the messages in the tangle have a position.",
        ),
        satisfies(
            "lipmaa_depth",
            "case when status = 'in' and depth > 0 then lipmaa_depth between 0 and depth - 1"
            " else lipmaa_depth is null end",
            "A lesser depth; null for the moot and outside the tangle.",
        ),
        at_least("added_count", 0, "0 where nothing is added."),
        at_least("deleted_count", 0, "0 where nothing is deleted."),
        *flags("is_moot", "is_erased", "is_tip", "is_item_root", "is_prunable", "is_ghostable"),
        satisfies("is_tip", "status = 'in' or not is_tip", "Only messages in the tangle are tips."),
        satisfies(
            "is_item_root",
            "not is_item_root or (status = 'in' and superseded_by_id is null"
            " and added_count is not null)",
            "A message that changes the set and is not superseded.",
        ),
        satisfies(
            "is_prunable",
            "not is_prunable or (status = 'in' and not is_item_root and not is_moot)",
            "Neither the moot nor an item root may be dropped.",
        ),
    ),
    suite(
        "fct_set_links",
        "a link of a message of a set",
        "set_id message_id linked_id link is_in_log is_in_set",
        filled("set_id", "Never null: the set."),
        filled("message_id", "Never null: the message that names another."),
        filled("linked_id", "Never null: the message that is named."),
        filled("link", "Never null: how it is named."),
        among("link", ["previous", "supersedes"], "The two ways to name a message."),
        *flags("is_in_log", "is_in_set"),
        satisfies("is_in_set", "is_in_log or not is_in_set", "Messages in the set are in the log."),
    ),
    suite(
        "fct_set_changes",
        "an item that a message adds or deletes",
        "set_id message_id item change device_key position is_in_set received_at",
        filled("set_id", "Never null: the set."),
        filled("message_id", "Never null: the message."),
        filled("item", "Never null: the item."),
        filled("change", "Never null: what the message does."),
        among("change", ["add", "delete"], "What can be done to an item."),
        *number("position", 0, "the place of the message in the set, from 0"),
        *flags("is_in_set"),
    ),
    suite(
        "fct_set_rule_violations",
        "a rule that a message of a set breaks",
        "set_id message_id item known_id rule_id document section severity",
        filled("set_id", "Never null: the set."),
        filled("message_id", "Never null: the message."),
        satisfies(
            "item",
            "(item is null) = (rule_id = 'set_addition_leaves_deletion')",
            "Null for a rule about all items.",
        ),
        filled("known_id", "Never null: what it should have superseded."),
        filled("rule_id", "Never null: the rule."),
        among("document", ["pzp set"], "The document with rules for sets."),
        filled("section", "Never null: the section of the rule."),
        filled("severity", "Never null: how strongly it is asked for."),
        among("severity", ["must", "should"], "The words of RFC 2119."),
    ),
    suite(
        "fct_set_prunings",
        "a message that may go",
        "set_id message_id pruning freed_bytes",
        filled("set_id", "Never null: the set."),
        filled("message_id", "Never null: the message."),
        filled("pruning", "Never null: a message is dropped in one way."),
        among("pruning", ["delete", "erase"], "The whole message, or its data."),
        *number("freed_bytes", 0, "0 where the data was erased before"),
    ),
)
