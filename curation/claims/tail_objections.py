"""An index of the facts that sources state about each head; it gives reasons against calling a tail false for a head.

No source is complete, so a tail counts as false for a head only if every head that has the tail is unrelated: it shares no body part,
department, fact or distinctive character with this head. Relations that sources list completely (`CLOSED`) need less.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import cast
from urllib.parse import urlsplit

from atomexam.records.claim import Passage
from atomexam.records.fact import Fact, Relation, fact_id
from atomexam.text.canonical import canonical
from curation.claims.claim_context import Synonyms
from curation.claims.templates import claim_ids
from curation.vocab.allowed_heads import body_parts, is_allowed_head
from curation.vocab.reader import compiled, read_vocabulary

CLOSED = frozenset({"disease_department", "disease_infectivity"})
"""Relations for which a source lists all tails of a head, so that a tail that is not listed is false."""
STATED = frozenset({"disease_food"})
"""Relations whose denial says more than that the tail is absent (忌吃); a tail counts as false only if a source denies it."""
_EFFECTS = ("metric_effect", "chinese_medicine_effect", "western_medicine_effect", "food_effect")
"""Relations whose heads have no department; only the tails show what these heads act on."""
_MIN_TAILS = 2
"""A head with fewer tails of a relation than this is described too briefly to tell which tails it lacks."""
_MAX_HEADS, _MAX_SHARE = 2, 0.03
"""A tail is general if the number of heads that have it exceeds both limits; it may then be true for heads that do not list it."""
_TELLING_SHARE = 0.1
"""A character in a larger share of the names, such as 炎 or 病, is not distinctive."""
_TERSE = frozenset({"chinese_medicine_effect", "food_effect"})
"""Relations with tails so terse that every character is distinctive: 润肺 and 润燥 are nearly the same."""

_SENTENCE_ENDS = re.compile(r"[。！？；!?;\n]")

CANDIDATE_REASONS = {
    "linked": "a source links tail and head, under any relation, in either direction, or under another name",
    "like_a_tail": "the tail contains, is part of, or has a telling character in common with a tail of the head",
    "like_the_head": "the tail has a telling character in common with the name of the head",
    "possible": "by the table of parts of the body, such a head may have the tail",
    "same_part": "the tail is about a part of the body that the head is about",
    "near": "a head that has the tail is near: a department, part of the body, fact, effect or telling character in common",
    "general_head": "hardly any tail of the relation is surely false of the head: a test for all, a disease of the whole body",
    "in_passage": "a passage about the head, or a sentence of any that names it, contains the tail",
    "supported": "annotators found it true",
    "not_denied": "no source denies the tail of the head",
}
"""Objection -> why a tail is not used as a false tail of a head."""


class KnownFacts:
    """Index of everything that facts and passages state about the heads, with synonyms merged."""

    def __init__(
        self, facts: Iterable[Fact], passages: Iterable[Passage], synonyms: Synonyms, supported: frozenset[str] = frozenset()
    ) -> None:
        """Index the facts and passages.

        Args:
            supported: ids of claims on false tails that annotators found true.
        """
        self._supported = supported
        self._of, self._canonical = synonyms.of, cache(canonical)
        self._linked: dict[str, set[str]] = defaultdict(set)
        self._tails: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._heads: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._departments: dict[str, set[str]] = defaultdict(set)
        self._denied: dict[tuple[str, str, str], str] = {}
        self._denying: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._names: dict[str, set[str]] = defaultdict(set)
        """Representative of a set of synonyms -> the names as written; only these are compared character by character."""
        pages: dict[str, set[str]] = defaultdict(set)
        for fact in facts:
            head, tail = self._of(fact.head), self._of(fact.tail)
            self._names[head].add(canonical(fact.head))
            self._names[tail].add(canonical(fact.tail))
            for origin in fact.provenance:
                pages[_page(origin.url)].add(head)
            if not fact.polarity:
                self._denied[fact.relation, head, tail] = fact.id
                self._denying[fact.relation, tail].add(fact.head)
                continue
            self._tails[fact.relation, head].add(tail)
            self._heads[fact.relation, tail].add(head)
            if fact.relation == "disease_department":
                self._departments[head].add(tail)
            elif fact.relation != "disease_infectivity":
                self._linked[head].add(tail)
                self._linked[tail].add(head)
        self._heads_in = Counter(relation for relation, _ in self._tails)
        self._telling_names = _telling(name for _, head in self._tails for name in self._names[head])
        by_relation: dict[str, set[str]] = defaultdict(set)
        for relation, tail in self._heads:
            by_relation[relation] |= self._names[tail]
        self._telling_tails = {
            relation: _telling(tails, 1 if relation in _TERSE else _TELLING_SHARE) for relation, tails in by_relation.items()
        }
        self._specific = {tail for relation, tail in self._heads if not self.is_general(relation, tail)}
        self._synonyms = synonyms.names
        self._heads_by_pair: dict[str, set[tuple[str, str]]] = defaultdict(set)
        """Pair of characters -> the names that contain it, with their heads; each name is indexed under its rarest pair."""
        names = sorted({(name, head) for _, head in self._tails for name in self._spellings(head) if len(name) > 1})
        times = Counter(pair for name, _ in names for pair in pairs_in(name))
        for name, head in names:
            self._heads_by_pair[min(pairs_in(name), key=lambda pair: (times[pair], pair))].add((name, head))
        self._texts = self._texts_of(passages, pages)
        self._about = cache(self._about_head)
        self._features = cache(self._features_of)
        self._deniers = cache(lambda relation, tail: sorted(self._denying.get((relation, tail), ())))

    def _texts_of(self, passages: Iterable[Passage], pages: Mapping[str, set[str]]) -> Mapping[str, str]:
        texts: dict[str, list[str]] = defaultdict(list)
        for passage in passages:
            path = _page(passage.url)
            for place in _with_parents(path):
                if len(heads := pages.get(place, ())) == 1:
                    texts[next(iter(heads))].append(canonical(passage.text))
                    break
            for sentence in map(canonical, _SENTENCE_ENDS.split(passage.text)):
                for head in self._heads_named_in(sentence):
                    texts[head].append(sentence)
        return {head: "\n".join(parts) for head, parts in texts.items()}

    def _heads_named_in(self, sentence: str) -> set[str]:
        pairs = pairs_in(sentence) & self._heads_by_pair.keys()
        return {head for pair in pairs for name, head in self._heads_by_pair[pair] if name in sentence}

    def _spellings(self, thing: str) -> set[str]:
        """Return all names of a thing that may occur in a passage."""
        return self._names[thing] | self._synonyms.get(thing, set())

    def is_general(self, relation: str, tail: str) -> bool:
        """Return whether so many heads have a tail that further heads may have it, too."""
        if _matches("general", relation, canonical(tail)):
            return True
        tail = self._of(tail)
        return relation not in CLOSED | STATED and len(self._heads[relation, tail]) > max(_MAX_HEADS, _MAX_SHARE * self._heads_in[relation])

    def is_general_head(self, relation: str, head: str) -> bool:
        """Return whether hardly any tail of a relation can be called false for a head."""
        return relation in _general()["general_heads"] and any(
            _matches("general_heads", relation, name) for name in self._names[self._of(head)]
        )

    def is_described(self, relation: str, head: str) -> bool:
        """Return whether enough is known about a head to call other tails false."""
        return relation in CLOSED | STATED or len(self._tails[relation, self._of(head)]) >= _MIN_TAILS

    def is_supported(self, relation: str, head: str, tail: str) -> bool:
        """Return whether annotators found a tail true although no source lists it."""
        if not self._supported:
            return False
        kind = cast("Relation", relation)
        fact = Fact(id=fact_id(kind, head, tail), relation=kind, head=head, tail=tail, polarity=True, provenance=[])
        return not self._supported.isdisjoint(claim_ids(fact))

    def names_head(self, head: str, tail: str) -> bool:
        """Return whether a tail shares a distinctive character with the head's name, which would reveal that they belong together."""
        return not self._about(self._of(head))[0].isdisjoint(canonical(tail))

    def denial(self, relation: str, head: str, tail: str) -> str | None:
        """Return the id of the fact that denies a tail for a head."""
        return self._denied.get((relation, self._of(head), self._of(tail)))

    def denying(self, relation: str, tail: str) -> list[str]:
        """Return the heads, as written, for which a source denies the tail."""
        return self._deniers(relation, self._of(tail))

    def objection(self, relation: str, head: str, tail: str) -> str | None:
        """Return why a tail is not certain to be false for a head (a key of CANDIDATE_REASONS); None if it is."""
        name, as_written, written = head, tail, self._canonical(tail)
        head, tail = self._of(head), self._of(tail)
        own = self._tails[relation, head]
        if self.is_supported(relation, name, as_written):
            return "supported"
        if tail in own or tail in self._linked[head] or tail == head:
            return "linked"
        if self.is_general_head(relation, name):
            return "general_head"
        if relation in STATED:
            return None if (relation, head, tail) in self._denied else "not_denied"
        telling = self._telling_tails[relation] & set(written)
        for one in own:
            for other in self._names[one]:
                if written in other or other in written or not telling.isdisjoint(other):
                    return "like_a_tail"
        telling_name, departments, parts, _ = self._about(head)
        if not telling_name.isdisjoint(written):
            return "like_the_head"
        if is_allowed_head(relation, written, self._canonical(name), departments):
            return "possible"
        if relation not in CLOSED:
            if not parts.isdisjoint(body_parts(written)):
                return "same_part"
            features = self._features(head)
            if not all(features.isdisjoint(self._features(other)) for other in self._heads[relation, tail]):
                return "near"
        text = self._texts.get(head, "")
        return "in_passage" if any(one in text for one in (written, *self._spellings(tail))) else None

    def _features_of(self, head: str) -> frozenset[tuple[str, str]]:
        """Return the features of a head; heads that share a feature count as related."""
        name, _, parts, linked = self._about(head)
        kinds = (("sign", name), ("part", parts), ("department", self._departments.get(head, ())), ("fact", linked | {head}))
        return frozenset((kind, one) for kind, values in kinds for one in values)

    def _about_head(self, head: str) -> tuple[frozenset[str], str, frozenset[str], frozenset[str]]:
        """Return a head's distinctive characters, departments and body parts, and its specific links and effects."""
        departments = "|".join(sorted(self._departments[head]))
        effects = {tail for relation in _EFFECTS for tail in self._tails.get((relation, head), ())}
        return (
            frozenset(self._telling_names & {sign for name in self._names[head] for sign in name}),
            departments,
            body_parts("|".join(sorted(self._names[head] | effects))) | body_parts(departments),
            frozenset(self._linked[head] & self._specific | effects),
        )


def pairs_in(text: str) -> set[str]:
    """Return the character bigrams of a text."""
    return {text[at : at + 2] for at in range(len(text) - 1)}


def _telling(names: Iterable[str], share: float = _TELLING_SHARE) -> frozenset[str]:
    """Return the Chinese characters that occur in few of the names."""
    names = set(names)
    counts = Counter(sign for name in names for sign in set(name))
    return frozenset(sign for sign, number in counts.items() if number <= max(1, share * len(names)) and "\u4e00" <= sign <= "\u9fff")


def _matches(what: str, relation: str, name: str) -> bool:
    """Return whether a name is listed among a relation's `general` tails or `general_heads`."""
    pattern = _general()[what].get(relation)
    return bool(pattern and pattern.search(name))


@cache
def _general() -> dict[str, dict[str, re.Pattern[str]]]:
    table = read_vocabulary("tails")
    return {what: {relation: compiled(words) for relation, words in table[what].items()} for what in ("general", "general_heads")}


def _page(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}".rstrip("/")


def _with_parents(path: str) -> Iterator[str]:
    """Yield a path and its parent folders."""
    while "/" in path:
        yield path
        path = path.rpartition("/")[0]
