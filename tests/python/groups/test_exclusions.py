"""Who may act (R30, R32), which epoch an exclusion leads to (R24b), and what else messages knew of."""

from __future__ import annotations

from itertools import permutations

import pytest

from group_oracle import ROOT, LogMessage, Oracle
from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import judge
from scuttlehouse.groups.epochs import preferred_epoch
from scuttlehouse.groups.exclusions import knowledge
from scuttlehouse.groups.forks import forks
from scuttlehouse.groups.messages import GroupMessage, Kind
from scuttlehouse.groups.peers import Listed, seen
from test_group_histories import Answers

EXCLUDE, ADD, INIT = "group/exclude-member", "group/add-member", "group/init"


class Log:
    """A group with the first epoch X. a creates it, and adds members with the message X+.

    ``knows`` are the messages that a message lists in the group tangle.
    """

    def __init__(self, members: str = "abcd") -> None:
        self.entries: list[LogMessage] = []
        self.say("X", "a", INIT, {"group": ROOT, "epoch": ROOT, "members": ROOT})
        self.add("X+", "a", members, "X")

    def say(
        self,
        id: str,
        author: str,
        type: str,
        fields: dict[str, object],
        people: str = "",
        epoch: str | None = None,
    ) -> None:
        entry = LogMessage(
            id, author, type, fields, frozenset(people), None, len(self.entries), epoch
        )
        self.entries.append(entry)

    def add(self, id: str, author: str, people: str, knows: str, epoch: str = "X") -> None:
        self.change(id, author, ADD, people, knows, epoch)

    def exclude(self, id: str, author: str, people: str, knows: str, epoch: str = "X") -> None:
        self.change(id, author, EXCLUDE, people, knows, epoch)

    def change(self, id: str, author: str, type: str, people: str, knows: str, epoch: str) -> None:
        fields: dict[str, object] = {
            "members": {"root": epoch, "previous": [epoch]},
            "group": {"root": "X", "previous": knows.split()},
        }
        self.say(id, author, type, fields, people)

    def post(self, id: str, author: str, knows: str, epoch: str) -> None:
        fields: dict[str, object] = {"group": {"root": "X", "previous": knows.split()}}
        self.say(id, author, "post", fields, epoch=epoch)

    def found(
        self, id: str, author: str, people: str, knows: str, previous: str = "X", **fields: object
    ) -> None:
        """Create an epoch, and add people to it with a message named after it with a +."""
        tangles: dict[str, object] = {
            "group": {"root": "X", "previous": knows.split()},
            "epoch": {"root": "X", "previous": previous.split()},
            "members": ROOT,
        }
        self.say(id, author, INIT, tangles | fields)
        if people:
            self.add(f"{id}+", author, people, id, id)

    def answers(self) -> Answers:
        """The product's answers. They must equal the oracle's."""
        found, oracle = Answers(self.entries, "X"), Oracle(self.entries, "X")
        assert found.correct == {epoch: oracle.correct(epoch) for epoch in oracle.standing}
        authority = found.judged.authority
        assert authority == {act: oracle.authority(act) for act in authority}
        assert found.preferences() == oracle.preferences()
        assert {one[:3] for one in found.repairs()} == oracle.repairs()
        return found

    def correct(self) -> dict[str, str]:
        return {epoch: "".join(sorted(people)) for epoch, people in self.answers().correct.items()}


def test_figures_9_and_10() -> None:
    log = Log("abcd")
    log.exclude("b-c", "b", "c", "X+")
    log.found("Y", "b", "abd", "b-c")
    log.add("X+e", "b", "e", "Y+")
    log.add("Y+e", "b", "e", "X+e", "Y")
    log.exclude("a-cd", "a", "cd", "X+")
    log.found("Z", "a", "ab", "a-cd")
    assert log.correct() == {"X": "abcde", "Y": "abde", "Z": "abe"}


# R24b: which epoch an exclusion leads to.


def test_one_person_makes_two_epochs_on_the_same_one() -> None:
    """The exclusion that led to H2 does not apply to H1."""
    log = Log()
    log.exclude("-c", "a", "c", "X+")
    log.found("H1", "a", "abd", "-c")
    log.exclude("-d", "a", "d", "H1+")
    log.found("H2", "a", "abc", "H1+")
    assert log.correct()["H1"] == "abd"
    assert log.answers().known.following == {"-c": "H1", "-d": "H2"}


