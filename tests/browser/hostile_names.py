"""Writes a log of a forked group whose members and whose name try to run in a reader's browser.

`python hostile_names.py FILE` in the project's environment. It prints each name on a line of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from scuttlehouse.sample.groups import Epoch, Group
from scuttlehouse.sample.lines import line_of
from scuttlehouse.sample.world import World

# They would set the title of the page to `run`, or be a link that runs, or the number 1337.
NAMES = {
    "alice": "<img src=x onerror=document.title='run'>",
    "bob": "<script>document.title='run'</script>",
    "carol": "[a link](javascript:alert(1))",
    "dave": "'\"><svg onload=document.title='run'>",
    "eve": "{{ 7 * 191 }} ${7 * 191}",
}
GROUP = "</title><body onload=document.title='run'>"


class NamedGroup(Group):
    """A group with the name GROUP."""

    def _init_content(self, epoch: Epoch) -> dict[str, Any]:
        return {**super()._init_content(epoch), "name": GROUP}


def lines() -> list[bytes]:
    """What everybody published, as alice sees it. Bob and she exclude other members at the same time."""
    world = World(191, "small")
    group = NamedGroup(world, "hostile", list(NAMES), ["first", "of alice", "of bob"])
    for name, said in NAMES.items():
        main = world.person(name).main
        world.publish(main, {"type": "about", "about": main.id, "name": said})
    group.start("alice", "first", ["bob", "carol", "dave", "eve"])
    group.sync()
    group.exclude("alice", "first", ["dave"])
    group.found("alice", "of alice", ["first"], ["alice", "bob", "carol", "eve"])
    group.exclude("bob", "first", ["carol"])
    group.found("bob", "of bob", ["first"], ["alice", "bob", "dave", "eve"])
    group.sync()
    group.post("alice", "of alice", "hello")
    received = {one.message.key: one for one in world.sightings()}
    return [line_of(one.message, "alice", one.received) for one in received.values()]


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(b"".join(lines()))
    print(*NAMES.values(), GROUP, sep="\n")
