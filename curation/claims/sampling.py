"""Facts of one atomic type -> a round-robin sample over heads, polarities and tails, then in the order of the sampling."""

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
"""A tail gets 1/200 of the cap, five of 1,000, before it waits until each other tail has as many. A limit of one would favour rare
tails, which are wrong more often than common ones."""


class RoundRobinSampler:
    """The sample of one atomic type. Heads with fewer claims come first; then the rarer polarity, then tails in turn."""

    def __init__(self, cap: int, seed: int) -> None:
        self._room, self._seed = cap, seed
        self._turn = max(1, cap // _TURNS)
        self._heads: Counter[str] = Counter()
        self._polarities: Counter[bool] = Counter()
        self._tails: Counter[_Queue] = Counter()

    def take(self, facts: Sequence[Fact], accept: Accept) -> None:
        """Offer facts in turn until the type is full; `accept` adds a fact, or returns false if it cannot."""
        # In a manual call, facts may share an id.
        in_draw_order = sorted(facts, key=lambda fact: (draw_order(self._seed, fact.id), fact.head, fact.tail, fact.polarity))
        if len(in_draw_order) <= self._room:
            for fact in in_draw_order:
                self._offer(fact, accept)
            return
        self._facts = in_draw_order
        self._left = Counter(fact.head for fact in in_draw_order)
        self._queues: dict[_Queue, list[int]] = defaultdict(list)
        for index, fact in enumerate(in_draw_order):
            self._queues[_queue_of(fact)].append(index)  # sorted, therefore a heap
        while self._room > 0 and self._left:
            self._round(min(self._heads[head] for head in self._left), accept)

    def _round(self, had: int, accept: Accept) -> None:
        """Let each head with this many claims have one more."""
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
        for index in later:
            heapq.heappush(self._queues[_queue_of(self._facts[index])], index)
        self._queues = defaultdict(list, {queue: indexes for queue, indexes in self._queues.items() if indexes})

    def _one_of(self, queue: _Queue, waiting: set[str], later: list[int], accept: Accept) -> None:
        """Offer the first fact of a queue whose head is still waiting; those of other heads are for a later round."""
        indexes = self._queues[queue]
        while indexes:
            index = heapq.heappop(indexes)
            fact = self._facts[index]
            if fact.head not in waiting:
                later.append(index)
                continue
            accepted = self._offer(fact, accept)
            self._left[fact.head] -= 1
            if not self._left[fact.head]:
                del self._left[fact.head]
            if accepted or fact.head not in self._left:
                waiting.discard(fact.head)
            if accepted:
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