def test_an_exclusion_after_its_epoch_leads_to_the_last_one() -> None:
    """The order in the document: first the epoch, then the exclusion (4.1.3, 4.1.4)."""
    log = Log()
    log.found("H", "a", "abd", "X+")
    log.exclude("-c", "a", "c", "H+")
    log.found("I", "a", "ab", "H+", previous="H")
    assert log.correct() == {"X": "abcd", "H": "abd", "I": "abd"}


@pytest.mark.parametrize("order", list(permutations(["e1", "H1", "e2", "H2"])))
def test_acts_are_in_causal_order_whatever_their_times_and_ids(order: tuple[str, ...]) -> None:
    log, before = Log(), "X+"
    for act in order:
        if act[0] == "e":
            log.exclude(act, "a", {"e1": "c", "e2": "d"}[act], before)
        else:
            log.found(act, "a", "", before)
        before = act
    # The asserted times run backwards.
    log.entries = [entry._replace(time=100 - place) for place, entry in enumerate(log.entries)]
    following = log.answers().known.following
    for act in ("e1", "e2"):
        after = [one for one in order[order.index(act) :] if one[0] == "H"]
        last = [one for one in order if one[0] == "H"][-1]
        assert following[act] == (after[0] if after else last)


def test_concurrent_acts_are_ordered_by_time_and_then_by_id() -> None:
    def following(times: dict[str, int | None]) -> dict[str, str | None]:
        log = Log()
        log.exclude("e", "a", "c", "X+")
        for epoch in ("H", "I"):
            log.found(epoch, "a", "", "X+")
        log.entries = [
            entry._replace(time=times.get(entry.id, entry.time)) for entry in log.entries
        ]
        return log.answers().known.following

    assert following({"H": 1, "e": 2, "I": 3}) == {"e": "I"}
    assert following({"I": 1, "e": 2, "H": 3}) == {"e": "H"}
    assert following({"H": 1, "e": 5, "I": 1}) == {"e": "I"}, "none comes after: the last one"
    assert following({"H": 5, "e": None, "I": 1}) == {"e": "H"}, "without a time it comes last"
    assert following({"H": 5, "e": 1, "I": 5}) == {"e": "H"}, "of equal times the least id is next"


def test_an_exclusion_without_an_epoch_of_its_author_applies_where_it_is_known() -> None:
    log = Log()
    log.exclude("-c", "b", "c", "X+")
    log.found("H", "a", "abd", "-c")
    log.found("I", "a", "abcd", "X+")
    assert log.correct() == {"X": "abcd", "H": "abd", "I": "abcd"}
    assert log.answers().known.following == {"-c": "H"}


def test_of_several_epochs_that_know_of_an_exclusion_the_first_follows_it() -> None:
    log = Log()
    log.exclude("-c", "b", "c", "X+")
    log.found("H", "a", "abd", "-c")
    log.found("I", "a", "abd", "H+", "H")
    assert log.answers().known.following == {"-c": "H"}


def test_an_exclusion_leads_up_to_epochs_whose_first_message_is_outside_the_timeline() -> None:
    """4.9: "any epoch up till that epoch". The log lacks a post before I and J."""
    log = Log()
    log.exclude("-c", "b", "c", "X+")
    log.found("H", "a", "abd", "-c")
    log.exclude("-d", "a", "d", "H+", epoch="H")
    log.found("I", "a", "ab", "lost -d", previous="H")
    log.found("J", "b", "bd", "lost H+", previous="H")
    assert log.correct() == {"X": "abcd", "H": "abd", "I": "ab", "J": "abd"}
    added = {one[:3] for one in log.answers().repairs() if one.action == "add"}
    assert added == {("J", "add", "a")}, "nobody adds c again"


def test_an_exclusion_that_nothing_follows() -> None:
    log = Log()
    log.exclude("-c", "b", "c", "X+")
    assert log.answers().known.following == {"-c": None}
    assert log.correct() == {"X": "abcd"}


