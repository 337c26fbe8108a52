"""The one order of a tangle: ScuttleSort's, as a sort key (ruling R12).

**Theorem.** After every ``add`` of ScuttleSort (``scuttlesort`` 0.0.9), its list holds the known
events sorted by *(rank, name)*. Here a *known link* connects two known events if one lists the other;
an event that lists itself does not count. The *rank* of an event is the length of the longest path
of known links that ends at it. Names compare by code point. Events may arrive in any order, if their
links form no loop.

So the order depends only on the set of events: replicas that hold the same events show the same order.
This is the convergence that section 5 of the ScuttleSort paper leaves open. And a warehouse need not
replay a delivery: it computes ranks, then sorts.

**Proof.** Write *key* for (rank, name), with the rank that an event carries at that moment. Names
differ, so keys differ. The following is true of the empty list, and each ``add`` keeps it true:

  (K) each event carries its rank; the list is sorted by key; ``succ`` of a known event holds the
  known events that list it; ``pending`` of an unknown name holds the events that wait for it.

*Lemma.* If the part of the list right of v is sorted by key, ``_rise(v)`` moves v to its place in that
part. For ``_rise`` passes the events with a smaller rank, then those with the same rank and a smaller
name. In a sorted list, these are exactly the events with a smaller key. In any list, every event that
``_rise(v)`` passes has a smaller key than v, because both of its loops test that.

*Step 1: the new event s, after the events that it lists.* s starts with rank 0, directly left of p*, the
greatest known event that it lists. (If it lists no known event, it starts at the far left, and the lemma
ends this step.) It has no successors yet, so no other rank can change, and only s moves: the others stay
sorted. For each known p that it lists, the rank of s becomes the larger of its own rank and
rank(p) + 1. If s is left of p, it jumps to just right of p; otherwise it rises. Then it rises again. A
rise passes only events below s. A jump passes p and the events between s and p; these are below p, so
nothing above p* is passed. The events left of s at the start are below p*. So every event left of s is
below s, or at most p*. After all p are treated, rank(s) is one more than the greatest of their ranks,
which is its rank by definition. So s is above p*, and above every event left of it. The last action is
a rise, so by the lemma s is at its place, and (K) holds for the links known so far. A p that is listed
again changes nothing.

*Step 2: ranks, when an event e that waits for s is linked to it.* The events that wait for s are
treated one by one. Let D be the links known before e's turn; (K) holds for them. Now s -> e is added.
The wave ``_visit`` pops e at depth 1. An event that it pops at depth d takes rank(s) + d if its rank
is smaller; then its successors are popped at depth d + 1. Let l(c) be the length of the longest path
in D from e to c. Claim: each c that D reaches from e ends with the larger of its old rank and
rank(s) + 1 + l(c).

  *Not more.* An event that is popped at depth d + 1 succeeds an event that was popped at depth d. So an
  event that is popped at depth d ends a path of d - 1 links from e, and d - 1 <= l(c).

  *Not less.* Let e = u(1), ..., u(n) = c be a longest path. Then u(i) ends with rank(s) + i or more.
  This is true of u(1), which is popped at depth 1. If it is true of u(i), there are two cases. If u(i)
  was raised, it took its last rank at a depth d >= i; then u(i + 1) was popped at depth d + 1, and has
  rank(s) + i + 1 or more. If u(i) was not raised, its old rank was already that high, and by (K) the
  old rank of u(i + 1) was higher.

The wave ends, because each step deeper has raised a rank, and no rank grows beyond the claim. It never
meets s, because a path from e to s would close a loop. The claim is the rank in D with s -> e: a path
that ends at c either does not use the new link, and is no longer than the old rank, or uses it once,
and is no longer than rank(s) + 1 + l(c), because no path to s uses it. Both lengths occur. No rank
falls, and the rank of s stays.

*Step 3: places, for the same e.* Let k be the keys before the wave and k' the keys after it: k' >= k,
and k' > k only for raised events. The list is sorted by k. First only e moves: if it is left of s it
jumps to just right of s, otherwise it rises. Then all events that the wave popped (e, all raised
events and perhaps more) rise one by one, from the rightmost to the leftmost by their places at this
moment. A rise changes no place left of where it starts, so the events still to come keep their places.
Claim: when all popped events from place j on have risen, the list from place j on is sorted by k'.
From right to left:

  *A popped event at j* rises into a part that is sorted by k', and finds its place by the lemma.

  *Any other event x at j* was not raised, so k'(x) = k(x). It must be below every event right of it. An
  event y right of it, other than e, was there from the start, so k'(y) >= k(y) > k(x). If e is right of
  it, either e was there from the start, and the same holds, or e passed x. If e passed x by a jump, then
  k(x) <= k(s) = k'(s) < k'(e), because the rank of e is now above that of s. If e passed x by a rise,
  then k'(x) < k'(e) by the lemma.

At j = 0 the whole list is sorted by k'. Now e joins ``succ`` of s, and (K) holds for D with s -> e. If
e lists s again, nothing is raised and every rise ends where it starts. After the last waiting event,
all known links are treated: (K) holds after the ``add``. This completes the proof.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit
from numpy.typing import NDArray

from scuttlehouse.tangles.graphs import UNKNOWN, Column, Ints, followers_of, walk

UNRANKED = -1


def ranks(node_count: int, link_message: Ints, link_previous: Ints) -> Ints:
    """The rank of each node: the longest path of known links that ends at it (ruling R12).

    Unknown previous, self references and repeats are ignored.

    Args:
        node_count: the messages are the nodes 0 to ``node_count - 1`` (``graphs.number_nodes``).
        link_message, link_previous: a row per message and previous that it lists. A previous that is not
            known is -1 (``tables.read_graph``).

    Returns:
        A rank per node, from 0. ``UNRANKED`` (-1) for nodes in a loop or behind one, because no path to
        them is the longest.

    Raises:
        ValueError: the columns do not match (``graphs.followers_of``).

    Complexity: O(n + k) for k links, plus the sorting of the links by previous.

    >>> ranks(4, np.array([1, 2, 2, 3]), np.array([0, 0, 1, -1])).tolist()
    [0, 1, 2, 0]
    >>> ranks(4, np.array([0, 1, 2, 3]), np.array([1, 0, 1, 3])).tolist()
    [-1, -1, -1, 0]
    """
    is_counted = (link_previous >= 0) & (link_message != link_previous)
    counted = link_message[is_counted], link_previous[is_counted]
    offsets, followers = followers_of(node_count, *counted)
    unmet = np.bincount(counted[0], minlength=node_count).astype(np.int64)
    return walk(offsets, followers, unmet)


def positions(tangle_codes: Ints, node_ranks: Ints, ids: Column) -> Ints:
    """The place of each node in the order of its tangle, from 0: its index by (rank, id).

    Ids compare by code point. Arrow compares the bytes of UTF-8, which gives the same order; the two
    differ only for lone surrogates, which Arrow cannot hold. Only ids of the same rank are compared.

    Args:
        tangle_codes: per node (``Nodes.tangle_codes``).
        node_ranks: per node (``ranks``).
        ids: per node, text.

    Returns:
        A place per node. ``UNRANKED`` (-1) for nodes without a rank; they take no place.

    Raises:
        ValueError: an id is null.

    Complexity: O(n log n).

    >>> ids = pa.array(["\U0001f600", "c", "a", "\ufb01"])
    >>> positions(np.array([0, 0, 1, 0]), np.array([1, 0, -1, 1]), ids).tolist()
    [2, 0, -1, 1]
    """
    if ids.null_count:
        raise ValueError("An id is null; leave out rows that have none.")
    places = np.full(node_ranks.size, UNRANKED, dtype=np.int64)
    levels = tangle_codes * (node_ranks.max(initial=0) + 1) + node_ranks
    order = pc.sort_indices(
        pa.table({"level": levels, "id": ids}),
        sort_keys=[("level", "ascending"), ("id", "ascending")],
    ).to_numpy()
    order = order[node_ranks[order] != UNRANKED]
    tangles = tangle_codes[order]
    places[order] = np.arange(order.size) - np.searchsorted(tangles, tangles)
    return places


def find_tips(node_ranks: Ints, link_message: Ints, link_previous: Ints) -> NDArray[np.bool_]:
    """Which nodes are tips: in the graph, and listed by no node in the graph (ruling R9).

    Args:
        node_ranks: per node, ``UNRANKED`` (-1) for a node that is not in the graph.
        link_message, link_previous: two nodes per link; the message lists the previous. The previous is
            ``UNKNOWN`` (-1) if it is not a node.

    Complexity: O(n + k) for n nodes and k links.

    In the example, the last node is set aside. It is not a tip, and the node that it lists stays one.

    >>> find_tips(np.array([0, 1, -1]), np.array([1, 2]), np.array([0, 1])).tolist()
    [False, True, False]
    """
    is_tip: NDArray[np.bool_] = node_ranks != UNRANKED
    listed = link_previous[node_ranks[link_message] != UNRANKED]
    is_tip[listed[listed != UNKNOWN]] = False
    return is_tip


def find_loops(node_count: int, link_message: Ints, link_previous: Ints) -> NDArray[np.bool_]:
    """Which nodes are in a loop of known links.

    A node that is only behind a loop is in no loop. The same is true of a message that lists itself, if no
    other link leads back to it. Messages with verified ids cannot form a loop.

    Args, Raises: as ``ranks``.

    Complexity: O(n + k) for k links, plus the sorting of the links by previous. The algorithm is Tarjan's
    strongly connected components, without recursion.

    >>> find_loops(5, np.array([1, 2, 3, 4]), np.array([2, 1, 2, 4])).tolist()
    [False, True, True, False, False]
    """
    components = components_of(*followers_of(node_count, link_message, link_previous))
    is_in_loop: NDArray[np.bool_] = np.bincount(components, minlength=node_count)[components] > 1
    return is_in_loop


@njit(cache=True)
def components_of(offsets: Ints, followers: Ints) -> Ints:
    """The number of each node's strongly connected component. What comes after it has lesser numbers.

    Args:
        offsets, followers: the result of ``followers_of``.

    Complexity: O(n + k).

    >>> components_of(*followers_of(4, np.array([1, 2, 1, 3]), np.array([0, 1, 2, 2]))).tolist()
    [2, 1, 1, 0]
    """
    node_count = offsets.size - 1
    components = np.full(node_count, -1, dtype=np.int64)
    found_at = np.full(node_count, -1, dtype=np.int64)
    lowest = np.empty(node_count, dtype=np.int64)
    next_place = offsets[:-1].copy()
    path = np.empty(node_count, dtype=np.int64)
    waiting = np.empty(node_count, dtype=np.int64)
    waiting_count = found_count = component_count = 0
    for start in range(node_count):
        if found_at[start] >= 0:
            continue
        path[0] = start
        depth = 1
        while depth > 0:
            node = path[depth - 1]
            if found_at[node] < 0:
                found_at[node] = lowest[node] = found_count
                found_count += 1
                waiting[waiting_count] = node
                waiting_count += 1
            if next_place[node] < offsets[node + 1]:
                follower = followers[next_place[node]]
                next_place[node] += 1
                if found_at[follower] < 0:
                    path[depth] = follower
                    depth += 1
                elif components[follower] < 0:
                    lowest[node] = min(lowest[node], found_at[follower])
                continue
            depth -= 1
            if depth > 0:
                lowest[path[depth - 1]] = min(lowest[path[depth - 1]], lowest[node])
            if lowest[node] == found_at[node]:
                while components[node] < 0:
                    waiting_count -= 1
                    components[waiting[waiting_count]] = component_count
                component_count += 1
    return components
