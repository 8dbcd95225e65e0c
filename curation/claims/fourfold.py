"""Valid facts -> the fourfold set: four sentences per fact, its true tail and a false one, each affirmed and denied. Pure.

Two unrelated heads exchange tails, so that each head and each tail is true as often as false, and neither reveals the answer. Heads that
exchange tails must go to the same split, so the number of heads that are tied to each other, directly or through others, is limited.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from itertools import chain, islice
from math import log
from typing import Any, NamedTuple

import msgspec

from atomexam.records.claim import Fourfold, kind_of_heads
from atomexam.records.fact import RELATIONS, Fact
from atomexam.records.params import Claims
from atomexam.records.provenance import content_id, draw_order
from atomexam.records.rejected_record import Rejected
from atomexam.text.canonical import canonical
from curation.claims.tail_objections import STATED, KnownFacts, pairs_in
from curation.claims.templates import Wordings, wording_of

_TWO = re.compile(r"(\D*?)(\d+(?:\.\d+)?)(\s*(?:~|～|-|–|—|至)\s*)(\d+(?:\.\d+)?)((?:[^\d~～].*)?)")
_ONE = re.compile(r"(\s*(?:<|≤|＜|>|≥|＞|小于|大于|低于|高于)\s*)(\d+(?:\.\d+)?)((?:\D.*)?)")
_MINUS, _PERCENT, _MOST_PERCENT = re.compile("[-−－]"), re.compile("[%％]"), 100
_SHIFT = Decimal("1.5")
_STEPS = (Decimal(100), Decimal(50), Decimal(10), Decimal(5), Decimal(1))


def altered_range(tail: str, up: bool) -> str | None:
    """Return a wrong range; None if the tail is not a range of one or two numbers, or no similar range exists.

    It does not overlap the true range, and lies above or below it, following `up` where possible. A single limit, or a range that starts
    at 0, is raised, because another method may have a lower limit (0~3 mg/L for 0~10).
    """
    if one := _ONE.fullmatch(tail):
        sign, limit, unit = one.groups()
        return f"{sign}{tripled}{unit}" if (tripled := _tripled(limit, unit)) else None
    if not (two := _TWO.fullmatch(tail)) or _MINUS.search(two[1]):
        return None
    before, low, between, high, unit = two.groups()
    a, b = Decimal(low), Decimal(high)
    if not a < b:
        return None
    if not a:
        return f"{before}{low}{between}{tripled}{unit}" if (tripled := _tripled(high, unit)) else None
    for shift in (_SHIFT * (b - a), _SHIFT * (a - b)) if up else (_SHIFT * (a - b), _SHIFT * (b - a)):
        for c, d in _like((low, high), (a + shift, b + shift), unit):
            if Decimal(c) < Decimal(d) and (Decimal(d) < a or b < Decimal(c)):
                return f"{before}{c}{between}{d}{unit}"
    return None


def _tripled(limit: str, unit: str) -> str | None:
    return next((number for (number,) in _like((limit,), (3 * Decimal(limit),), unit)), None)


def _like(texts: Sequence[str], values: Sequence[Decimal], unit: str) -> Iterator[list[str]]:
    """Yield numbers with as many decimals as the originals, never 0 or above 100 %; those as round as the originals come first."""
    if max(values) > _MOST_PERCENT and _PERCENT.search(unit):
        return
    last = Decimal(1).scaleb(-max(len(text.partition(".")[2]) for text in texts))
    for step in (step * last for step in _STEPS):
        if all(Decimal(text) % step == 0 for text in texts) and min(values) >= step:
            yield [f"{((value / step).to_integral_value(ROUND_HALF_UP) * step).quantize(last):f}" for value in values]


_MIN_TIED, _MAX_TIED, _SETS = 8, 40, 100
"""Minimum and maximum of the limit on the number of heads in a group, and the number of groups aimed at. The limit is 1 % of all heads, so
that the splits are drawn from about a hundred groups."""
_TRIED, _LOOKED_AT, _DENIERS = 64, 1024, 1 << 14
"""Limits per fact: the number of tails tried as its false tail, of waiting facts whose heads deny its tail, and of such heads."""
_DRAWS, _FOLDS, _ENOUGH = 4, 5, 2
"""Names are tested by 5-fold cross-validation, repeated four times, on at most twice as many pairs as a type can take."""
_NOT_EXCHANGED = frozenset({"disease_infectivity", "examination_range"})
"""Relations that exchange heads or alter numbers instead of exchanging tails."""


class RejectedFourfold(NamedTuple):
    """A fact without a row of the fourfold set, and why."""

    fact: Fact
    reason: str
    detail: str | None = None

    def row(self) -> Rejected:
        return Rejected(id=self.fact.id, kind="fact", reason=self.reason, detail=self.detail, record=msgspec.to_builtins(self.fact))


class FourfoldSet(NamedTuple):
    """The rows, the facts without one, and how many candidates each objection rejected, by atomic type."""

    rows: list[Fourfold]
    rejected: list[RejectedFourfold]
    objections: Mapping[str, Counter[str]]


def make_fourfold(facts: Sequence[Fact], known: KnownFacts, templates: Wordings, params: Claims, chosen: Mapping[str, str]) -> FourfoldSet:
    """Return the fourfold set for the facts, whose order does not matter. A type has at most `per_type` rows.

    Args:
        chosen: earlier choices, which map a fact's id to the id of the fact that gave its false tail; kept while still valid.
    """
    sound: dict[str, list[Fact]] = {relation: [] for relation in RELATIONS}
    unsound: list[RejectedFourfold] = []
    for fact in sorted(facts, key=lambda fact: (draw_order(params.seed, fact.id), fact.head, fact.tail)):
        if reason := _against(fact, known):
            unsound.append(RejectedFourfold(fact, reason))
        else:
            sound[fact.relation].append(fact)
    heads = {fact.id: fact.head for fact in facts}
    sizes = Counter(kind for kind, _ in {(kind_of_heads(fact.relation), fact.head) for fact in facts})
    passes: list[Mapping[str, str]] = [chosen]
    while True:  # until the rows are stable, so that the next run, which starts from these choices, gives the same rows
        maker = _Maker(known, templates, params, passes[-1], _TiedHeads(sizes, heads, passes[-1]))
        maker.exchange_tails({relation: members for relation, members in sound.items() if relation not in _NOT_EXCHANGED})
        maker.exchange_heads(sound["disease_infectivity"])
        maker.alter_ranges(sound["examination_range"])
        exchanged = {row.fact_ids[0]: row.false_fact_ids[0] for row in maker.rows if row.false_fact_ids}
        if exchanged in passes:
            break
        passes.append(exchanged)  # a choice without a row is not written, so it must not tie heads
    rejected = [*unsound, *maker.rejected]
    if len(facts) != len(maker.rows) + len(rejected):
        raise ValueError(
            f"fourfold: {len(facts)} facts in, but {len(maker.rows)} rows and {len(rejected)} rejected; this is a bug, please report it"
        )
    return FourfoldSet(maker.rows, rejected, maker.objections)


def _against(fact: Fact, known: KnownFacts) -> str | None:
    """Return why a fact cannot have a row; None if it can."""
    relation = fact.relation
    if relation in _NOT_EXCHANGED:
        return None
    if not fact.polarity:
        return "false_side"
    if known.is_general(relation, fact.tail):
        return "tail_general"
    if known.names_head(fact.head, fact.tail):
        return "tail_names_head"
    return None if known.is_described(relation, fact.head) else "few_tails"


def measure_fourfold(made: FourfoldSet) -> dict[str, Any]:
    """Return the metrics of the set: types without a row count 0."""
    by_type = Counter(row.atomic_type for row in made.rows)
    objections = sum(made.objections.values(), Counter())
    return {
        "facts": {"in": len(made.rows) + len(made.rejected), "out": len(made.rows), "rejected": len(made.rejected)},
        "by_type": {relation: by_type[relation] for relation in RELATIONS},
        "rejected_by_reason": dict(sorted(Counter(row.reason for row in made.rejected).items())),
        "false_tails_refused": dict(sorted(objections.items())),
    }


class _Maker:
    """Collects the rows and rejected facts, relation by relation."""

    def __init__(self, known: KnownFacts, templates: Wordings, params: Claims, chosen: Mapping[str, str], tied: "_TiedHeads") -> None:
        self._known, self._templates, self._chosen, self._tied = known, templates, chosen, tied
        self._seed, self._most = params.seed, params.per_type
        self.rows: list[Fourfold] = []
        self.rejected: list[RejectedFourfold] = []
        self.objections: dict[str, Counter[str]] = defaultdict(Counter)
        self._asked: set[tuple[str, str, str]] = set()
        """Relation, head and false tail of each row; no combination is used twice, although several facts may have the tail."""

    def exchange_tails(self, sound: Mapping[str, Sequence[Fact]]) -> None:
        """Make the rows for the relations whose tails are exchanged, starting with the relations that have the fewest candidates."""
        for relation in sorted(sound, key=lambda relation: (relation not in STATED, len(sound[relation]), relation)):
            kept = self._kept(relation, sound[relation])
            done = {fact.id for fact, _ in kept}
            self._add(_rings(kept + self._exchange(relation, [fact for fact in sound[relation] if fact.id not in done], len(kept))))

    def _kept(self, relation: str, facts: Sequence[Fact]) -> list[tuple[Fact, Fact]]:
        """Return the earlier choices that are still valid, in complete rings, in which every fact gives its tail to one fact and takes that
        of another."""
        by_id = {fact.id: fact for fact in facts}
        takes = {
            key: other
            for key in by_id
            if (other := self._chosen.get(key)) in by_id and not self._known.objection(relation, by_id[key].head, by_id[other].tail)
        }
        takes = dict({(by_id[key].head, by_id[other].tail): (key, other) for key, other in takes.items()}.values())
        while broken := takes.keys() ^ set(takes.values()):
            takes = {key: other for key, other in takes.items() if key not in broken and other not in broken}
        self._asked.update((relation, by_id[key].head, by_id[other].tail) for key, other in takes.items())
        return [(by_id[key], by_id[other]) for key, other in takes.items()]

    def _exchange(self, relation: str, facts: Sequence[Fact], rows: int) -> list[tuple[Fact, Fact]]:
        """Pair facts that exchange tails; return each with the fact that gives its false tail, and reject the rest."""
        pairs: list[tuple[Fact, Fact]] = []
        waiting: dict[str, list[Fact]] = defaultdict(list)
        last: list[Fact] = []
        met: dict[str, Counter[str]] = defaultdict(Counter)
        givers = {fact.head for fact in facts}
        deniers_of = cache(lambda tail: [head for head in self._known.denying(relation, tail) if head in givers][:_DENIERS])
        for fact in facts:
            if rows + len(pairs) >= self._most:
                break
            own = self._tied.to(fact.head)
            offered: Iterable[Fact]
            if relation in STATED:
                others = (other for head in deniers_of(fact.tail) for other in waiting.get(head, ()))
                offered = (other for other in islice(others, _LOOKED_AT) if self._known.denial(relation, fact.head, other.tail))
            else:
                tied = (other for head in sorted(own - {fact.head}) for other in waiting.get(head, ()))
                offered = chain(tied, (other for other in reversed(last) if other.head not in own))
            joined = (other for other in offered if self._tied.may_join(relation, fact.head, other.head))
            giver = next((other for other in islice(joined, _TRIED) if self._may_exchange(relation, fact, other, met)), None)
            if giver is None:
                waiting[fact.head].append(fact)
                last = [*last[1 - _TRIED :], fact]
            else:
                pairs += [(fact, giver), (giver, fact)]
                self._asked |= {(relation, fact.head, giver.tail), (relation, giver.head, fact.tail)}
                waiting[giver.head].remove(giver)
                last = [other for other in last if other is not giver]
                self._tied.join(fact.head, giver.head)
        self._reject(facts, {fact.id for fact, _ in pairs}, met, rows + len(pairs) >= self._most)
        return pairs

    def _may_exchange(self, relation: str, fact: Fact, other: Fact, met: Mapping[str, Counter[str]]) -> bool:
        """Return whether each fact's tail is certainly false for the other's head; the objections are counted."""
        for one, giver in ((fact, other), (other, fact)):
            if reason := self._known.objection(relation, one.head, giver.tail):
                met[one.id][reason] += 1
                self.objections[relation][reason] += 1
                return False
            met[one.id][""] += 1
        return self._asked.isdisjoint({(relation, fact.head, other.tail), (relation, other.head, fact.tail)})

    def _reject(self, facts: Iterable[Fact], done: Container[str], met: Mapping[str, Counter[str]], is_full: bool) -> None:
        for fact in facts:
            if fact.id in done:
                continue
            free = met[fact.id].pop("", 0)
            detail = None if free else ", ".join(f"{reason} {number}" for reason, number in sorted(met[fact.id].items())) or None
            reason = "over_cap" if is_full else "not_exchanged" if free else "no_false_tail"
            self.rejected.append(RejectedFourfold(fact, reason, None if is_full else detail))

    def exchange_heads(self, facts: Sequence[Fact]) -> None:
        """Make the rows for a relation with a single tail: each pairs a head that has the tail with one of a similar name that does not."""
        sound = [
            fact
            for fact in facts
            if not self._known.is_general_head(fact.relation, fact.head)
            and (fact.polarity or not self._known.is_supported(fact.relation, fact.head, fact.tail))
        ]
        kept = {fact.id: other for fact in sound if fact.polarity and (other := self._chosen.get(fact.id))}
        by_id = {fact.id: fact for fact in sound if not fact.polarity}
        pairs = [(fact, by_id.pop(kept[fact.id])) for fact in sound if kept.get(fact.id) in by_id]
        before = {fact.id for fact, _ in pairs}
        done = before | {other.id for _, other in pairs}
        for fact, near in _alike([fact for fact in sound if fact.id not in done], 2 * _ENOUGH * self._most):
            is_free = done.isdisjoint((fact.id, near.id)) and len(pairs) < _ENOUGH * self._most
            if is_free and self._tied.may_join(fact.relation, fact.head, near.head):
                done |= {fact.id, near.id}
                pairs.append((fact, near))
                self._tied.join(fact.head, near.head)
        pairs = _untold(pairs, before)
        reason = "over_cap" if len(pairs) >= self._most else "heads_tell"
        self._add([[pair] for pair in pairs])
        done = {fact.id for fact, _ in pairs}
        self.rejected += [RejectedFourfold(fact, reason if fact.polarity else "false_side") for fact in facts if fact.id not in done]

    def alter_ranges(self, facts: Sequence[Fact]) -> None:
        """Make the rows of reference ranges: the false tail is another range of the same shape and unit."""
        for fact in facts:
            up = draw_order(self._seed, f"range/{fact.id}")[0] % 2 == 0
            if (tail := altered_range(fact.tail, up)) is None or self._known.is_supported(fact.relation, fact.head, tail):
                self.rejected.append(RejectedFourfold(fact, "range_unknown"))
            else:
                self.rows.append(self._row(fact, fact.head, tail, []))

    def _add(self, rings: Iterable[Sequence[tuple[Fact, Fact]]]) -> None:
        """Add the rows of complete rings, earlier choices first, until the type is full."""
        room = self._most
        for ring in sorted(rings, key=self._turn):
            if len(ring) > room:
                self.rejected += [RejectedFourfold(fact, "over_cap") for fact, _ in ring]
                continue
            room -= len(ring)
            for fact, other in ring:
                if fact.relation == "disease_infectivity":
                    self.rows.append(self._row(fact, other.head, other.tail, [other.id]))
                else:
                    denied = self._known.denial(fact.relation, fact.head, other.tail)
                    self.rows.append(self._row(fact, fact.head, other.tail, [other.id, denied] if denied else [other.id]))

    def _turn(self, ring: Sequence[tuple[Fact, Fact]]) -> tuple[bool, bytes]:
        first = min(draw_order(self._seed, fact.id) for fact, _ in ring)
        return any(self._chosen.get(fact.id) != other.id for fact, other in ring), first

    def _row(self, fact: Fact, false_head: str, false_tail: str, false_fact_ids: list[str]) -> Fourfold:
        wordings = self._templates[fact.relation]
        template = wordings[wording_of(fact, wordings)]
        sentences = (*template.fill(fact.head, fact.tail), *template.fill(false_head, false_tail))
        return Fourfold(
            id=content_id("fourfold", *sentences),
            atomic_type=fact.relation,
            head=fact.head,
            tail=fact.tail,
            false_head=false_head,
            false_tail=false_tail,
            true_affirmed=sentences[0],
            true_denied=sentences[1],
            false_affirmed=sentences[2],
            false_denied=sentences[3],
            fact_ids=[fact.id],
            false_fact_ids=false_fact_ids,
            provenance=fact.provenance,
        )


def _rings(pairs: Sequence[tuple[Fact, Fact]]) -> list[list[tuple[Fact, Fact]]]:
    """Group facts and the facts that give them their false tails into rings; each fact in a ring gives its tail to the previous one."""
    takes = {fact.id: (fact, other) for fact, other in pairs}
    rings = []
    while takes:
        ring = [takes.pop(next(iter(takes)))]
        while ring[-1][1].id in takes:
            ring.append(takes.pop(ring[-1][1].id))
        rings.append(ring)
    return rings


def _alike(facts: Sequence[Fact], most: int) -> list[tuple[Fact, Fact]]:
    """Return pairs of one of the first facts and a denial of the same tail, those with the most similar scores first; a fact occurs in
    several pairs."""
    told = _told_by_names(facts)
    lacking = sorted((fact for fact in facts if not fact.polarity), key=lambda fact: told[fact.head])
    found = []
    for fact in islice((fact for fact in facts if fact.polarity), most):
        at = bisect_left(lacking, told[fact.head], key=lambda other: told[other.head])
        found += [(fact, other) for other in lacking[max(0, at - _TRIED) : at + _TRIED] if other.tail == fact.tail]
    return sorted(found, key=lambda pair: abs(told[pair[0].head] - told[pair[1].head]))


def _told_by_names(facts: Sequence[Fact]) -> dict[str, float]:
    """Return a mapping of each head to the log odds, given its name, that it has the tail, learned from other heads."""
    told: dict[str, float] = {}
    for fold in range(_FOLDS):
        odds = _odds(((fact.head, fact.polarity) for fact in facts if _fold(0, fact.head) != fold), _twos)
        told |= {fact.head: _told(odds, _twos(fact.head)) for fact in facts if _fold(0, fact.head) == fold}
    return told


def _untold(pairs: list[tuple[Fact, Fact]], kept: Container[str]) -> list[tuple[Fact, Fact]]:
    """Drop the pairs whose names reveal the most, until names learned from other pairs predict which head has the tail no better than
    chance.

    As in Le Bras et al., "Adversarial Filters of Dataset Biases" (2020). Pairs of an earlier run are dropped last, so that a run that
    starts from its rows only adds to them.
    """
    while pairs:
        excess, told = max((_excess(pairs, parts) for parts in (_characters, _twos, _ends)), key=lambda one: one[0])
        if excess <= 0:
            break
        gone = sorted(told, key=lambda key: (key in kept, -told[key], key))[: max(1, int(excess * len(pairs)))]
        pairs = [pair for pair in pairs if pair[0].id not in gone]
    return pairs


def _excess(pairs: Sequence[tuple[Fact, Fact]], parts: Callable[[str], list[str]]) -> tuple[float, dict[str, float]]:
    """Return by how much the accuracy of predictions from name parts exceeds one half, and the margin of each pair by the id of its
    fact."""
    right, told = 0, defaultdict[str, float](float)
    for draw in range(_DRAWS):
        folds: list[list[tuple[Fact, Fact]]] = [[] for _ in range(_FOLDS)]
        for pair in pairs:
            folds[_fold(draw, pair[0].head)].append(pair)
        for asked in folds:
            others = (pair for fold in folds if fold is not asked for pair in fold)
            odds = _odds(((fact.head, having) for pair in others for fact, having in zip(pair, (True, False), strict=True)), parts)
            for having, lacking in asked:
                one, other = _told(odds, parts(having.head)), _told(odds, parts(lacking.head))
                right += (one > other) - (one < other)
                told[having.id] += one - other
    return right / (2 * _DRAWS * len(pairs)), told


def _fold(draw: int, head: str) -> int:
    return draw_order(draw, head)[0] % _FOLDS


def _odds(names: Iterable[tuple[str, bool]], parts: Callable[[str], list[str]]) -> dict[str, float]:
    """Return a mapping of each name part to the log odds that it occurs in the name of a head that has the tail."""
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    sizes = {True: 1, False: 1}
    for name, having in names:
        counts[having].update(parts(name))
        sizes[having] += 1
    ours, theirs = counts[True], counts[False]
    return {sign: log((ours[sign] + 1) * sizes[False] / ((theirs[sign] + 1) * sizes[True])) for sign in ours | theirs}


def _told(odds: Mapping[str, float], parts: Iterable[str]) -> float:
    return sum(odds.get(part, 0) for part in parts)


@lru_cache(maxsize=1 << 16)
def _characters(name: str) -> list[str]:
    return sorted(set(canonical(name)))


@lru_cache(maxsize=1 << 16)
def _twos(name: str) -> list[str]:
    name = canonical(name)
    return sorted({*name, *pairs_in(name)})


@lru_cache(maxsize=1 << 16)
def _ends(name: str) -> list[str]:
    name = canonical(name)
    return [name[-size:] for size in (1, 2, 3)]


class _TiedHeads:
    """Heads that exchange tails, directly or through others."""

    def __init__(self, sizes: Mapping[str, int], heads: Mapping[str, str], chosen: Mapping[str, str]) -> None:
        """Tie heads that exchanged tails earlier, regardless of the limit.

        Args:
            sizes: number of heads of each kind.
            heads: maps a fact's id to its head.
        """
        self._most = {kind: max(_MIN_TIED, min(_MAX_TIED, size // _SETS)) for kind, size in sizes.items()}
        self._sets: dict[str, set[str]] = {}
        for key, other in chosen.items():
            if key in heads and other in heads:
                self.join(heads[key], heads[other])

    def to(self, head: str) -> set[str]:
        """Return the heads that are tied to a head, including itself."""
        return self._sets.setdefault(head, {head})

    def may_join(self, relation: str, one: str, other: str) -> bool:
        """Return whether two heads are tied already or may be tied."""
        ours, theirs = self.to(one), self.to(other)
        return ours is theirs or len(ours) + len(theirs) <= self._most[kind_of_heads(relation)]

    def join(self, one: str, other: str) -> None:
        ours, theirs = sorted((self.to(one), self.to(other)), key=len, reverse=True)
        if ours is not theirs:
            ours |= theirs
            self._sets.update(dict.fromkeys(theirs, ours))