def test_an_exclusion_is_forever() -> None:
    """c is declared again in Z. Still c is extra there, and is marked as readded."""
    log = Log("abc")
    log.exclude("-c", "a", "c", "X+")
    log.found("Y", "a", "ab", "-c")
    log.found("Z", "a", "abc", "Y+", previous="Y")
    assert log.correct()["Z"] == "ab"
    assert log.answers().known.readded == {"Z+": ["c"]}


@pytest.mark.parametrize(
    ("added_to_y", "excluded_by_a", "expected"),
    [
        # e was added only in Y, which is not an ancestor of Z: 4.9 unites the declared members of all epochs.
        ("e", "cd", "abe"),
        # b's exclusion of c is in X, before Z, but led only to Y. Up to Z, a excluded only d.
        ("", "d", "abc"),
    ],
)
def test_where_we_differ_from_the_publishing_library(
    added_to_y: str, excluded_by_a: str, expected: str
) -> None:
    log = Log()
    log.exclude("b-c", "b", "c", "X+")
    log.found("Y", "b", "abd" + added_to_y, "b-c")
    log.exclude("a-", "a", excluded_by_a, "X+")
    log.found("Z", "a", "ab", "a-")
    assert log.correct()["Z"] == expected


# R30: only members act.


def test_an_outsiders_epoch_does_not_count() -> None:
    log = Log("abc")
    log.found("E", "x", "abcx", "X+")
    log.add("E++", "a", "d", "E+", "E")
    found = log.answers()
    assert [found.judged.authority[act] for act in ("X", "X+", "E", "E+", "E++")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert found.tips == ["X"]
    assert found.correct == {"X": frozenset("abc")}
    assert found.preferences() == {None: "X", "a": "X", "b": "X", "c": "X"}
    assert found.repairs() == []


def test_additions_and_exclusions_by_outsiders_do_not_count() -> None:
    log = Log("abc")
    log.add("x+x", "x", "x", "X+")
    log.exclude("x-a", "x", "a", "x+x")
    log.found("H", "x", "x", "x-a")
    log.found("I", "a", "abc", "H")
    found = log.answers()
    assert {act for act, answer in found.judged.authority.items() if answer is False} == {
        "x+x",
        "x-a",
        "H",
        "H+",
    }
    assert found.correct == {"X": frozenset("abc"), "I": frozenset("abc")}


def test_a_member_may_act_after_their_addition() -> None:
    log = Log("ab")
    log.add("early", "c", "d", "X+")
    log.add("+c", "a", "c", "X+")
    log.add("late", "c", "e", "+c")
    judged = log.answers().judged.authority
    assert (judged["early"], judged["late"]) == (False, True)


def test_an_excluded_member_still_acts_in_that_epoch() -> None:
    """R16: an exclusion acts on the epochs that follow."""
    log = Log("abc")
    log.exclude("-c", "a", "c", "X+")
    log.add("c+d", "c", "d", "-c")
    log.found("H", "a", "ab", "-c")
    log.add("H+d", "c", "d", "H+", "H")
    judged = log.answers().judged.authority
    assert (judged["c+d"], judged["H+d"]) == (True, False)


def test_with_missing_messages_nobody_can_tell() -> None:
    """The missing message may have added c. A person who is known as a member still is one."""
    log = Log("ab")
    log.add("c+d", "c", "d", "lost")
    log.found("H", "c", "cd", "lost")
    log.found("I", "b", "ab", "lost X+")
    found = log.answers()
    assert [found.judged.authority[act] for act in ("c+d", "H", "H+", "I")] == [
        None,
        None,
        True,
        True,
    ]
    assert found.tips == ["H", "I"]
    assert found.members["X"] == frozenset("abd")


def test_missing_messages_do_not_help_in_an_outsiders_epoch() -> None:
    """An epoch after it stands where it would without the outsider's."""
    log = Log("ab")
    log.found("E", "x", "", "X+")
    log.add("E+y", "y", "y", "lost", "E")
    log.found("F", "y", "y", "X+ E", previous="E")
    log.found("G", "y", "y", "lost", previous="E")
    log.found("H", "y", "y", "lost")
    authority = log.answers().judged.authority
    assert [authority[act] for act in ("E", "E+y", "F", "F+")] == [False] * 4
    assert (authority["G"], authority["H"]) == (None, None)


def test_an_epoch_after_an_outsiders_follows_the_epochs_before_it() -> None:
    """Precedence is ancestry in the epoch tangle (R18). Anybody may put an epoch into it."""
    log = Log("abc")
    log.found("L", "a", "ab", "X+")
    log.found("R", "b", "abc", "X+")
    log.found("G", "x", "x", "L+", previous="L")
    log.found("G2", "y", "y", "G+", previous="G")
    log.found("H", "a", "ab", "L+ R+ G2+", previous="G2 R")
    log.found("I", "c", "c", "L+ R+ G2+", previous="G2 R")
    found = log.answers()
    assert found.previous == {"X": [], "L": ["X"], "R": ["X"], "H": ["L", "R"]}
    assert found.tips == ["H"], "I does not count: c is in R, and not in L"
    assert found.preferences() == {None: "H", "a": "H", "b": "H", "c": "R"}
    assert found.forks() == {}


def test_an_epoch_after_an_outsiders_leaves_out_one_that_its_author_knows() -> None:
    """4.10.2.2 asks for the tips. F and G make a fork with H, as if they listed X."""
    log = Log("abc")
    log.found("E", "x", "x", "X+")
    log.found("H", "a", "ab", "X+")
    log.found("F", "a", "ac", "H+ E", previous="E")
    log.found("G", "a", "ac", "H+ E")
    log.found("I", "b", "ab", "H+ E", previous="E H")
    log.found("J", "c", "bc", "X+ E", previous="E")
    log.found("K", "a", "ab", "J+ H+", previous="J H")
    found = log.answers()
    assert found.previous["F"] == found.previous["G"] == found.previous["J"] == ["X"]
    assert found.known.stale == {"F", "G"}
    assert Oracle(log.entries, "X").stale() == {"F", "G"}


def test_an_exclusion_leads_to_an_epoch_after_an_outsiders() -> None:
    """R24b: the author's next epoch on the same one. The outsider's epoch between does not matter."""
    log = Log("abc")
    log.found("E", "x", "x", "X+")
    log.found("H", "a", "ab", "X+", previous="E")
    log.exclude("-c", "a", "c", "X+")
    assert log.answers().known.following == {"-c": "H"}
    assert log.correct()["H"] == "ab"


def test_an_author_who_joins_two_epochs_must_be_a_member_of_both() -> None:
    """Otherwise a person excluded from one could end it. An epoch that does not count does not matter."""
    log = Log("abcd")
    log.found("L", "a", "abd", "X+")
    log.found("R", "b", "abc", "X+")
    log.found("E", "x", "x", "X+")
    log.found("M", "d", "abcd", "L+ R+", previous="L R")
    log.found("N", "a", "ab", "L+ R+ E+", previous="L R E")
    found = log.answers()
    assert (found.judged.authority["M"], found.judged.authority["N"]) == (False, True)
    assert found.tips == ["N"]


# R32: an init without a valid members tangle.


@pytest.mark.parametrize(
    "members",
    [None, "X", {"root": None}, {"root": None, "previous": []}, {"root": "X", "previous": ["X"]}],
)
def test_an_init_without_a_members_tangle_does_not_count(members: object) -> None:
    log = Log("abc")
    log.found("H", "a", "ab", "X+", members=members)
    log.found("I", "a", "ab", "H", previous="H")
    log.found("J", "b", "abc", "H", previous="X H")
    found = log.answers()
    assert found.previous == {"X": [], "I": ["X"], "J": ["X"]}
    assert found.judged.authority["H"] is True
    assert found.tips == ["I", "J"]


def test_a_group_without_a_members_tangle_in_its_first_epoch() -> None:
    log = Log("abc")
    log.entries[0] = log.entries[0]._replace(fields={"group": ROOT, "epoch": ROOT, "members": None})
    found = log.answers()
    assert (found.previous, found.tips, found.repairs()) == ({}, [], [])
    assert found.preferences() == {None: None}
    # Its creator creates the epoch again, as the rule says, and then once more.
    log.found("H", "a", "ab", "X")
    log.found("I", "a", "abc", "X")
    log.found("J", "b", "bc", "H+")
    found = log.answers()
    assert found.previous == {"H": [], "I": []}
    assert found.forks() == {("H", "I"): ("subset", "H", frozenset())}


def test_an_epoch_that_lists_a_tip_and_the_one_before_it_is_stale() -> None:
    """4.10.2.2: previous holds the tips. X is none for whoever knows of H."""
    log = Log()
    log.found("H", "a", "ab", "X+")
    log.found("both", "a", "ab", "H+", previous="X H")
    log.found("tip", "a", "ab", "H+", previous="H")
    assert log.answers().known.stale == {"both"}
    assert Oracle(log.entries, "X").stale() == {"both"}


def test_an_epoch_after_the_newest_one_follows_an_older_exclusion() -> None:
    """The remedy of exclusion_without_epoch. An epoch after that of the exclusion would be stale."""
    for previous, stale in ("H", set()), ("X", {"J"}):
        log = Log("abcd")
        log.found("H", "b", "abcd", "X+")
        log.exclude("-c", "a", "c", "X+")
        assert log.answers().known.following == {"-c": None}
        log.found("J", "b", "abd", "H+ -c", previous=previous)
        found = log.answers()
        assert found.known.following == {"-c": "J"}
        assert found.known.stale == Oracle(log.entries, "X").stale() == stale
        assert found.correct["J"] == found.members["J"]


# 4.8.1


def test_a_post_is_late_when_its_author_knew_of_a_later_epoch() -> None:
    log = Log()
    log.post("early", "c", "X+", "X")
    log.found("H", "a", "abc", "X+")
    log.post("unaware", "c", "early", "X")
    log.post("late", "c", "H+", "X")
    log.post("new", "c", "H+", "H")
    log.found("E", "x", "x", "H+", previous="H")
    log.post("of outsiders", "c", "E", "H")
    assert log.answers().known.late == {"late"}


def test_a_post_of_somebody_whom_the_later_epoch_leaves_out_is_not_late() -> None:
    """4.8.1 is about their most preferred epoch, which is the one that declares them."""
    log = Log("abc")
    log.exclude("-c", "a", "c", "X+")
    log.found("H", "a", "ab", "-c")
    log.post("own", "c", "H+", "X")
    log.post("late", "b", "H+", "X")
    assert log.answers().known.late == {"late"}


def test_an_exclusion_is_late_when_its_author_knew_of_an_epoch_to_prefer() -> None:
    """An exclusion is published in the epoch, too. It comes before the additions to the next one (4.1)."""
    log = Log("abcd")
    log.found("H", "a", "", "X+")
    log.exclude("-d", "a", "d", "H")
    log.add("H+", "a", "abc", "-d", epoch="H")
    log.exclude("late", "b", "c", "H+")
    log.exclude("own", "d", "c", "H+")
    log.found("J", "b", "by", "H+", previous="H")
    log.exclude("of an outsider to the epoch", "y", "c", "J+")
    log.exclude("of an outsider", "x", "c", "H+")
    log.exclude("new", "b", "c", "H+", epoch="H")
    log.add("to all", "b", "e", "H+")
    assert log.answers().known.late == {"late", "of an outsider to the epoch"}


def test_a_post_under_the_key_of_the_preferred_epoch_is_not_late() -> None:
    """A feed is announced for a key. A member who makes another epoch with that key accuses nobody."""
    log = Log()
    log.found("H", "a", "abc", "X+")
    log.found("I", "c", "acd", "X+")
    log.post("in H", "a", "H+ I+", "I")
    log.post("in X", "a", "H+", "X")
    found = log.answers()
    for ranks, late in (
        ({"X": 0, "H": 1, "I": 1}, {"in X"}),
        ({"X": 0, "H": 1, "I": 2}, {"in X", "in H"}),
        ({"X": 0, "H": None, "I": None}, {"in X", "in H"}),
    ):
        assert knowledge(found.messages, found.judged, ranks).late == late


def test_a_post_in_an_epoch_of_whose_addition_it_does_not_know_is_not_late() -> None:
    """Its author has the key, and so knows more than the message lists."""
    log = Log("abc")
    log.found("H", "a", "abc", "X+")
    log.found("I", "b", "ab", "X+")
    log.post("in the fork", "a", "H+", "I")
    log.post("of its creator", "b", "H+", "I")
    log.post("in the epoch before", "a", "H+", "X")
    log.post("with both", "a", "H+ I+", "H")
    assert log.answers().known.late == {"in the epoch before", "with both"}
    assert Oracle(log.entries, "X").late() == {"in the epoch before", "with both"}


def test_a_post_in_the_preferred_epoch_is_not_late_if_the_timeline_lacks_an_addition() -> None:
    """4.10.3: nobody lists what waits for a missing message. With c, H is no longer within I."""
    log = Log("abc")
    log.found("H", "a", "a", "X+")
    log.found("I", "b", "ab", "X+")
    for entry in log.entries:
        if entry.id in "HI":
            key = {"H": b"2", "I": b"1"}[entry.id] * 32
            log.entries[log.entries.index(entry)] = entry._replace(key=key)
    log.post("before", "a", "H+ I+", "I")
    assert log.answers().known.late == {"before"}
    log.add("H+c", "a", "c", "H+ lost", epoch="H")
    found = log.answers()
    assert found.members["H"] == frozenset("ac")
    assert found.preferences()["a"] == "I"
    assert found.known.late == Oracle(log.entries, "X").late() == set()


# 4.1.1


def test_an_epoch_needs_a_key_that_no_epoch_has_of_which_its_author_knew() -> None:
    """Whoever is excluded holds the keys of the epochs before, and with the same key reads what follows."""
    log = Log()
    log.found("H", "a", "ab", "X+")
    log.found("I", "a", "ab", "H+")
    log.found("J", "c", "c", "X+")
    log.found("K", "c", "c", "J+ H+", previous="J")
    log.found("L", "a", "ab", "I+", previous="I", group=None)
    found = log.answers()
    for shared, old in (
        ("XH", {"H"}),
        ("HI", {"I"}),
        ("HJ", set()),
        ("HK", {"K"}),
        ("XL", {"L"}),
        ("XHJ", {"H", "J"}),
        ("", set()),
    ):
        ranks = {epoch: 0 if epoch in shared else place for place, epoch in enumerate("XHIJKL", 1)}
        assert knowledge(found.messages, found.judged, ranks).with_old_key == old, shared
    unknown = dict.fromkeys("XHIJKL")
    assert not knowledge(found.messages, found.judged, unknown).with_old_key


# Long histories with known answers. Code that stores a bit or a row for each pair would not finish.


def row(
    id: str, author: str, kind: Kind, epoch: str | None, people: str, knows: str, previous: str = ""
) -> GroupMessage:
    """A message that lists one other message in all tangles."""
    known = knows.split()
    return GroupMessage(
        id,
        author,
        kind,
        epoch,
        [*people],
        known,
        known,
        previous.split(),
        kind == "init",
        False,
        None,
        0,
    )


def test_an_epoch_whose_signed_bytes_are_not_in_the_log_stands_for_the_epochs_before_it() -> None:
    """Nobody knows who made E. Whoever continues it must be a member of X: a was an outsider, too."""
    rows = [
        row("X", "a", "init", None, "", ""),
        row("X+", "a", "add", "X", "ab", "X"),
        row("E", "a", "init", None, "", "X+", "X")._replace(kind="other", declares_members=False),
        row("Y", "x", "init", None, "", "E", "E"),
        row("Z", "a", "init", None, "", "E", "E"),
    ]
    judged = judge(rows)
    assert judged.authority == {"X": True, "X+": True, "Y": False, "Z": True}
    assert judged.previous_epochs == {"X": [], "Z": ["X"]}
    messages = {one.message_id: one for one in rows}
    listed = {
        name: Listed(one.previous_ids, one.epoch_id, one.previous_ids, one.kind == "add")
        for name, one in messages.items()
    }
    for log, kind in (("X X+ E Z", "init"), ("X X+ Z", "other")):
        kinds = {one.message_id: one.kind for one in seen(messages, listed, set(log.split()))}
        assert kinds["Z"] == kind


def test_many_exclusions_and_additions_that_know_of_them() -> None:
    """3,000 of each would make nine million pairs."""
    count = 3_000
    rows, before = [row("X", "a", "init", None, "", "")], "X"
    for kind in ("exclude", "add"):
        for number in range(count):
            name = f"{kind}{number}"
            rows.append(row(name, "a", kind, "X", "c", before))
            before = name
    rows += [row(name, "a", "init", None, "", before, "X") for name in "HI"]
    judged = judge(rows)
    found = knowledge(rows, judged)
    assert set(judged.authority.values()) == {True}
    assert found.readded == {f"add{number}": ["c"] for number in range(count)}
    assert set(found.following.values()) == {"H"}
    assert found.excluded_before == {"X": frozenset(), "H": frozenset("c"), "I": frozenset("c")}


def test_a_long_chain_of_epochs() -> None:
    count = 2_000
    rows, before = (
        [row("H0", "a", "init", None, "", ""), row("+0", "a", "add", "H0", "ab", "H0")],
        "+0",
    )
    for number in range(1, count):
        epoch, last = f"H{number}", f"H{number - 1}"
        rows.append(row(f"-{number}", "a", "exclude", last, "c", before))
        rows.append(row(epoch, "a", "init", None, "", f"-{number}", last))
        rows.append(row(f"+{number}", "a", "add", epoch, "ab", epoch))
        before = f"+{number}"
    judged = judge(rows)
    found = knowledge(rows, judged)
    assert set(judged.authority.values()) == {True}
    assert found.following == {f"-{number}": f"H{number}" for number in range(1, count)}
    previous = {f"H{number}": [f"H{number - 1}"] if number else [] for number in range(count)}
    members = {epoch: frozenset("ab") for epoch in previous}
    keys = {epoch: number for number, epoch in enumerate(previous)}
    beginnings = {epoch: (number, number) for number, epoch in enumerate(previous)}
    newest = f"H{count - 1}"
    assert list(forks(previous, members, keys, beginnings)) == []
    assert preferred_epoch([*previous], members, Ancestry(previous), keys) == (newest, "successor")


def test_an_epoch_is_paired_with_the_fifty_least_keys() -> None:
    count = 1_000
    previous: dict[str, list[str]] = {"X": []} | {f"H{number:03}": ["X"] for number in range(count)}
    members = {epoch: frozenset("ab") for epoch in previous}
    keys = {epoch: number for number, epoch in enumerate(previous)}
    beginnings = {epoch: (number, number) for number, epoch in enumerate(previous)}
    found = list(forks(previous, members, keys, beginnings))
    assert len(found) == sum(min(number, 50) for number in range(count))
    assert {one.winner_epoch_id for one in found} == {f"H{number:03}" for number in range(50)}


# A stranger writes a message without signed bytes under the id of a missing one.


@pytest.mark.parametrize("is_signed", [False, True])
@pytest.mark.parametrize("listed", ["a-c", "X+", "nothing"])
def test_a_stranger_who_fills_a_gap_takes_no_membership(is_signed: bool, listed: str) -> None:
    """a's message q is in no log. The stranger's q lists what follows it, which makes a loop.

    Nobody can sign a loop of classic messages. Where one is signed after all, nobody can tell either.
    """
    log = Log("abcd")
    log.exclude("a-c", "a", "c", "X+ q")
    log.found("L", "a", "abd", "a-c")
    log.exclude("b-d", "b", "d", "X+ q")
    log.found("R", "b", "abc", "b-d")
    before = log.answers()
    log.post("q", "x", listed, "X")
    log.entries[-1] = log.entries[-1]._replace(is_signed=is_signed)
    after = log.answers()
    assert False not in after.judged.authority.values()
    assert after.judged.counting == before.judged.counting
    assert after.members == before.members == {"X": {*"abcd"}, "L": {*"abd"}, "R": {*"abc"}}
    assert after.preferences() == before.preferences()


def test_a_stranger_who_fills_a_gap_excludes_nobody_from_the_other_fork() -> None:
    log = Log("abcd")
    log.exclude("a-c", "a", "c", "X+")
    log.found("L", "a", "abd", "a-c")
    log.exclude("b-d", "b", "d", "X+ q")
    log.found("R", "b", "abc", "b-d")
    before = log.answers()
    log.post("q", "x", "a-c", "X")
    log.entries[-1] = log.entries[-1]._replace(is_signed=False)
    after = log.answers()
    assert after.correct == before.correct == {"X": {*"abcd"}, "L": {*"abd"}, "R": {*"abc"}}
    assert after.repairs() == before.repairs()
