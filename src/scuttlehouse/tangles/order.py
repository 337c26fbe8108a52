"""The one order of a tangle: ScuttleSort's, as a sort key (ruling R12).

**Theorem.** After every ``add`` of ScuttleSort (``scuttlesort`` 0.0.9), its list holds the known
events sorted by *(rank, name)*. Here a *known link* joins two known events of which one lists the
other, an event that lists itself not counted; an event's *rank* is the length of the longest path
of known links that ends at it; names compare by code point. Events may be delivered in any order,
as long as their links form no loop.

So the order is a function of the set of events alone: replicas that hold the same events show the
same order, which is the convergence that section 5 of the ScuttleSort paper leaves open. And a
warehouse need not replay a delivery: it ranks, then sorts.

**Proof.** Write *key* for (rank, name), with the rank that an event carries at that moment. Names
differ, so keys do. This is kept from one ``add`` to the next, and true of the empty list:

  (K) each event carries its rank, the list is sorted by key, ``succ`` of a known event holds the
  known events that list it, and ``pending`` of an unknown name holds those that wait for it.

*Lemma.* If what stands right of v is sorted by key, ``_rise(v)`` takes v to its place in it. For
``_rise`` passes the events of a smaller rank, then those of its own rank with a smaller name: of a
sorted list, just those with a smaller key. In any list, what ``_rise(v)`` passes has a smaller key
than v: both of its loops ask for that.

*Step 1: the new event s, after those it lists.* s starts with rank 0, directly left of p*, the
greatest known event that it lists. (If none is known it starts at the far left, and the lemma ends
this step.) It has no successors yet, so no other rank can change, and nobody but s moves: the
others stay sorted. For each known p that it lists, the rank of s becomes the larger of its own and
rank(p) + 1; s jumps to just right of p if it stands left of it, or else rises; then it rises
again. A rise passes only what is below s. A jump passes p and what stands between s and p, which
is below p, so nothing above p*. And what stood left of s from the start is below p*. So whatever
stands left of s is below s, or at most p*. Once all p are treated, rank(s) is one more than the
greatest of their ranks, its rank by definition; so s is above p*, and above all that stands left
of it. The last thing done is a rise, so by the lemma s stands at its place, and (K) holds for the
links known so far. A p that is listed again changes nothing.

*Step 2: ranks, when an event e that waits for s is linked to it.* The events that wait for s are
treated one by one. Let D be the links known before e's turn, for which (K) holds; now s -> e is
added. The wave ``_visit`` pops e at depth 1. An event that it pops at depth d takes rank(s) + d if
its rank is smaller, and then its successors are popped at depth d + 1. Let l(c) be the length of
the longest path in D from e to c. Claim: each c that D reaches from e ends with the larger of its
old rank and rank(s) + 1 + l(c).

  *Not more.* What is popped at depth d + 1 succeeds an event that was popped at depth d, so an
  event popped at depth d ends a path of d - 1 links from e, and d - 1 <= l(c).

  *Not less.* Let e = u(1), ..., u(n) = c be a longest path; then u(i) ends with rank(s) + i or
  more. u(1) does, as it is popped at depth 1. If u(i) does, either it was raised: when it took its
  last rank, at a depth d >= i, u(i + 1) was popped at depth d + 1, and has rank(s) + i + 1 or
  more. Or it was not: then its old rank was that high already, and by (K) the old rank of u(i + 1)
  was higher.

The wave ends, since whatever goes one deeper has raised a rank, and no rank grows beyond the
claim. It never meets s, since a path from e to s would close a loop. And the claim is the rank in
D with s -> e: a path that ends at c either avoids the new link and is no longer than the old rank,
or takes it, once, and is no longer than rank(s) + 1 + l(c), since no path to s takes it; both
lengths are reached. No rank falls, and that of s stays.

*Step 3: places, for the same e.* Let k be the keys before the wave and k' those after it: k' >= k,
and k' > k for raised events only. The list is sorted by k. First e alone moves: if it stands left
of s it jumps to just right of s, or else it rises. Then all events that the wave popped, which are
e, all raised ones and perhaps more, rise one by one, from the rightmost to the leftmost by their
places at this moment. A rise changes no place left of where it starts, so those still to come keep
theirs. Claim: when all popped events from place j on have risen, what stands from place j on is
sorted by k'. From right to left:

  *A popped event at j* rises into a part that is sorted by k', and finds its place by the lemma.

  *Any other event x at j* was not raised, so k'(x) = k(x), and must be below all that stands right
  of it. Any y but e that does so stood there from the start, so k'(y) >= k(y) > k(x). If e does
  so, it stood there from the start, and the same holds, or it passed x. If by a jump, then k(x) <=
  k(s) = k'(s) < k'(e), as the rank of e is now above that of s; if by a rise, then k'(x) < k'(e)
  by the lemma.

At j = 0 the whole list is sorted by k'. Now e joins ``succ`` of s, and (K) holds for D with s ->
e. Where e lists s again, nothing is raised and every rise ends where it starts. After the last
waiting event all known links are treated: (K) holds after the ``add``. That was to be shown.
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

    Unknown previous, self references and repeats count for nothing.

    Args:
        node_count: the messages are the nodes 0 to ``node_count - 1`` (``graphs.number_nodes``).
        link_message, link_previous: a row per message and previous that it lists, -1 for a previous
            that is not known (``graphs.number_links``).

    Returns:
        A rank per node, from 0; ``UNRANKED`` (-1) for those in a loop or behind one, to which no
        path is the longest.

    Raises:
        ValueError: the columns do not fit together (``graphs.followers_of``).

    Complexity: O(n + k) for k links, besides the sorting of the links by previous.

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

    Ids compare by code point: Arrow compares the bytes of UTF-8, which order as code points do; it
    cannot hold the lone surrogates that would make a difference. Only ids of one rank are compared.

    Args:
        tangle_codes: per node (``Nodes.tangle_codes``).
        node_ranks: per node (``ranks``).
        ids: per node, text.

    Returns:
        A place per node; ``UNRANKED`` (-1) where the rank is, and such nodes take no place from
        others.

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
        node_ranks: per node, ``UNRANKED`` (-1) where it is not in the graph.
        link_message, link_previous: two nodes per link; the message lists the previous, which is ``UNKNOWN``
            (-1) where it is no node.

    Complexity: O(n + k) for n nodes and k links.

    The last node is set aside: it is no tip, and takes none away.

    >>> find_tips(np.array([0, 1, -1]), np.array([1, 2]), np.array([0, 1])).tolist()
    [False, True, False]
    """
    is_tip: NDArray[np.bool_] = node_ranks != UNRANKED
    listed = link_previous[node_ranks[link_message] != UNRANKED]
    is_tip[listed[listed != UNKNOWN]] = False
    return is_tip


def find_loops(node_count: int, link_message: Ints, link_previous: Ints) -> Ints:
    """The loops of known links: per node the least node of its loop, -1 if it is part of none.

    Loops that share a node count as one. What only stands behind a loop is part of none, nor is a
    message that lists itself and nothing that leads back to it. Messages with verified ids cannot
    form a loop.

    Args, Raises: as ``ranks``.

    Complexity: O(n + k) for k links, besides the sorting of the links by previous (the strongly
    connected components of Tarjan, without recursion).

    >>> find_loops(5, np.array([1, 2, 3, 4]), np.array([2, 1, 2, 4])).tolist()
    [-1, 1, 1, -1, -1]
    """
    components = _components(*followers_of(node_count, link_message, link_previous))
    least = np.full(node_count, node_count, dtype=np.int64)
    np.minimum.at(least, components, np.arange(node_count))
    is_in_loop = np.bincount(components, minlength=node_count)[components] > 1
    return np.where(is_in_loop, least[components], -1)


@njit(cache=True)
def _components(offsets: Ints, followers: Ints) -> Ints:
    """The number of each node's strongly connected component."""
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
