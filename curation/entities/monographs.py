"""Prose of medicine monographs -> the uses, adverse reactions and effects it surely names; all other pieces with the reason why not."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from curation.entities.fact_values import tails, without_label
from curation.entities.patterns import compiled, table_of
from curation.entities.pieces import Piece
from curation.normalize import normalize

SYNTAXES = ("indications", "adverse", "effects")
_SENTENCE = re.compile(r"[。；;\n]|(?<![\d.A-Za-z])\d{1,2}[.．、)）](?!\d)|[（(]\d{1,2}[）)]|[①-⑳]")
_BRACKETS = re.compile(r"[（(\[][^（()）\[\]]*[）)\]]")
_CLAUSE = re.compile(r"[，,：:]")
_ITEM = re.compile(r"[、，,：:]|(?:例如|诸如|包括|如(?!厕))")
_EFFECTS = re.compile("[、，,与及]|和(?![中胃血解营脾])")
_AND = re.compile(r"以及|[和及与或]")
_BOTH = re.compile(r"急(?:性)?(?:[、，及和与或/]|)慢性([^、，。；和及与或]+)")
_PLAIN = re.compile(
    "[，,：:及与或等同较]|和(?![中胃血解营脾])|用于|适用|本[品药方]|无|未|参[见阅照]|相似|尚|不明|例|西医|各种|临床|主要|患者$|者$|出现|引起(?!的)|可|偶|少[数见]|[常罕]见|不良|剂量|停药"
)
_STATED = re.compile(
    "^(?:治疗|预防|防治|缓解|控制|降低|改善|消除|减轻|抑制|纠正|补充|联合|根除|增强|促进|辅助|替代|清除)|(?:治疗|准备|退热)$"
)
_CUT = re.compile(r"(?:…|\.{3})\s*(?:[\[【（(]\s*(?:详细|更多|全文|查看全部)\s*[\]】）)])?\s*$")
_MAX_CHARS, _SHOWN_CHARS, _MAX_EFFECT_CHARS = 14, 40, 8
_MIN_SEVERAL_CHARS, _PHRASE_CHARS = 6, 2
_TWO_ORGANS = re.compile("肝[、和及与]?肾(功能(?:障碍|损害|损伤|不全|异常|衰竭)|损[害伤]|毒性)")


class _Rules(NamedTuple):
    doubtful: re.Pattern[str]
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    ends: re.Pattern[str]
    within: re.Pattern[str]
    vague: re.Pattern[str]


@cache
def _pattern(kind: str, name: str) -> re.Pattern[str]:
    return compiled(table_of("medicines")[kind][name])


@cache
def _rules(kind: str) -> _Rules:
    return _Rules(*(_pattern(kind, name) for name in _Rules._fields))


@cache
def _effect() -> re.Pattern[str]:
    table = table_of("medicines")["effect"]
    fixed = "".join(table["fixed"].split())
    return re.compile(f"(?:[{table['verbs']}]{{1,2}}[{table['things']}]{{1,2}}|{fixed}){{1,4}}")


def monograph_pieces(text: str, syntax: str, kind: str) -> list[Piece]:
    """Return the tails that a monograph's text surely names, and what it says besides as rejected pieces."""
    if kind == "chinese" and syntax == "indications":
        syntax = "effects"  # what a Chinese medicine is for is no effect: 具有…的功效 wants a verb and its object
    text = without_label(normalize(text).text)
    if syntax == "adverse":
        text = _TWO_ORGANS.sub(r"肝\1、肾\1", text)
    found = _pieces_of(text, syntax)
    return [part for piece in found for part in _each_effect(piece)] if syntax == "effects" else found


def _each_effect(piece: Piece) -> list[Piece]:
    """Divide 润燥止咳化痰 and 清热解毒活血化瘀 into their phrases of a verb and its object; so long a word of another making is refused."""
    text = piece.text
    if piece.reason is not None or len(text) < _MIN_SEVERAL_CHARS or _pattern("effect", "fixed").fullmatch(text):
        return [piece]
    size = 2 * _PHRASE_CHARS if len(text) == 4 * _PHRASE_CHARS else _PHRASE_CHARS
    phrases = [text[at : at + size] for at in range(0, len(text), size)]
    if len(text) % size == 0 and all(map(_is_effect, phrases)):
        return [piece._replace(text=phrase) for phrase in phrases]
    return [piece._replace(reason="tail_not_atomic", detail="more than one effect")]


def _pieces_of(text: str, syntax: str) -> list[Piece]:
    if (plain := _plain(text, syntax)) is not None:
        return plain
    found: dict[str, Piece] = {}
    sentences = [sentence.strip() for sentence in _SENTENCE.split(text) if sentence.strip()]
    if sentences and _CUT.search(text):
        last = _unsure(sentences.pop(), "cut off by the source")
        found[last.text] = last
    for sentence in sentences:
        for piece in _READERS[syntax](_BOTH.sub(r"急性\1、慢性\1", _BRACKETS.sub("", sentence))):
            if piece.text and (piece.reason is None or piece.text not in found):
                found[piece.text] = piece
    return list(found.values()) or [Piece("", reason="value_empty", detail=text[:80])]


