"""Rows of marts, good and bad ones, for the tests of the expectations: written, or found by trying."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from scuttlehouse.quality.expectations import Suite

Row = dict[str, Any]


def message(letter: str) -> str:
    return f"ssb:message/classic/{letter * 43}="


ALICE = f"@{'A' * 43}=.ed25519"
BENDY = f"ssb:feed/bendybutt-v1/{'b' * 43}="
GROUP = f"ssb:identity/group/{'g' * 43}="
TANGLE = f"group:{message('r')}"
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)

CLASSIC_FEED = {
    "feed_id": ALICE,
    "person_id": ALICE,
    "feed_format": "classic",
    "feed_purpose": "main",
    "first_sequence": 1,
    "last_sequence": 7,
    "has_known_person": False,
    "message_count": 6,
    "valid_through_sequence": 3,
    "gap_count": 1,
    "is_forked": False,
    "first_message_at": NOON,
    "last_message_at": NOON,
}
PERSON = {
    "person_id": ALICE,
    "short_id": "AAAAAA",
    "name": "Alice",
    "feed_count": 1,
    "message_count": 6,
    "group_count": 1,
    "ever_group_count": 2,
    "differing_group_count": 0,
    "received_exclusion_count": 0,
    "made_exclusion_count": 0,
    "first_message_at": NOON,
    "last_message_at": NOON,
}
VALID_MESSAGE = {
    "message_id": message("a"),
    "feed_id": ALICE,
    "person_id": BENDY,
    "previous_id": None,
    "group_id": None,
    "epoch_id": None,
    "content_type": "post",
    "validity": "valid",
    "invalid_reason": None,
    "warning": None,
    "feed_fault": None,
    "source_file": "alice.jsonl",
    "differing_source_file": None,
    "sequence": 1,
    "feed_fault_sequence": None,
    "line_number": 1,
    "is_valid_in_feed": True,
    "is_private": False,
    "is_decrypted": False,
    "is_past_cutoff": False,
    "asserted_at": NOON,
    "received_at": None,
}
GROWN_TANGLE = {
    "tangle_id": TANGLE,
    "root_id": message("r"),
    "group_id": GROUP,
    "tangle_kind": "group",
    "grown_by": "settled",
    "candidate_count": 5,
    "message_count": 3,
    "set_aside_count": 2,
    "rejected_count": 1,
    "tip_count": 1,
    "author_count": 2,
    "depth": 2,
    "gap_count": 1,
}
MESSAGE_IN = {
    "tangle_id": TANGLE,
    "message_id": message("a"),
    "tangle_kind": "group",
    "group_id": GROUP,
    "person_id": BENDY,
    "content_type": "post",
    "asserted_at": NOON,
    "status": "in",
    "status_reason": None,
    "blocking_ids": None,
    "rank": 0,
    "position": 0,
    "thread_position": 0,
    "is_root": True,
    "is_tip": True,
    "is_unverified": False,
    "is_on_declared_feed": None,
}
NOT_IN = {
    "rank": None,
    "position": None,
    "thread_position": None,
    "is_root": False,
    "is_tip": False,
}
LOG = {
    "landing_folder": "/srv/landing",
    "source_file": "alice.jsonl",
    "owner_id": ALICE,
    "status": "new",
    "status_reason": None,
    "form": "json_lines",
    "compression": "none",
    "encoding": "utf-8",
    "content_hash": "0123456789abcdef" * 4,
    "batch_id": "6a2f",
    "lines_hash": "00ff",
    "size_bytes": 120,
    "line_count": 3,
    "rejected_line_count": 1,
    "modified_at": NOON,
}
THREAD_MESSAGE = {
    "tangle_id": TANGLE,
    "message_id": message("a"),
    "group_id": None,
    "author_id": ALICE,
    "person_id": ALICE,
    "content_type": "post",
    "asserted_time_fault": None,
    "thread_position": 2,
    "depth": 1,
    "is_tip": True,
    "is_concurrent": True,
    "asserted_at": NOON,
    "received_at": None,
    "ordered_at": NOON,
    "attached_by": "linked",
}
SET_ID = "S" * 44
SET = {
    "set_id": SET_ID,
    "account_id": "A" * 44,
    "domain": "set_v1__follows",
    "message_count": 5,
    "set_aside_count": 0,
    "rejected_count": 1,
    "erased_count": 1,
    "device_count": 2,
    "tip_count": 1,
    "depth": 4,
    "min_required_depth": 3,
    "min_ghost_depth": 0,
    "item_count": 2,
    "lost_by_reference_count": 1,
    "prunable_count": 1,
    "freed_bytes": 38,
}
EMPTY_SET = {
    "message_count": 0,
    "tip_count": 0,
    "depth": None,
    "min_required_depth": None,
    "min_ghost_depth": None,
    "item_count": 0,
    "lost_by_reference_count": 0,
}
SET_MESSAGE = {
    "set_id": SET_ID,
    "message_id": "m" * 43,
    "device_key": "k" * 44,
    "status": "in",
    "status_reason": None,
    "set_fault": None,
    "differing_source_files": None,
    "superseded_by_id": None,
    "kept_because": "item_root",
    "depth": 3,
    "position": 3,
    "lipmaa_depth": 0,
    "added_count": 1,
    "deleted_count": 0,
    "is_moot": False,
    "is_erased": False,
    "is_tip": True,
    "is_item_root": True,
    "has_lipmaa_link": True,
    "is_prunable": False,
    "is_ghostable": False,
    "received_at": NOON,
}
SILENT = {"added_count": None, "deleted_count": None, "is_item_root": False}
NOT_IN_SET = {
    "kept_because": None,
    "position": None,
    "lipmaa_depth": None,
    "is_tip": False,
    "has_lipmaa_link": None,
}
DECLARED = {
    "epoch_id": message("e"),
    "group_id": GROUP,
    "group_name": "Soup",
    "person_id": ALICE,
    "person_name": "Alice",
    "added_by_id": BENDY,
    "added_by_name": "Alice",
    "excluded_by_id": None,
    "excluded_by_name": None,
    "is_declared": True,
    "is_excluded": False,
    "is_still_excluded": False,
    "is_correct": True,
    "is_missing": False,
    "is_extra": False,
    "is_readded": False,
    "is_added_by_outsider": False,
    "is_excluded_by_outsider": True,
    "added_at": NOON,
    "excluded_at": None,
}
NOT_DECLARED = {"is_declared": False, "added_by_id": None, "added_at": None}
FORK = {
    "group_id": GROUP,
    "group_name": "Soup",
    "left_epoch_id": message("l"),
    "right_epoch_id": message("m"),
    "nearest_epoch_id": message("e"),
    "winner_epoch_id": message("l"),
    "loser_epoch_id": message("m"),
    "healed_by_epoch_id": None,
    "healed_by_id": None,
    "healed_by_name": None,
    "rule": "overlapping",
    "is_criss_cross": False,
    "is_current": True,
    "is_healed": False,
    "witness_count": 1,
    "needs_repair": True,
    "began_at": NOON,
}
EXCLUSION = {
    "message_id": message("a"),
    "group_id": GROUP,
    "group_name": "Soup",
    "epoch_id": message("e"),
    "excluded_id": ALICE,
    "excluded_name": "Alice",
    "excluded_by_id": BENDY,
    "excluded_by_name": "Alice",
    "group_feed_id": ALICE,
    "cutoff_sequence": 7,
    "following_epoch_id": None,
    "late_message_count": 0,
    "is_authorized": False,
    "counts": False,
    "excluded_at": NOON,
}
GROUP_DAY = {
    "group_id": GROUP,
    "group_name": "Soup",
    "day": NOON.date(),
    "member_count": 3,
    "message_count": 2,
    "post_count": 1,
    "author_count": 2,
    "epoch_count": 0,
    "exclusion_count": 0,
    "fork_count": 0,
    "gap_count": 0,
    "repair_count": 0,
}
PEER_EPOCH = {
    "source_file": "alice.jsonl",
    "owner_id": ALICE,
    "owner_name": "Alice",
    "group_id": GROUP,
    "group_name": "Soup",
    "epoch_id": message("e"),
    "counts": True,
    "is_tip": True,
    "is_member": True,
    "is_preferred": True,
    "is_preferred_by_all_logs": False,
    "rule": "same",
    "member_count": 2,
    "fork_count": 1,
    "repair_count": 1,
}
PEER_REPAIR = {
    "source_file": "alice.jsonl",
    "owner_id": ALICE,
    "owner_name": "Alice",
    "group_id": GROUP,
    "group_name": "Soup",
    "epoch_id": message("e"),
    "person_id": BENDY,
    "person_name": "Alice",
    "action": "add",
    "because": "declared in the group, not excluded up to this epoch (4.9)",
}
PREFERENCE = {
    "group_id": GROUP,
    "group_name": "Soup",
    "person_id": ALICE,
    "person_name": "Alice",
    "epoch_id": message("e"),
    "rule": "only",
    "is_witness": None,
    "is_tip": True,
}

REPAIR = {
    "group_id": GROUP,
    "group_name": "Soup",
    "epoch_id": message("e"),
    "person_id": ALICE,
    "person_name": "Alice",
    "action": "add",
    "because": "declared in the group, not excluded up to this epoch (4.9)",
    "severity": "must",
    "first_seen_at": NOON,
}
PLAN = {
    "group_id": GROUP,
    "person_id": ALICE,
    "epoch_id": message("e"),
    "feed_id": ALICE,
    "owner_id": ALICE,
    "missing_id": None,
    "rule": "preferred_epoch",
    "should_fetch": True,
    "should_serve": True,
}
ACTION = {
    "group_id": GROUP,
    "group_name": "Soup",
    "message_id": message("a"),
    "action": "add",
    "content_type": "group/add-member",
    "actor_id": ALICE,
    "actor_name": "Alice",
    "subject_id": ALICE,
    "subject_name": "Alice",
    "epoch_id": message("e"),
    "position": 1,
    "is_authorized": None,
    "is_past_cutoff": False,
    "asserted_at": None,
}
PERIOD = {
    "group_id": GROUP,
    "group_name": "Soup",
    "person_id": ALICE,
    "person_name": "Alice",
    "epoch_id": message("e"),
    "valid_from_position": 2,
    "valid_to_position": None,
    "is_excluded": False,
    "is_current": True,
    "valid_from_at": NOON,
    "valid_to_at": None,
}

UPDATE = {
    "refresh_number": 1,
    "refresh_id": "a build",
    "tangle_id": TANGLE,
    "step": 0,
    "command": "mov",
    "message_id": message("a"),
    "from_position": 2,
    "to_position": 0,
    "refreshed_at": NOON,
}

GOOD: dict[str, list[Row]] = {
    "dim_feeds": [
        CLASSIC_FEED,
        CLASSIC_FEED
        | {"feed_id": BENDY, "feed_format": "bendybutt-v1", "valid_through_sequence": None},
        # A feed that was only announced, and the author of a message that no feed could have written.
        CLASSIC_FEED
        | dict.fromkeys(
            ["feed_format", "first_sequence", "last_sequence", "valid_through_sequence"]
        )
        | {"feed_id": "nobody", "feed_purpose": None, "message_count": 0, "gap_count": 0},
    ],
    "dim_people": [
        PERSON,
        PERSON | {"name": None, "first_message_at": None, "last_message_at": None},
    ],
    "fct_messages": [
        VALID_MESSAGE,
        VALID_MESSAGE
        | {"sequence": -3, "warning": "timestamp_is_no_number", "previous_id": "nothing"}
        | {"feed_fault": "sequence_is_no_place", "is_valid_in_feed": False},
        VALID_MESSAGE
        | {"feed_id": BENDY, "validity": "not_checked", "sequence": None, "is_valid_in_feed": None},
        VALID_MESSAGE
        | {"feed_id": "nobody", "validity": "invalid", "invalid_reason": "author_is_no_feed_id"}
        | {"is_valid_in_feed": False},
        VALID_MESSAGE
        | {"validity": "not_checked", "warning": "ciphertext_not_in_log", "is_valid_in_feed": None},
        VALID_MESSAGE | {"warning": "plaintexts_differ", "differing_source_file": "other.jsonl"},
        VALID_MESSAGE | {"content_type": None, "is_private": True},
        VALID_MESSAGE | {"epoch_id": message("e"), "is_private": True, "is_decrypted": True},
    ],
    "fct_feed_forks": [
        {
            "feed_id": ALICE,
            "person_id": ALICE,
            "message_id": message("a"),
            "previous_id": None,
            "sequence": 1,
            "claim_count": 2,
        }
    ],
    "fct_rejected_lines": [
        {
            "source_file": "a.jsonl",
            "reason": "not_json",
            "remedy": "Export it again.",
            "line_number": 1,
            "line_count": 1,
        },
        {
            "source_file": "a.jsonl",
            "reason": "forged",
            "remedy": "Find out who.",
            "line_number": 9,
            "line_count": 3,
        },
    ],
    "dim_logs": [
        LOG,
        LOG | {"status": "changed"},
        LOG
        | {
            "status": "left_out",
            "status_reason": "A socket.",
            "form": None,
            "compression": None,
            "encoding": None,
            "content_hash": None,
            "batch_id": None,
            "line_count": 0,
            "rejected_line_count": 0,
        },
        LOG | {"size_bytes": 0, "line_count": 0, "rejected_line_count": 0},
    ],
    "dim_tangles": [
        GROWN_TANGLE,
        GROWN_TANGLE | {"tangle_kind": "__proto__", "root_id": "", "group_id": None},
        GROWN_TANGLE
        | {
            "message_count": 0,
            "tip_count": 0,
            "author_count": 0,
            "depth": None,
            "grown_by": "walked",
        },
        GROWN_TANGLE
        | {"candidate_count": 0, "message_count": 0, "tip_count": 0, "author_count": 0}
        | {"depth": None, "grown_by": None},
    ],
    "fct_tangle_messages": [
        MESSAGE_IN,
        MESSAGE_IN | NOT_IN | {"status": "set_aside", "status_reason": "loop"},
        MESSAGE_IN
        | NOT_IN
        | {"status": "set_aside", "status_reason": "missing", "blocking_ids": message("x")},
        MESSAGE_IN | NOT_IN | {"status": "rejected", "status_reason": "type_not_allowed"},
    ],
    "fct_tangle_links": [
        {
            "tangle_id": TANGLE,
            "message_id": message("b"),
            "previous_id": "toString",
            "tangle_kind": "group",
            "group_id": GROUP,
            "is_in_log": is_in_log,
            "is_in_graph": is_in_graph,
        }
        for is_in_log, is_in_graph in [(True, True), (True, False), (False, False)]
    ],
    "fct_tangle_gaps": [
        {"tangle_id": TANGLE, "missing_id": "what", "needed_by_count": 0, "blocked_count": 1}
        | {"tangle_kind": "x", "group_id": None}
    ],
    "fct_tangle_tips": [
        {
            "tangle_id": TANGLE,
            "message_id": message("a"),
            "tangle_kind": "group",
            "group_id": GROUP,
            "person_id": ALICE,
            "content_type": "post",
            "asserted_at": NOON,
        }
    ],
    "fct_thread_messages": [
        THREAD_MESSAGE,
        THREAD_MESSAGE | {"thread_position": 0, "depth": 0, "is_concurrent": None},
        THREAD_MESSAGE
        | {"asserted_time_fault": "missing", "asserted_at": None, "ordered_at": None},
        THREAD_MESSAGE | {"attached_by": "by_time", "depth": None},
    ],
    "dim_sets": [
        SET,
        SET | EMPTY_SET,
        SET | EMPTY_SET | {"message_count": 1, "tip_count": 1, "depth": 0},
    ],
    "fct_set_items": [
        {
            "set_id": SET_ID,
            "item": "",
            "placed_by_id": "m" * 43,
            "last_added_by_id": "n" * 43,
            "position": 0,
            "is_lost_by_reference": True,
        }
    ],
    "fct_set_messages": [
        SET_MESSAGE,
        SET_MESSAGE
        | {"kept_because": None, "is_prunable": True, "is_item_root": False}
        | {"superseded_by_id": "n" * 43, "has_lipmaa_link": None, "is_ghostable": True},
        SET_MESSAGE
        | SILENT
        | {"kept_because": "moot", "is_moot": True, "device_key": None, "depth": 0}
        | {"position": 0, "lipmaa_depth": None, "has_lipmaa_link": None},
        SET_MESSAGE | SILENT | {"kept_because": "concurrent", "set_fault": "no_lists"},
        SET_MESSAGE | SILENT | {"kept_because": "unknown", "set_fault": "not_opened"},
        SET_MESSAGE | {"differing_source_files": "a.jsonl, b.jsonl"},
        SET_MESSAGE
        | SILENT
        | {"kept_because": "unknown", "set_fault": "plaintexts_differ"}
        | {"differing_source_files": "a.jsonl, b.jsonl"},
        SET_MESSAGE
        | SILENT
        | NOT_IN_SET
        | {"status": "rejected", "status_reason": "depth_is_wrong"},
        SET_MESSAGE | SILENT | NOT_IN_SET | {"status": "set_aside", "status_reason": "missing"},
    ],
    "fct_set_links": [
        {
            "set_id": SET_ID,
            "message_id": "m" * 43,
            "linked_id": "n" * 43,
            "link": link,
            "is_in_log": False,
            "is_in_set": False,
        }
        for link in ("previous", "supersedes")
    ],
    "fct_set_changes": [
        {
            "set_id": SET_ID,
            "message_id": "m" * 43,
            "item": "apple",
            "change": change,
            "device_key": None,
            "position": 1,
            "is_in_set": False,
            "received_at": NOON,
        }
        for change in ("add", "delete")
    ],
    "fct_set_rule_violations": [
        {
            "set_id": SET_ID,
            "message_id": "m" * 43,
            "item": item,
            "known_id": "n" * 43,
            "rule_id": rule_id,
            "document": "pzp set",
            "section": "Msg content",
            "severity": severity,
        }
        for item, rule_id, severity in [
            ("apple", "set_change_supersedes_nothing", "must"),
            (None, "set_addition_leaves_deletion", "should"),
        ]
    ],
    "fct_set_prunings": [
        {"set_id": SET_ID, "message_id": "m" * 43, "pruning": pruning, "freed_bytes": freed}
        for pruning, freed in [("delete", 700), ("erase", 0)]
    ],
    "dim_groups": [
        {
            "group_id": GROUP,
            "short_id": "gggggg",
            "name": "Group gggggg",
            "protocol": "epochs",
            "root_id": message("r"),
            "founder_id": ALICE,
            "founder_name": "Alice",
            "preferred_epoch_id": epoch_id,
            "epoch_count": 3,
            "tip_count": 2,
            "is_forked": True,
            "fork_count": 1,
            "repair_count": 0,
            "person_count": 0,
            "current_member_count": 0 if epoch_id else None,
            "message_count": 5,
            "created_at": NOON,
            "last_message_at": None,
        }
        for epoch_id in (message("e"), None)
    ],
    "dim_epochs": [
        {
            "epoch_id": message("e"),
            "group_id": GROUP,
            "short_id": "eeeeee",
            "group_name": "Group gggggg",
            "creator_id": ALICE,
            "creator_name": "Alice",
            "depth": 0,
            "key_rank": key_rank,
            "member_count": 0,
            "is_root": True,
            "is_tip": key_rank is not None,
            "is_authorized": True,
            "has_valid_members_tangle": True,
            "has_short_key": False,
            "is_empty": True,
            "has_all_missing": True,
            "has_foreign_creator": True,
            "has_unfollowed_exclusion": False,
            "has_late_post": False,
            "has_wrong_secret": False,
            "asserted_at": None,
        }
        for key_rank in (1, None)
    ],
    "fct_epoch_links": [
        {"epoch_id": message("f"), "group_id": GROUP, "previous_epoch_id": message("e")}
    ],
    "fct_epoch_precedence": [
        {"epoch_id": message("f"), "group_id": GROUP, "predecessor_id": message("e"), "distance": 1}
    ],
    "fct_epoch_members": [
        DECLARED,
        DECLARED | {"is_correct": False, "is_extra": True, "is_readded": True, "added_at": None},
        DECLARED | NOT_DECLARED | {"is_missing": True},
        DECLARED
        | NOT_DECLARED
        | {"is_correct": False, "is_excluded": True, "excluded_by_id": ALICE, "excluded_at": NOON},
    ],
    "fct_epoch_forks": [
        FORK,
        FORK | {"witness_count": 0, "needs_repair": False},
        FORK
        | {"rule": "disjoint", "winner_epoch_id": None, "loser_epoch_id": None}
        | {"needs_repair": False},
        FORK
        | {"is_current": False, "is_healed": True, "healed_by_epoch_id": message("h")}
        | {"healed_by_id": ALICE, "needs_repair": False},
    ],
    "fct_group_days": [GROUP_DAY],
    "fct_peer_epochs": [
        PEER_EPOCH,
        PEER_EPOCH | {"is_preferred": False, "rule": None},
        PEER_EPOCH
        | dict.fromkeys(("counts", "is_tip", "is_member", "is_preferred"), False)
        | {"rule": None, "member_count": 0},
    ],
    "fct_peer_repairs": [
        PEER_REPAIR,
        PEER_REPAIR | {"action": "create_epoch", "person_id": None},
    ],
    "fct_exclusions": [
        EXCLUSION,
        EXCLUSION | {"counts": True, "is_authorized": None, "following_epoch_id": message("f")},
        EXCLUSION | dict.fromkeys(("group_feed_id", "cutoff_sequence", "late_message_count")),
    ],
    "fct_rule_violations": [
        {
            "group_id": GROUP,
            "message_id": message("a"),
            "feed_id": ALICE,
            "person_id": BENDY,
            "person_name": "Ben",
            "rule_id": "excludes_oneself",
            "document": "group exclusion",
            "section": "4.1",
            "severity": "must",
            "found": BENDY,
        }
    ],
    "fct_epoch_preferences": [
        {
            "group_id": GROUP,
            "preferred_epoch_id": message("l"),
            "other_epoch_id": message("m"),
            "rule": rule,
        }
        for rule in ("successor", "same", "subset", "overlapping")
    ],
    "fct_fork_witnesses": [
        {
            "group_id": GROUP,
            "left_epoch_id": message("l"),
            "right_epoch_id": message("m"),
            "person_id": ALICE,
            "person_name": "Alice",
        }
    ],
    "fct_preferred_epochs": [
        PREFERENCE,
        PREFERENCE | {"rule": "successor"},
        *(PREFERENCE | {"rule": "overlapping", "is_witness": answer} for answer in (True, False)),
    ],
    "fct_timeline_updates": [
        UPDATE,
        UPDATE | {"command": "ins", "from_position": None},
        UPDATE | {"command": "del", "to_position": None},
    ],
    "fct_epoch_repairs": [
        REPAIR,
        REPAIR
        | {"action": "exclude", "because": "no witness of the fork with f (4.6)"}
        | {"severity": "should"},
        REPAIR
        | {"action": "create_epoch", "person_id": None, "because": "overlaps with f (4.6)"}
        | {"severity": "should", "first_seen_at": None},
    ],
    "fct_replication_plan": [
        PLAN,
        PLAN | {"rule": "remaining_member"},
        PLAN | {"rule": "excluded_member", "should_fetch": False},
        PLAN | {"rule": "no_member", "should_fetch": False, "should_serve": False},
        PLAN
        | {"rule": "missing_message", "missing_id": message("m")}
        | dict.fromkeys(("epoch_id", "feed_id", "owner_id")),
    ],
    "fct_group_audit_log": [
        ACTION,
        ACTION | {"action": "exclude", "asserted_at": NOON},
        *(ACTION | {"action": action, "subject_id": None} for action in ("init", "post")),
        ACTION | {"epoch_id": None, "subject_id": None},
    ],
    "fct_membership_history": [
        PERIOD,
        PERIOD | {"valid_to_position": 3, "is_current": False, "valid_to_at": NOON},
        PERIOD | {"valid_to_position": 3, "is_current": False, "is_excluded": True},
    ],
}

# What is wrong in a first good row with these values, by the column that then breaks its rule.
BAD: dict[tuple[str, str], list[Row]] = {
    ("dim_feeds", "feed_id"): [
        {"feed_id": "nobody"},
        {"feed_id": ALICE + "\n"},
        {"feed_id": ALICE[:-1]},
        {"feed_id": message("a")},
        {"feed_id": None},
    ],
    ("dim_feeds", "valid_through_sequence"): [
        {"feed_format": "gabbygrove-v1"},
        {"feed_format": None},
        {"last_sequence": 2},
        {"last_sequence": None},
    ],
    ("dim_feeds", "gap_count"): [
        {"gap_count": 7},
        {"first_sequence": 3},
        {"first_sequence": None, "last_sequence": None},
    ],
    ("dim_feeds", "last_message_at"): [{"last_message_at": NOON.replace(year=2020)}],
    ("dim_people", "name"): [{"name": "a" * 61}],
    ("dim_people", "group_count"): [{"ever_group_count": 0}],
    ("dim_people", "differing_group_count"): [{"differing_group_count": 3}],
    ("fct_messages", "feed_id"): [
        {"feed_id": "nobody"},
        {"feed_id": "nobody", "validity": "not_checked"},
        {"feed_id": "nobody", "validity": None},
    ],
    ("fct_messages", "invalid_reason"): [
        {"invalid_reason": "not_json"},
        {"validity": "invalid"},
        {"validity": None},
    ],
    ("fct_messages", "warning"): [
        {"validity": validity, "warning": "timestamp_is_no_number"}
        for validity in ("invalid", "not_checked", None)
    ],
    ("fct_messages", "differing_source_file"): [
        {"differing_source_file": "other.jsonl"},
        {"warning": "plaintexts_differ"},
    ],
    ("fct_messages", "is_valid_in_feed"): [
        {"validity": "invalid"},
        {"validity": "not_checked"},
        {"feed_fault": "previous_not_in_log"},
        {"is_valid_in_feed": False},
        {"is_valid_in_feed": None},
        {"feed_fault": "previous_is_invalid", "is_valid_in_feed": None},
        {"feed_fault": "previous_is_invalid", "validity": "invalid", "is_valid_in_feed": False},
    ],
    ("fct_messages", "sequence"): [{"sequence": None}],
    ("fct_messages", "is_decrypted"): [
        {"is_decrypted": True},
        {"is_decrypted": None},
        {"is_private": True},
        {"is_private": True, "content_type": None, "group_id": GROUP},
    ],
    ("dim_logs", "rejected_line_count"): [{"rejected_line_count": 4}],
    ("dim_logs", "status_reason"): [
        {"status_reason": "A socket."},
        {"status": "copy"},
        {"status": "left_out"},
    ],
    ("dim_logs", "content_hash"): [
        {"content_hash": None},
        {"content_hash": None, "status": "left_out"},
        {"form": None, "status": "left_out"},
    ],
    ("dim_logs", "batch_id"): [{"batch_id": None}],
    ("dim_tangles", "grown_by"): [{"grown_by": None}, {"candidate_count": 0}],
    ("dim_tangles", "tip_count"): [{"tip_count": 0}, {"message_count": 0}],
    ("dim_tangles", "author_count"): [{"author_count": 0}, {"message_count": 0}],
    ("dim_tangles", "depth"): [{"depth": None}, {"message_count": 0}],
    ("fct_tangle_messages", "status_reason"): [
        {"status_reason": "missing"},
        {"status": "set_aside"},
        {"status": "set_aside", "status_reason": "invalid_message"},
        {"status": "rejected"},
        {"status": "rejected", "status_reason": "missing"},
        {"status": None},
    ],
    ("fct_tangle_messages", "blocking_ids"): [
        {"blocking_ids": message("x"), "status": status} for status in ("in", "rejected", None)
    ],
    ("fct_tangle_messages", "rank"): [{"rank": None}, {"status": "set_aside"}, {"status": None}],
    ("fct_tangle_messages", "position"): [{"position": None}, {"status": "rejected"}],
    ("fct_tangle_messages", "thread_position"): [
        {"thread_position": None},
        {"status": "rejected"},
    ],
    ("fct_thread_messages", "depth"): [{"depth": None}, {"attached_by": "by_time"}],
    ("fct_thread_messages", "thread_position"): [{"depth": 3}, {"thread_position": None}],
    ("fct_thread_messages", "is_concurrent"): [{"is_concurrent": None}, {"thread_position": 0}],
    ("fct_tangle_messages", "is_tip"): [{"status": "set_aside"}, {"status": None}],
    ("fct_tangle_links", "is_in_graph"): [{"is_in_log": False}, {"is_in_log": None}],
    ("fct_epoch_members", "added_by_id"): [{"added_by_id": None}, {"is_declared": False}],
    ("fct_epoch_members", "added_at"): [{"is_declared": False}, {"is_declared": None}],
    ("fct_epoch_members", "is_missing"): [
        {"is_missing": True},
        {"is_declared": False},
        {"is_missing": None},
    ],
    ("fct_epoch_members", "is_extra"): [
        {"is_extra": True},
        {"is_correct": False},
        {"is_extra": None},
    ],
    ("fct_epoch_members", "is_still_excluded"): [
        {"is_still_excluded": True},
        {"is_still_excluded": None},
    ],
    ("fct_epoch_members", "is_readded"): [{"is_readded": True, "is_declared": False}],
    ("fct_epoch_members", "excluded_by_id"): [{"excluded_by_id": ALICE}, {"is_excluded": True}],
    ("fct_epoch_members", "excluded_at"): [{"excluded_at": NOON}],
    ("fct_epoch_forks", "winner_epoch_id"): [{"winner_epoch_id": None}, {"rule": "disjoint"}],
    ("fct_epoch_forks", "loser_epoch_id"): [
        {"loser_epoch_id": None},
        {"loser_epoch_id": message("x")},
        {"loser_epoch_id": FORK["winner_epoch_id"]},
        {"winner_epoch_id": message("x")},
    ],
    ("fct_epoch_forks", "healed_by_id"): [{"healed_by_id": ALICE}],
    ("fct_epoch_forks", "is_healed"): [
        {"is_healed": True},
        {"healed_by_epoch_id": message("h")},
        {"healed_by_epoch_id": message("h"), "is_healed": True},
    ],
    ("fct_epoch_forks", "needs_repair"): [
        *({"rule": rule} for rule in ("same", "subset", "disjoint", None)),
        {"is_current": False},
        {"witness_count": 0},
    ],
    ("fct_group_days", "post_count"): [{"post_count": 3}],
    ("fct_peer_epochs", "is_tip"): [{"counts": False, "is_member": False}],
    ("fct_peer_epochs", "is_member"): [{"counts": False, "is_tip": False}],
    ("fct_peer_epochs", "member_count"): [{"counts": False}],
    ("fct_peer_epochs", "is_preferred"): [{"rule": None}, {"is_member": False}],
    ("fct_peer_repairs", "person_id"): [{"person_id": None}, {"action": "create_epoch"}],
    ("fct_exclusions", "late_message_count"): [{"cutoff_sequence": None}],
    ("fct_exclusions", "cutoff_sequence"): [{"group_feed_id": None}],
    ("fct_exclusions", "counts"): [{"counts": True}, {"is_authorized": None}],
    ("fct_exclusions", "following_epoch_id"): [{"following_epoch_id": message("f")}],
    ("dim_groups", "is_forked"): [{"is_forked": False}, {"tip_count": 1}],
    ("dim_groups", "current_member_count"): [
        {"current_member_count": None},
        {"current_member_count": 1},
    ],
    ("dim_groups", "preferred_epoch_id"): [{"tip_count": 0}],
    ("dim_epochs", "is_tip"): [{"is_authorized": False}, {"has_valid_members_tangle": False}],
    ("dim_epochs", "is_authorized"): [{"is_authorized": False}, {"is_authorized": None}],
    ("dim_epochs", "key_rank"): [{"has_short_key": True}, {"is_authorized": False}],
    ("dim_epochs", "is_empty"): [{"is_empty": False}],
    ("dim_epochs", "is_root"): [{"depth": 1}, {"is_root": None}],
    ("dim_epochs", "member_count"): [
        {"member_count": 1, "is_authorized": False},
        {"member_count": 1, "has_valid_members_tangle": False},
    ],
    ("dim_epochs", "has_all_missing"): [
        {"has_all_missing": None},
        {"is_authorized": False},
        {"has_valid_members_tangle": False},
    ],
    ("dim_epochs", "has_foreign_creator"): [{"has_foreign_creator": False}],
    ("fct_timeline_updates", "from_position"): [{"from_position": None}, {"command": "ins"}],
    ("fct_timeline_updates", "to_position"): [{"to_position": None}, {"command": "del"}],
    ("fct_epoch_repairs", "person_id"): [{"person_id": None}, {"action": "create_epoch"}],
    ("fct_epoch_repairs", "severity"): [{"severity": "should"}],
    ("fct_epoch_repairs", "because"): [{"because": "overlaps with f (4.6)"}],
    ("fct_replication_plan", "missing_id"): [{"missing_id": message("m")}],
    ("fct_replication_plan", "epoch_id"): [{"epoch_id": None}],
    ("fct_replication_plan", "feed_id"): [{"feed_id": None}],
    ("fct_replication_plan", "owner_id"): [{"owner_id": None}],
    ("fct_replication_plan", "should_fetch"): [{"should_fetch": False}, {"rule": "no_member"}],
    ("fct_replication_plan", "should_serve"): [{"should_serve": False}, {"rule": "no_member"}],
    ("fct_group_audit_log", "subject_id"): [{"action": "post"}],
    ("fct_group_audit_log", "is_authorized"): [{"action": "post", "is_authorized": True}],
    ("fct_membership_history", "valid_to_position"): [{"valid_to_position": 2}],
    ("fct_membership_history", "is_current"): [{"is_current": False}, {"valid_to_position": 3}],
    ("fct_membership_history", "valid_to_at"): [{"valid_to_at": NOON}],
    ("dim_sets", "tip_count"): [{"tip_count": 0}, {"message_count": 0}],
    ("dim_sets", "depth"): [{"depth": None}, {"message_count": 0}],
    ("dim_sets", "min_ghost_depth"): [
        {"min_ghost_depth": None},
        {"min_ghost_depth": 4},
        {"min_required_depth": None},
    ],
    ("dim_sets", "item_count"): [{"min_required_depth": None}],
    ("dim_sets", "lost_by_reference_count"): [{"lost_by_reference_count": 3}],
    ("fct_set_links", "is_in_set"): [{"is_in_set": True}],
    ("fct_set_messages", "device_key"): [{"device_key": None}],
    ("fct_set_messages", "differing_source_files"): [{"set_fault": "plaintexts_differ"}],
    ("fct_set_messages", "status_reason"): [
        {"status_reason": "missing"},
        {"status": "set_aside"},
        {"status": "set_aside", "status_reason": "depth_is_wrong"},
        {"status": "rejected", "status_reason": "missing"},
        {"status": None},
    ],
    ("fct_set_messages", "kept_because"): [
        {"kept_because": None},
        {"is_prunable": True},
        {"kept_because": "unknown"},
        {"set_fault": "not_opened"},
        {"kept_because": None, "is_prunable": True, "set_fault": "not_opened"},
    ],
    ("fct_set_messages", "depth"): [{"depth": 0}, {"is_moot": True}],
    ("fct_set_messages", "position"): [{"position": None}, {"status": "rejected"}],
    ("fct_set_messages", "lipmaa_depth"): [{"lipmaa_depth": None}, {"lipmaa_depth": 3}],
    ("fct_set_messages", "is_tip"): [{"status": "set_aside"}, {"status": None}],
    ("fct_set_rule_violations", "item"): [
        {"item": None, "rule_id": "set_change_supersedes_nothing"},
        {"item": "apple", "rule_id": "set_addition_leaves_deletion"},
    ],
    ("fct_set_messages", "is_item_root"): [
        {"superseded_by_id": "n" * 43},
        {"added_count": None},
        {"status": "rejected"},
    ],
    ("fct_set_messages", "is_prunable"): [{"is_prunable": True}],
    ("fct_preferred_epochs", "is_witness"): [
        {"is_witness": True},
        {"is_witness": False, "rule": "successor"},
        {"rule": "subset"},
        {"rule": None},
    ],
}


def tried_rows(suite: Suite, types: Mapping[str, str], count: int) -> list[Row]:
    """Random rows, each column with values that its own expectations allow, for a mart without written rows.

    The conditions of the mart hold in some of them and not in others, if the values that they compare
    with stand in them.
    """
    dice = random.Random(1)
    conditions = " ".join(
        str(expectation.arguments.get("condition", "")) for expectation in suite.expectations
    )
    named = re.findall(r"'([^']*)'", conditions)
    numbers = {*map(int, re.findall(r"\b\d+\b", conditions)), 0, 1, 2, 3}
    pools: dict[str, list[Any]] = {}
    for column, kind in types.items():
        asked = {one.name: one for one in suite.expectations if one.column == column}
        least, among = (
            asked[name].arguments[argument] if name in asked else None
            for name, argument in [
                ("expect_column_values_to_be_between", "min_value"),
                ("expect_column_values_to_be_in_set", "value_set"),
            ]
        )
        pool: list[Any] = {
            "string": [*(among or [*named, message("a"), message("b"), ALICE, "x" * 99])],
            "bigint": [number for number in numbers if least is None or number >= least],
            "boolean": [True, False],
            "timestamp": [NOON, NOON.replace(year=2030)],
            "date": [NOON.date()],
        }[kind]
        if "expect_column_values_to_match_regex" in asked:
            pattern = str(asked["expect_column_values_to_match_regex"].arguments["regex"])
            pool = [value for value in pool if matches(pattern, value)]
        nulls = [] if "expect_column_values_to_not_be_null" in asked else [None]
        pools[column] = [*pool, *nulls]
    return [{name: dice.choice(pool) for name, pool in pools.items()} for _ in range(count)]


def matches(pattern: str, text: str) -> bool:
    return re.search(pattern.replace(r"\z", r"\Z"), text, re.ASCII) is not None
