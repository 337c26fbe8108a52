"""What a sample holds, recorded while it is made: the answers that tests compare with.

Nothing here calls the project's algorithms. The author of a scene states members, winners and preferred
epochs. Tangles are followed message by message, in the order of publishing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from scuttlehouse.sample.signing import Message


@dataclass
class TangleSummary:
    """A tangle. `kind` is the field's name, or `thread`; ids are message URIs.

    `missing` are the ids that candidates list but no file holds. `set_aside` counts the candidates that
    wait for one of them, directly or not, and those that can never be in.
    """

    kind: str
    root: str
    in_graph: int = 0
    set_aside: int = 0
    tips: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


@dataclass
class EpochSummary:
    """An epoch. `members` are people's names; `key_rank` counts from 0 in the order of key bytes."""

    label: str
    epoch_id: str
    creator: str
    key_rank: int
    previous: list[str]
    members: list[str]
    is_tip: bool


@dataclass
class ForkSummary:
    """A pair of forked epochs by label. `rule` is the section: 4.4, 4.5, 4.6 or 4.7."""

    left: str
    right: str
    rule: str
    witnesses: list[str]
    winner: str | None
    is_criss_cross: bool = False


@dataclass
class GroupSummary:
    """A group. `preferred` maps a person's name to the label of the epoch that they should prefer.

    `excluded` holds (epoch label, name); `feeds` holds the epochs' feeds as (id, name, epoch label).
    `group_preferred` is the epoch that the group should prefer, None if two remaining epochs are disjoint.
    Random histories state none of these: their `forks` and `preferred` are empty. If a group is not
    `is_opened`, the logs hold only its ciphertext.
    """

    name: str
    group_id: str
    root: str
    is_opened: bool
    messages: int
    epochs: list[EpochSummary]
    forks: list[ForkSummary]
    preferred: dict[str, str]
    group_preferred: str | None
    excluded: list[tuple[str, str]]
    feeds: list[tuple[str, str, str]]


@dataclass
class SetSummary:
    """A set, as a reader sees it who has only the log of the devices.

    `set_id` is the id of its moot. `accepted` are the messages that count, including the moot, in the order
    of the log. `items` is the list that they make. `lost_by_reference` are the items that are lost in what
    the reference keeps. `missing` are ids that messages list but no file holds.
    """

    account_id: str
    domain: str
    set_id: str
    accepted: list[str]
    items: list[str]
    lost_by_reference: list[str]
    missing: list[str]


@dataclass
class OddSetLine:
    """An unusual line in the log of the devices. `message_id` is None if it has no id.

    These count in spite of it: `erased` has no data any more, `no_lists` is not a message of a set. These do
    not count: `previous_missing` lists nothing that a file holds, `unknown_device` has a signature by a key
    that its account never added, `wrong_depth` is a step too deep, `wrong_id` has an id that no message
    has. `id_is_no_text` is a line with a number as its id.
    """

    line_number: int
    oddity: str
    message_id: str | None


@dataclass
class Summary:
    """The whole sample. `files` counts lines; `people` maps names to root metafeeds.

    `messages` counts the lines that hold a message, `distinct_messages` their different ids.
    `opened_messages` and `unopened_messages` are private ones among these.
    `bad_lines` are lines without a usable message, by kind. `odd_lines` are unusual lines with a good
    message. `invalid` are messages that break a rule, by kind; `warned` are messages that a strict reader
    would refuse. `wrong_fields` maps the wrong form of a tangle field to the message that has it, and
    `strays` maps a broken rule of a recipe in the same way. `rootless` are replies to a post that no file
    holds. `tangle_counts` counts all tangles by kind; `tangles` leaves out the threads of larger sizes.
    `feed_gaps` maps a feed to the sequences that no file holds.
    Only the small sample has a log of devices. It is in `files`, and otherwise only in these: `accounts` maps
    an account's id to the keys of its devices, `sets` has an entry for each of their sets, and
    `odd_set_lines` has an entry for each unusual line.
    """

    seed: int
    size: str
    files: dict[str, int] = field(default_factory=dict)
    messages: int = 0
    distinct_messages: int = 0
    opened_messages: int = 0
    unopened_messages: int = 0
    repeated_messages: int = 0
    content_types: dict[str, int] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    bad_lines: dict[str, int] = field(default_factory=dict)
    odd_lines: dict[str, int] = field(default_factory=dict)
    invalid: dict[str, list[str]] = field(default_factory=dict)
    warned: dict[str, str] = field(default_factory=dict)
    wrong_fields: dict[str, str] = field(default_factory=dict)
    strays: dict[str, str] = field(default_factory=dict)
    rootless: list[str] = field(default_factory=list)
    feed_gaps: dict[str, list[int]] = field(default_factory=dict)
    forked_feeds: list[str] = field(default_factory=list)
    groups: list[GroupSummary] = field(default_factory=list)
    tangle_counts: dict[str, int] = field(default_factory=dict)
    tangles: list[TangleSummary] = field(default_factory=list)
    accounts: dict[str, list[str]] = field(default_factory=dict)
    sets: list[SetSummary] = field(default_factory=list)
    odd_set_lines: list[OddSetLine] = field(default_factory=list)

    def count(self, message: Message, exporters: tuple[str, ...]) -> None:
        """Count a message that these exporters hold."""
        self.distinct_messages += 1
        if message.readers is not None:
            is_opened = not message.readers.isdisjoint(exporters)
            self.opened_messages += is_opened
            self.unopened_messages += not is_opened
        kind = message.content["type"]
        self.content_types[kind] = self.content_types.get(kind, 0) + 1


class TangleBook:
    """Follows tangles as their messages are published. A message comes after all messages that it lists."""

    def __init__(self) -> None:
        self._open: dict[str, TangleSummary] = {}
        self._placed: dict[str, set[str]] = {}
        self._withheld: set[str] = set()

    def begin(self, kind: str, root: str) -> None:
        """Open the tangle of `kind` that `root` starts."""
        key = f"{kind} {root}"
        self._open[key] = TangleSummary(kind, root, in_graph=1, tips=[root])
        self._placed[key] = {root}

    def add(self, kind: str, root: str, message: str, previous: list[str]) -> None:
        """Add a candidate. It is in the graph only if all that it lists is in the graph (ruling R7)."""
        key = f"{kind} {root}"
        tangle, placed = self._open[key], self._placed[key]
        if previous and placed.issuperset(previous):
            placed.add(message)
            tangle.in_graph += 1
            tangle.tips = [tip for tip in tangle.tips if tip not in previous] + [message]
            return
        tangle.set_aside += 1
        lost = self._withheld.intersection(previous).difference(tangle.missing)
        tangle.missing.extend(sorted(lost))

    def withhold(self, message: str) -> None:
        """Note an id that no file will hold. It is added to no tangle."""
        self._withheld.add(message)

    def close(self, summary: Summary, *, with_threads: bool) -> None:
        """Move all open tangles, with sorted tips, to `summary`. The book is empty afterwards."""
        for tangle in self._open.values():
            tangle.tips.sort()
            tangle.missing.sort()
            summary.tangle_counts[tangle.kind] = summary.tangle_counts.get(tangle.kind, 0) + 1
            if with_threads or tangle.kind != "thread":
                summary.tangles.append(tangle)
        self._open.clear()
        self._placed.clear()
        self._withheld.clear()