def _plain(text: str, syntax: str) -> list[Piece] | None:
    """Return the tails of a value that is nothing but a list of terms; None where it is prose."""
    bare = text.strip("。 ")
    if _PLAIN.search(bare) or (syntax != "effects" and "和" in bare):
        return None
    pieces = tails(text, "list")
    fits: Callable[[str], object] = {
        "indications": lambda term: _STATED.search(term) or _fault(term, "indication") is None,
        "adverse": lambda term: len(term) <= _MAX_CHARS and not _rules("adverse").vague.search(term),
        "effects": lambda term: _is_effect(term) or not _rules("indication").ends.search(term),
    }[syntax]
    short = syntax != "effects" or all(len(piece.text) <= _MAX_EFFECT_CHARS for piece in pieces)
    return pieces if short and all(piece.reason is None and fits(piece.text) for piece in pieces) else None


def _indications(sentence: str) -> Iterator[Piece]:
    rules = _rules("indication")
    if doubt := rules.doubtful.search(sentence):
        yield _unsure(sentence, f"the sentence says {doubt[0]}")
        return
    sentence = _pattern("indication", "therapy_too").sub("治疗", sentence)
    if sentence.endswith("预防"):
        yield _unsure(sentence, "what is prevented is not clear")
        return
    verb = ""
    for item in _ITEM.split(sentence):
        bare = rules.opening.sub("", item.strip())
        if bare != item.strip():
            verb = ""  # a new 用于 begins
        if said := _pattern("indication", "prevention").match(bare):
            verb, bare = said[0], bare[said.end() :]
        yield from (piece._replace(text=verb + piece.text) for piece in _terms(bare, "indication"))


def _adverse(sentence: str) -> Iterator[Piece]:
    rules = _rules("adverse")
    if doubt := rules.doubtful.search(sentence):
        yield _unsure(sentence, f"the sentence says {doubt[0]}")
        return
    sentence = _pattern("adverse", "shared").sub(r"\1\3、\2\3", sentence)
    for clause in _CLAUSE.split(sentence):
        if aside := _pattern("adverse", "aside").search(clause):
            yield _unsure(clause, f"the clause says {aside[0]}")
            continue
        for item in _ITEM.split(clause):
            yield from _terms(rules.opening.sub("", item.strip()), "adverse")


def _effects(sentence: str) -> Iterator[Piece]:
    said, *uses = re.split("用于|主治|适用|适于", sentence, maxsplit=1)
    frame = _pattern("effect", "frame").search(said)
    effects = _all_effects(said) or (_all_effects(frame[1]) if frame else [])
    yield from map(Piece, effects)
    if uses or not effects:
        yield Piece(sentence[:_SHOWN_CHARS], reason="wrong_kind", detail="an indication, no effect of Chinese medicine")


def _all_effects(text: str) -> list[str]:
    bare = _pattern("effect", "closing").sub("", _pattern("effect", "opening").sub("", text.strip("，、 ")))
    items = [item.strip() for item in _EFFECTS.split(bare) if item.strip()]
    return items if all(map(_is_effect, items)) else []


def _is_effect(term: str) -> bool:
    return 2 <= len(term) <= _MAX_EFFECT_CHARS and bool(_effect().fullmatch(term)) and not _pattern("effect", "never").search(term)


def _terms(text: str, kind: str) -> Iterator[Piece]:
    """Yield the terms of an item: itself, or the halves of 甲和乙 where each is a term."""
    text = _rules(kind).closing.sub("", text).strip()
    halves = [_rules(kind).closing.sub("", _rules(kind).opening.sub("", half)) for half in _AND.split(text)]
    if len(halves) > 1 and not any(_fault(half, kind) for half in halves):
        yield from map(Piece, halves)
    elif fault := _fault(text, kind):
        yield _unsure(text, fault)
    else:
        yield Piece(text)


def _fault(term: str, kind: str) -> str | None:
    """Return why a term is not surely one of its kind."""
    rules = _rules(kind)
    if not 2 <= len(term) <= _MAX_CHARS:
        return "no short term"
    if inner := rules.within.search(term):
        return f"the term says {inner[0]}"
    if rules.vague.search(term):
        return "vague"
    return None if rules.ends.search(term) else f"no ending of an {kind}"


def _unsure(text: str, why: str) -> Piece:
    return Piece(text[:_SHOWN_CHARS], reason="prose_unsure", detail=why)


_READERS: dict[str, Callable[[str], Iterable[Piece]]] = {"indications": _indications, "adverse": _adverse, "effects": _effects}
