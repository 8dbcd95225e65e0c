"""Claim templates, read from `curation/claims/claims.yaml`, and checks that a tail makes valid sentences."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from atomexam.records.checks import convert, one_of
from atomexam.records.claim import ClaimPair, claim_id
from atomexam.records.fact import RELATIONS, Fact
from atomexam.text.canonical import canonical
from curation.vocab.reader import read_vocabulary, read_yaml

_FILE = Path(__file__).with_name("claims.yaml")
_FOURFOLD = "fourfold"
_SLOTS = re.compile(r"(\{head\}|\{tail\})")


class _TemplateParts(NamedTuple):
    before: str
    between: str
    after: str
    head_first: bool


class Template(Struct, frozen=True, forbid_unknown_fields=True):
    """One wording of a claim pair."""

    factual: str
    non_factual: str

    def fill(self, head: str, tail: str) -> tuple[str, str]:
        """Return the sentence that states the fact and the one that denies it. Head and tail are plain text, never format strings."""
        stated, denied = _parts(self.factual), _parts(self.non_factual)
        one, other = (head, tail) if stated.head_first else (tail, head)
        first, second = (head, tail) if denied.head_first else (tail, head)
        return (
            f"{stated.before}{one}{stated.between}{other}{stated.after}",
            f"{denied.before}{first}{denied.between}{second}{denied.after}",
        )


Wordings = Mapping[str, Sequence[Template]]
"""Atomic type -> its wordings."""


def read_templates(name: str) -> Wordings:
    """Return a template set.

    Raises:
        ValueError: the set is unknown, or does not cover all 17 atomic types.
    """
    sets = _sets()
    one_of(name, sets, "template set", _FILE.name)
    templates = convert(sets[name], dict[str, list[Template]], f"{_FILE.name}: {name}")
    if missing := sorted(set(RELATIONS) ^ {relation for relation, wordings in templates.items() if wordings}):
        raise ValueError(f"{_FILE.name}: {name}: missing or unknown atomic types: {', '.join(missing)}; expected each of the 17 once")
    for template in (template for wordings in templates.values() for template in wordings):
        for text in (template.factual, template.non_factual):
            if sorted(_SLOTS.findall(text)) != ["{head}", "{tail}"]:
                raise ValueError(f"{_FILE.name}: {name}: {text!r}: expected {{head}} and {{tail}}, each once")
    return templates


def sentences_of(fact: Fact, template: Template) -> tuple[str, str]:
    """Return the factual and the non-factual sentence; for false polarity the denial is the factual one."""
    stated, denied = template.fill(fact.head, fact.tail)
    return (stated, denied) if fact.polarity else (denied, stated)


def wording_of(fact: Fact, wordings: Sequence[Template]) -> int:
    """Return the index of a fact's wording, which depends only on its id."""
    return int(hashlib.sha256(fact.id.encode()).hexdigest(), 16) % len(wordings) if len(wordings) > 1 else 0


def make_claim(fact: Fact, wordings: Sequence[Template], set_name: str) -> ClaimPair:
    """Return the pair of a fact."""
    number = wording_of(fact, wordings)
    factual, non_factual = sentences_of(fact, wordings[number])
    return ClaimPair(
        id=claim_id(factual, non_factual),
        atomic_type=fact.relation,
        head=fact.head,
        tail=fact.tail,
        factual=factual,
        non_factual=non_factual,
        template_id=f"{set_name}/{fact.relation}/{number}",
        fact_ids=[fact.id],
        provenance=fact.provenance,
    )


def claim_ids(fact: Fact) -> Iterator[str]:
    """Yield the ids of a fact's pair under each wording of each set: verdicts apply to the content, whatever the wording."""
    for wordings in (*read_all().values(), _own()):
        for template in wordings.get(fact.relation, ()):
            yield claim_id(*sentences_of(fact, template))


def fourfold_templates(name: str) -> Wordings:
    """Return the wordings of the fourfold set: those of a template set, except for types that have their own."""
    return {**read_templates(name), **_own()}


@cache
def _own() -> Wordings:
    return convert(_file().get(_FOURFOLD, {}), dict[str, list[Template]], f"{_FILE.name}: {_FOURFOLD}")


@cache
def read_all() -> dict[str, Wordings]:
    """Return all template sets."""
    return {name: read_templates(name) for name in _sets()}


@cache
def _sets() -> dict[str, Any]:
    return {name: wordings for name, wordings in _file().items() if name != _FOURFOLD}


@cache
def _file() -> dict[str, Any]:
    return read_yaml(_FILE)


@cache
def _parts(text: str) -> _TemplateParts:
    before, first, between, _, after = _SLOTS.split(text)
    return _TemplateParts(before, between, after, first == "{head}")


MAX_TAIL_CHARS = 30
"""A tail longer than this contains more than one piece of information."""
_SIGNS = re.compile(r"[。！？!?；;：、\n「」『』#_→&\\]|(?<!\d)[，,]|[，,](?!\d)")
_SHORT_NAMES = re.compile(r"[(（][\w+., -]*[)）]", re.ASCII)
_HALF = str.maketrans("（）【】［］", "()[][]")


@lru_cache(maxsize=1 << 16)  # a million facts share far fewer tails
def is_unfit(relation: str, tail: str) -> bool:
    """Return whether a tail is unfit for the sentences of its type, which need a short phrase."""
    if not canonical(tail) or len(tail) > MAX_TAIL_CHARS:
        return True
    if relation == "examination_range":  # symbols, brackets and words are part of a range
        return False
    pattern, needed = _patterns()[relation]
    return bool(_SIGNS.search(_outside_names(tail)) or pattern.search(tail) or not needed.search(tail) or _torn(tail))


def _outside_names(tail: str) -> str:
    """Return a tail without the punctuation of chemical names (2,3-二巯基丙醇) and without abbreviations in brackets (TBIL,STB)."""
    return _SHORT_NAMES.sub("", re.sub(r"(?<=\d)[,，、](?=\d)", "", tail))


def _torn(tail: str) -> bool:
    """Return whether brackets are unbalanced."""
    open_ones = []
    for sign in tail.translate(_HALF):
        if sign in "([":
            open_ones.append(sign)
        elif sign in ")]" and (not open_ones or open_ones.pop() + sign not in ("()", "[]")):
            return True
    return bool(open_ones)


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    table = read_vocabulary("tails")
    patterns: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {}
    for relation in RELATIONS:
        unfit = "|".join(table["unfit"][name] for name in ("any", relation) if name in table["unfit"])
        patterns[relation] = (re.compile(re.sub(r"\s+", "", unfit)), re.compile(table["needs"].get(relation, "")))
    return patterns


@lru_cache(maxsize=1 << 16)
def denies(tail: str) -> bool:
    """Return whether a tail is a denial (无症状, 原因不明), not a word that only begins like one (不孕症, 非甾体抗炎药)."""
    openings, words, inside = _denials()
    return bool(inside.search(tail) or (openings.match(tail) and not words.match(tail)))


@cache
def _denials() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    vocab = read_vocabulary("double_negation")
    openings, words, inside = (re.compile(re.sub(r"\s+", "", vocab[name])) for name in ("openings", "words", "inside"))
    return openings, words, inside
