"""A head and a tail -> why the tail's wording does not fit the relation. Uses tables of endings, not lists of names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from atomexam.text.canonical import canonical
from curation.clean.facts.tails import CACHE_SIZE, TailCandidate, word_lists
from curation.vocab.reader import Pairs, compiled, pairs, read_vocabulary

KIND_CHARS = 3
"""Minimum length of a head that, at the end of a tail, names the tail's kind (青光眼, 急性闭角型青光眼); 嵌顿痔 is a complication of 痔."""
_ORDINARY = re.compile("急性|慢性|小儿|老年人?|新生儿|原发性|继发性")
_MODIFIER = re.compile(
    "^(?:急性|慢性|反复|持续性?|进行性|局部|明显|严重|剧烈|轻度|重度|弥漫性|多发性?|[\u4e00-\u9fff]{1,3}性)(?=[\u4e00-\u9fff]{2})"
)
_ORIGIN = re.compile(r"(.)源性")
_OPPOSITE = str.maketrans("高低多少", "低高少多")
_NO_KIND = re.compile("(?:血症|综合[征症]|中毒|障碍|衰竭|疾病|.病)$")


@cache
def _rows() -> dict[str, tuple[str, int]]:
    rows = read_vocabulary("same")["same"]
    return {canonical(name): (canonical(row[0]), rank) for row in rows for rank, name in enumerate(row)}


def plain_name(named: str) -> tuple[str, int]:
    """Return the representative of a tail's synonyms, and the rank of the tail among them."""
    return _rows().get(named, (named, 0))


def implies(name: str, named: str, bare: bool) -> bool:
    """Return whether a head implies its tail: 噪声性耳聋 implies 听力减退 and, with `bare`, 中枢性耳聋."""
    kernel = _MODIFIER.sub("", named) if bare else named
    plain, _ = plain_name(kernel)
    return kernel in name or plain in name or (len(kernel) >= KIND_CHARS and set(kernel) <= set(name))


def is_sibling(name: str, named: str) -> bool:
    """Return whether two diseases are of one kind, or the second is the origin of the first.

    Their names end alike (圆形糠疹, 单纯糠疹), begin alike (颈淋巴结结核, 颈淋巴结炎) or share characters (颈动脉体瘤, 动脉瘤), or the
    first names its origin (耳源性).
    """
    one, other = _ORDINARY.sub("", name), _ORDINARY.sub("", named)
    if other.endswith(one) or (one[-1:] == other[-1:] and set(other) <= set(one)):
        return True
    if (origin := _ORIGIN.search(one)) and origin[1] in other:
        return True
    ends_alike = one[-2:] == other[-2:] and not _NO_KIND.search(one)
    return len(one) >= KIND_CHARS and (ends_alike or one[:-1] == other[:-1] or (one[:3] == other[:3] and not other.startswith(one)))


def is_kind(name: str, named: str) -> bool:
    """Return whether one name is a kind or the opposite of the other: 膀胱瘘 and 膀胱阴道瘘, 高钾血症 and 低钾血症."""
    one, other = _ORDINARY.sub("", name), _ORDINARY.sub("", named)
    if one != other and one.translate(_OPPOSITE) == other:
        return True
    return len(one) >= KIND_CHARS and one[:2] == other[:2] and one[-1] == other[-1] != "病" and one[2] != "性"


