"""What reaches each person of a group, and the tips that they see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class Step:
    """A group message as views know it: its place in publishing order, and the messages that it lists."""

    place: int
    uri: str
    readers: set[str]
    tangles: dict[str, list[str] | None]


class View:
    """What has reached one person, and the tips that they see in each tangle of the group."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.held: list[Step] = []
        self.tips: dict[str, list[str]] = {}
        self._known: set[int] = set()
        self._placed: set[str] = set()
        self._waiting: list[Step] = []
        self._read_from: dict[str, int] = {}

    def take(self, steps: Iterable[Step]) -> None:
        """Receive `steps`. A step that they can open enters the tangles once all that it lists is there."""
        for step in steps:
            if step.place not in self._known:
                self._known.add(step.place)
                self.held.append(step)
                self._waiting.append(step)
        self._waiting.sort(key=lambda step: step.place)
        self._waiting = [step for step in self._waiting if not self._place(step)]

    def pull(self, other: View) -> None:
        """Replicate everything that `other` holds."""
        start = self._read_from.get(other.name, 0)
        self._read_from[other.name] = len(other.held)
        self.take(other.held[start:])

    def _place(self, step: Step) -> bool:
        listed = step.tangles["group"] or ()
        if self.name not in step.readers or not self._placed.issuperset(listed):
            return False
        self._placed.add(step.uri)
        for tangle, previous in step.tangles.items():
            tips = self.tips.get(tangle, [])
            self.tips[tangle] = [tip for tip in tips if tip not in (previous or ())] + [step.uri]
        return True
