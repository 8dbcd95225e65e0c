"""Facts of one atomic type -> those it takes, in turns: head by head, said and denied, tail by tail, and then by lot."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from atomexam.records.fact import Fact
from atomexam.records.identity import draw_order
from atomexam.text.canonical import canonical

Accept = Callable[[Fact], bool]
_Queue = tuple[bool, str]
"""Polarity and tail."""
_TURNS = 200
"""A tail has a 200th of the places, at a cap of 1,000 five, and then waits until each other tail has had as many. One each would
favour rare tails, of which more are wrong than of common ones."""


class Turns:
    """What one atomic type has taken. Heads that have less come first; then the polarity that has less, then tails in turn."""

    def __init__(self, cap: int, seed: int) -> None:
        self._room, self._seed = cap, seed
        self._turn = max(1, cap // _TURNS)
        self._heads: Counter[str] = Counter()
        self._polarities: Counter[bool] = Counter()
        self._tails: Counter[_Queue] = Counter()

    def take(self, facts: Sequence[Fact], accept: Accept) -> None:
        """Offer facts in their turns until the type is full; `accept` says whether one can be taken."""
        # By hand, facts may share an id.
        by_lot = sorted(facts, key=lambda fact: (draw_order(self._seed, fact.id), fact.head, fact.tail, fact.polarity))
        if len(by_lot) <= self._room:
            for fact in by_lot:
                self._offer(fact, accept)
            return
        self._facts = by_lot
        self._left = Counter(fact.head for fact in by_lot)
        self._queues: dict[_Queue, list[int]] = defaultdict(list)
        for place, fact in enumerate(by_lot):
            self._queues[_queue_of(fact)].append(place)  # sorted, and so a heap
        while self._room > 0 and self._left:
            self._round(min(self._heads[head] for head in self._left), accept)

    def _round(self, had: int, accept: Accept) -> None:
        """Let each head that has had so many have one more."""
        waiting = {head for head in self._left if self._heads[head] == had}
        turns: dict[bool, list[tuple[int, int, _Queue]]] = {True: [], False: []}
        for queue in self._queues:
            turns[queue[0]].append(self._entry(queue))
        for heap in turns.values():
            heapq.heapify(heap)
        later: list[int] = []
        while waiting and self._room > 0:
            polarity = min((one for one in turns if turns[one]), key=lambda one: (self._polarities[one], one))
            _, _, queue = heapq.heappop(turns[polarity])
            self._one_of(queue, waiting, later, accept)
            if self._queues[queue]:
                heapq.heappush(turns[polarity], self._entry(queue))
        for place in later:
            heapq.heappush(self._queues[_queue_of(self._facts[place])], place)
        self._queues = defaultdict(list, {queue: places for queue, places in self._queues.items() if places})

    def _one_of(self, queue: _Queue, waiting: set[str], later: list[int], accept: Accept) -> None:
        """Take the first fact of a queue whose head still waits; those of other heads are for a later round."""
        places = self._queues[queue]
        while places:
            place = heapq.heappop(places)
            fact = self._facts[place]
            if fact.head not in waiting:
                later.append(place)
                continue
            taken = self._offer(fact, accept)
            self._left[fact.head] -= 1
            if not self._left[fact.head]:
                del self._left[fact.head]
            if taken or fact.head not in self._left:
                waiting.discard(fact.head)
            if taken:
                return

    def _entry(self, queue: _Queue) -> tuple[int, int, _Queue]:
        return self._tails[queue] // self._turn, self._queues[queue][0], queue

    def _offer(self, fact: Fact, accept: Accept) -> bool:
        if self._room <= 0 or not accept(fact):
            return False
        self._room -= 1
        self._heads[fact.head] += 1
        self._polarities[fact.polarity] += 1
        self._tails[_queue_of(fact)] += 1
        return True


def _queue_of(fact: Fact) -> _Queue:
    return fact.polarity, canonical(fact.tail)