_SHORT_CHARS, _FEWEST_PEOPLE = 4, 2
_OF_PEOPLE = frozenset({"disease_symptom", "disease_complication"})
_LIKE_SYMPTOMS = frozenset({"disease_symptom", "chinese_medicine_side_effect", "western_medicine_side_effect"})
_TRIVIAL = frozenset({"disease_symptom", "disease_complication", "disease_cause"})
_REMARK = re.compile(r"(?:(?<!\s)\s+)?（(?=[^（）]*(?:[\u4e00-\u9fff]{2}|[\d%]))[^（）]*）$")
_OF_ONE = "[^（）、，,；;/与和及或]*+"
_ONE_REMARK = re.compile(f"（(?=[^（）\u4e00-\u9fff]*+[\u4e00-\u9fff]){_OF_ONE}(?:[与和及或]{_OF_ONE})?）$")
"""A remark in parentheses about a single thing; 手术治疗（催吐、洗胃） differs in meaning from 手术治疗."""
_DOSE = re.compile(
    r"(?:(?<!\s)\s+)?(?:[（(]\d+(?:\.\d+)?\s*{0}[^）)]{{0,200}}[）)]|(?<![A-Za-z\d.])\d+(?:\.\d+)?\s*{0}|[（(](?:[每一][日天次]|口服|外用)[^（）()]*[）)])$".format(
        "(?:mg|g|ml|μg|ug|IU|万?单位|片|粒|支|袋)"
    ),
    re.I,
)
_BRACKETED = re.compile("（[^（）]*）")
_COUNTED = re.compile(r"（\d+）$")
_EFFECT_NOUN = re.compile(r"的?(?:作用|功效|功能)$")
_EXTRA = {
    "disease_symptom": _REMARK,
    "disease_complication": _REMARK,
    "disease_cause": _REMARK,
    "disease_method": _ONE_REMARK,
    "western_medicine_effect": _REMARK,
    "western_medicine_side_effect": _REMARK,
    "chinese_medicine_side_effect": _REMARK,
    "disease_medicine": _DOSE,
    "disease_food": _COUNTED,
    "food_effect": _EFFECT_NOUN,
    "chinese_medicine_effect": _EFFECT_NOUN,
}
"""Suffixes to remove, because they are not part of the tail."""
_TWO_VICES = re.compile("^戒烟[、和]?([限戒少忌控])酒$")
_JOINED = re.compile("[与和及或伴并、,，/]|伴有|以及")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_OTHER_PEOPLE = (
    (
        re.compile("新生儿|婴|小儿|儿童(?!认知)|少儿|幼儿|胎儿"),
        re.compile("新生儿|婴|小儿|儿童|先天|早产|胎|产|妊娠|(?<!不)孕|遗传|疳|幼|青少年|麻疹|水痘|手足口|佝偻|子宫|羊|母|脐带"),
    ),
    (re.compile("老年|老人"), re.compile("老年|老人")),
    (
        re.compile("妊娠|产后|产褥|临产|(?<!不)孕|胎盘|羊水|难产|流产"),
        re.compile("妊娠|产|孕|胎|宫|卵巢|流产|新生儿|羊水|母|阴道|盆腔|经|狼疮|磷脂"),
    ),
)
"""People that a tail concerns, and heads that concern the same people."""


class Kinds(NamedTuple):
    """The patterns of one relation."""

    refused: tuple[tuple[str, re.Pattern[str]], ...] = ()
    split: re.Pattern[str] | None = None
    ends: re.Pattern[str] | None = None
    needs: Pairs = ()


_CHARACTERS = ("symptom_characters", "surnames")


@cache
def _table() -> dict[str, Any]:
    """Return the vocabulary by name: `Kinds` of a relation, pairs, characters, or a pattern."""
    return {name: _entry(name, value) for name, value in read_vocabulary("kinds").items()}


def _entry(name: str, value: Any) -> Kinds | Pairs | frozenset[str] | re.Pattern[str]:
    if isinstance(value, str):
        return frozenset("".join(value.split())) if name in _CHARACTERS else compiled(value)
    return _kinds(value) if isinstance(value, dict) else pairs(value)


def _kinds(rules: dict[str, Any]) -> Kinds:
    refused = tuple((kind, compiled(pattern)) for kind, pattern in rules.get("refused", {}).items())
    split, ends = (compiled(rules[key]) if key in rules else None for key in ("split", "ends"))
    return Kinds(refused, split, ends, pairs(rules.get("needs", ())))


def split_candidates(relation: str, candidates: Iterable[TailCandidate]) -> Iterator[TailCandidate]:
    """Yield the candidates without remarks and doses; a candidate that joins common symptoms, such as 头晕头痛 or 恶心与呕吐, is split."""
    for candidate in candidates:
        if candidate.reason is None and (extra := _EXTRA.get(relation)):
            candidate = candidate._replace(text=extra.sub("", candidate.text) or candidate.text)
        if relation == "disease_method" and candidate.reason is None and candidate.text in word_lists()["methods"]:
            candidate = candidate._replace(text=f"{candidate.text}治疗")
        if relation == "disease_prevention" and candidate.reason is None and (vices := _TWO_VICES.match(candidate.text)):
            yield from (candidate._replace(text=one) for one in ("戒烟", "戒酒" if vices[1] in "戒忌" else "限酒"))
            continue
        symptoms: list[str] = []
        if relation in _LIKE_SYMPTOMS and candidate.reason is None and len(candidate.text) > _SHORT_CHARS - 1:
            symptoms = _table()["ordinary_symptoms"].findall(candidate.text)
        is_list = len(symptoms) > 1 and not _JOINED.sub("", _table()["ordinary_symptoms"].sub("", candidate.text))
        yield from (candidate._replace(text=one) for one in symptoms) if is_list else (candidate,)


