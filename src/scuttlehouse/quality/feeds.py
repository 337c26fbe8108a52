"""Expectations on the marts of feeds: feeds, messages, lines that are none, and logs."""

from __future__ import annotations

from typing import get_args

from scuttlehouse.files.parts import Compression, Encoding, Form
from scuttlehouse.landing.ledger import LogStatus
from scuttlehouse.pzp.lines import REASONS as PZP_REASONS
from scuttlehouse.quality.expectations import (
    FEED_ID,
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
from scuttlehouse.ssb.feeds import FEED_FAULTS
from scuttlehouse.ssb.lines import REJECT_REASONS
from scuttlehouse.ssb.validation import REASONS, WARNINGS, Validity

# "forged" is found by comparing lines, when all have landed.
REJECTS = (*REJECT_REASONS, "forged", *PZP_REASONS)

FEEDS = (
    suite(
        "dim_feeds",
        "a feed",
        "feed_id person_id feed_format feed_purpose first_sequence last_sequence has_known_person "
        "message_count valid_through_sequence gap_count is_forked first_message_at last_message_at",
        filled("feed_id", "Never null: the feed."),
        satisfies(
            "feed_id",
            f"feed_format is null or feed_id rlike r'{FEED_ID}'",
            "Where the format is known: a sigil for a classic feed, a URI for others.",
        ),
        filled("person_id", "Never null: a feed that nobody announced is its own person."),
        shaped("feed_format", r"^[a-z0-9-]+\z", "A format's name, as ids of feeds spell it."),
        no_key("feed_purpose"),
        at_least("first_sequence", 1, "Feeds count from 1."),
        at_least("last_sequence", 1, "Feeds count from 1."),
        at_least("valid_through_sequence", 0, "0 where nothing follows from the start."),
        satisfies(
            "valid_through_sequence",
            "valid_through_sequence is null or feed_format in ('classic', 'bendybutt-v1')",
            "Null for formats that are not checked.",
        ),
        *number("message_count", 0, "0 for a feed that was only announced"),
        *number("gap_count", 0, "0 for a feed without gaps"),
        *flags("has_known_person", "is_forked"),
        satisfies(
            "last_message_at",
            "coalesce(last_message_at >= first_message_at, true)",
            "The last message is not before the first.",
        ),
    ),
    suite(
        "dim_people",
        "a person",
        "person_id short_id name feed_count message_count group_count ever_group_count "
        "differing_group_count received_exclusion_count made_exclusion_count first_message_at "
        "last_message_at",
        filled("person_id", "Never null: the person."),
        filled("short_id", "Never null: the beginning of the person's id."),
        no_key("name"),
        satisfies("name", "name is null or length(name) <= 60", "A name has 60 characters."),
        *number("feed_count", 0, "0 for somebody who wrote nothing here"),
        *number("message_count", 0, "0 for somebody who wrote nothing here"),
        *number("group_count", 0, "0 for somebody in no group"),
        *number("ever_group_count", 0, "0 for somebody whom nobody added"),
        *number("differing_group_count", 0, "0 where all prefer what their groups do"),
        *number("received_exclusion_count", 0, "0 for somebody whom nobody excluded"),
        *number("made_exclusion_count", 0, "0 for somebody who excluded nobody"),
        satisfies(
            "group_count",
            "group_count <= ever_group_count",
            "People in a group were added to it.",
        ),
    ),
    suite(
        "fct_messages",
        "a message",
        "message_id feed_id person_id previous_id epoch_id content_type validity invalid_reason "
        "warning feed_fault source_file differing_source_file sequence feed_fault_sequence line_number "
        "is_valid_in_feed is_private is_decrypted is_past_cutoff asserted_at received_at",
        *message_id("message_id", "a line without an id is rejected"),
        filled("feed_id", "Never null: a line without an author is rejected."),
        satisfies(
            "feed_id",
            f"validity = 'invalid' or feed_id rlike r'{FEED_ID}'",
            "A feed, unless the message is invalid: then any text.",
        ),
        filled("person_id", "Never null: a feed that nobody announced is its own person."),
        no_key("content_type"),
        filled("validity", "Never null: every message is judged."),
        among(
            "validity", get_args(Validity), "Valid, invalid, or in a format that is not checked."
        ),
        among("invalid_reason", tuple(REASONS), "A reason that the validation gives."),
        satisfies(
            "invalid_reason",
            "(invalid_reason is not null) = (validity = 'invalid')",
            "Exactly the invalid messages have a reason.",
        ),
        among("warning", tuple(WARNINGS), "A warning that the validation gives."),
        satisfies(
            "warning",
            "warning is null or validity = 'valid'"
            " or (validity = 'not_checked' and warning in ('ciphertext_not_in_log', 'plaintexts_differ',"
            " 'content_signature_only', 'content_signature_is_wrong', 'signed_bytes_not_in_log'))",
            "Only valid messages have a warning, and those that say why they are not checked.",
        ),
        satisfies(
            "differing_source_file",
            "(differing_source_file is not null) = (warning is not distinct from 'plaintexts_differ')",
            "The other log, where two give different plaintexts.",
        ),
        among("feed_fault", tuple(FEED_FAULTS), "A fault that the chain of a feed can have."),
        satisfies(
            "is_valid_in_feed",
            "is_valid_in_feed is distinct from true or (validity = 'valid' and feed_fault is null)",
            "True only for valid messages in feeds that are not broken before them.",
        ),
        filled("source_file", "Never null: the log that holds the message."),
        satisfies(
            "sequence",
            "validity != 'valid' or sequence is not null",
            "A valid message has a sequence.",
        ),
        *number("line_number", 1, "the line of the log, from 1"),
        *flags("is_private", "is_decrypted", "is_past_cutoff"),
        satisfies(
            "is_decrypted", "is_private or not is_decrypted", "Only private messages are decrypted."
        ),
    ),
    suite(
        "fct_feed_forks",
        "a message whose place in the feed another claims too",
        "feed_id message_id previous_id sequence claim_count",
        *message_id("message_id", "a message has an id"),
        filled("feed_id", "Never null: every message is in a feed."),
        *number("sequence", 1, "the place in the feed, from 1"),
        *number("claim_count", 2, "a fork has two claims or more"),
    ),
    suite(
        "fct_rejected_lines",
        "a line that is no message",
        "source_file reason remedy line_number line_count",
        filled("source_file", "Never null: the log that holds the line."),
        *number("line_number", 1, "the line of the log, from 1"),
        *number("line_count", 1, "1, or the lines that are counted together"),
        filled("reason", "Never null: every rejected line has a reason."),
        among("reason", REJECTS, "A reason that reading logs gives."),
        filled("remedy", "Never null: every reason comes with what to do."),
    ),
    suite(
        "dim_logs",
        "a log file",
        "landing_folder source_file owner_id status status_reason form compression encoding content_hash "
        "batch_id lines_hash size_bytes line_count rejected_line_count modified_at",
        filled("landing_folder", "Never null: the folder that the log was found in."),
        filled("source_file", "Never null: the log."),
        filled("status", "Never null: every log is looked for."),
        among("status", get_args(LogStatus), "What a build can find."),
        satisfies(
            "status_reason",
            "(status_reason is not null) = (status in ('copy', 'moved', 'left_out'))",
            "Exactly the logs that are not read have a reason.",
        ),
        *(
            among(column, get_args(words), "A kind of file that is read.")
            for column, words in (
                ("form", Form),
                ("compression", Compression),
                ("encoding", Encoding),
            )
        ),
        satisfies(
            "content_hash",
            "content_hash is not null or status = 'left_out'",
            "Null only for a file that was never read.",
        ),
        shaped("content_hash", r"^[0-9a-f]{64}\z", "SHA-256 as hex."),
        satisfies(
            "batch_id",
            "batch_id is not null or status in ('copy', 'moved', 'left_out')",
            "Null only where no lines count.",
        ),
        filled("lines_hash", "Never null: lines are read by rules."),
        *number("size_bytes", 0, "the size of the file"),
        *number("line_count", 0, "0 for an empty file"),
        *number("rejected_line_count", 0, "0 where all lines could be used"),
        satisfies(
            "rejected_line_count",
            "rejected_line_count <= line_count",
            "Rejected lines are lines.",
        ),
        filled("modified_at", "Never null: every file has a time."),
    ),
)