def class_fits(head: str, medicine: str) -> bool | None:
    """Return whether a medicine's class and form suit a disease, all by their names; None if its class is unknown."""
    if not all(diseases.search(head) for name, diseases in _table()["medicine_forms"] if name.search(medicine)):
        return False
    heads = [diseases for name, diseases in _table()["medicine_classes"] if name.search(medicine)]
    return any(diseases.search(head) for diseases in heads) if heads else None


def matches_pattern(pattern: str, text: str) -> bool:
    """Return whether a text matches a named pattern in the table, such as `without_diet`."""
    return _table()[pattern].search(text) is not None


def doubtful_infectivity(head: str, polarity: bool) -> tuple[str, str] | None:
    """Return why a disease's name contradicts what the source states about its infectivity, or None."""
    passes_on_nothing, germ = _table()["not_contagious"].search(head), _table()["contagious"].search(head)
    if polarity and passes_on_nothing:
        return "doubtful_infectivity", f"said of {passes_on_nothing[0]}"
    if not polarity and germ and not passes_on_nothing:
        return "doubtful_infectivity", f"denied of {germ[0]}"
    if not polarity and not passes_on_nothing and (maybe := _table()["maybe_contagious"].search(head)):
        return "doubtful_infectivity", f"unsure of {maybe[0]}"
    return None


def misfit(relation: str, head: str, tail: str) -> tuple[str, str] | None:
    """Return the reason and detail if the wording of a tail does not fit this relation to this head, else None."""
    if rest := _table()["vague_heads"].search(head):
        return "head_vague", rest[0]
    if fault := _fault_of_wording(relation, tail):
        return fault
    for needing, needed in (_table().get(relation) or Kinds()).needs:
        if (match := needing.search(tail)) and not needed.search(head):
            return "wrong_kind", f"{match[0]} is not for this head"
    return _unfit_for_head(relation, head, tail)


@lru_cache(CACHE_SIZE)
def _fault_of_wording(relation: str, tail: str) -> tuple[str, str] | None:
    if relation != "examination_range" and "或" in _BRACKETED.sub("", tail):
        return "tail_not_atomic", "more than one thing: 或"
    kinds = _table().get(relation)
    if kinds is None:
        return None
    if kinds.split and (clause := kinds.split.search(tail)):
        return "tail_not_atomic", f"more than one thing, or a clause: {clause[0]}"
    for kind, pattern in kinds.refused:
        if pattern.search(tail):
            return "wrong_kind", kind
    if kinds.ends and not kinds.ends.search(tail):
        return "wrong_kind", "no ending of its relation"
    if relation == "disease_symptom" and len(tail) <= _SHORT_CHARS and _HAN.fullmatch(tail):
        own = tail[-1] if _may_be_person(tail) else tail  # few given names end like a symptom
        return None if _table()["symptom_characters"] & set(own) else ("unknown_term", "no character that symptoms have")
    return None


def _may_be_person(tail: str) -> bool:
    return len(tail) < _SHORT_CHARS and tail[:1] in _table()["surnames"] and _HAN.fullmatch(tail) is not None


def lists_people(relation: str, tails: Sequence[str], reasons: Sequence[str | None]) -> bool:
    """Return whether a symptom field lists names of people: most entries may be names, and at least one is certainly not a symptom."""
    if relation != "disease_symptom" or len(tails) < _FEWEST_PEOPLE:
        return False
    strange = [reason == "unknown_term" for reason in reasons]
    people = [bare or _may_be_person(tail) for tail, bare in zip(tails, strange, strict=True)]
    return any(strange) and 2 * sum(people) > len(people)


def _unfit_for_head(relation: str, head: str, tail: str) -> tuple[str, str] | None:
    name, named = canonical(head), canonical(tail)
    if relation in _TRIVIAL and (
        implies(name, named, relation == "disease_symptom") or (len(name) >= KIND_CHARS and named.endswith(name)) or is_kind(name, named)
    ):
        return "names_head", "the head says as much, or the tail is a kind of it"
    if relation in _OF_PEOPLE:
        for people, heads in _OTHER_PEOPLE:
            if people.search(tail) and not heads.search(head):
                return "other_people", people.search(tail)[0]  # type: ignore[index]
    return None
