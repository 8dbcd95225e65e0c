"""Outlines and mind maps, texts with nested texts -> questions: a text with only leaves below it has these as its options."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from crawlers.tables.marked_options import RIGHT, TEXT, YES, word_of
from crawlers.tables.tree import OPTIONS, STEM

_FEWEST, _MOST_OPTIONS, _MOST_FIELDS, _DEEPEST, _SHARE = 3, 10, 100, 30, 0.9
ANSWER, EXPLANATION, CHAPTER = "正确答案", "解析", "章节"
_TEXT, _BELOW = "text", "children"
_ID = re.compile(r"(?:^|[_\W])id$|[a-z]I[dD]$", re.IGNORECASE)
_ANSWER_LINE = re.compile(
    r"\s{0,9}[【\[]?(?:(?P<answer>(?:正确|参考|标准)?答案|answer)|(?P<why>解析|详解|explanation))[】\]]?\s?[:：]?\s{0,9}(?P<rest>[^\x00]+)",
    re.I,
)
_LETTERS = re.compile(r"[A-J](?:[\s,，、]?[A-J]){0,9}")
_FEWEST_LEVELS, _MOST_LINES = 2, 200_000
_INDENT = re.compile(r"(?P<blank>[ \t\u3000\xa0│┃|├└┣┗╰─━]{0,80})(?:[-*+•·●○▪◦■□]\s)?(?P<words>.*)")
"""The blanks, branches of a drawn tree, and bullet before the words of a line."""
_INDENTED = re.compile(r"\n[ \t\u3000\xa0│┃|├└┣┗╰─━]")
_LABELED = re.compile(r"(?:[(（]?[A-JＡ-Ｊ][.．、:：)）]|[(（]?\d{1,4}[.．、)）])(?!\d)")
_TICK = re.compile(r"\s{0,9}(?:[√✓✔☑✅]|[(（\[](?:[√✓✔]|对|正确|正确答案|right|correct)[)）\]])\s{0,9}", re.I)
_GOOD = re.compile(r"ok|yes|right|correct|check|done|tick|true|complete|green|star|答案|对|正确", re.I)
_BAD = re.compile(
    r"cancel|wrong|cross|stop|false|error|red\b|closed|no\b|not|in_?complete|incorrect|help|info|warn|idea|flag|question|错", re.I
)


class Node(Struct):
    """A text, its other fields, and the nodes below it."""

    text: str
    extras: dict[str, str]
    below: list["Node"] = field(default_factory=list)


def with_outlines(document: Any) -> Any:
    """Return a document that is an outline of questions as a list of these, along with its other content; any other unchanged."""
    if (keys := _keys_of(document)) is None:
        return document
    roots = [node for each in _outermost(document, keys, 0) for node in _nodes(each, keys, 0)]
    questions: list[tuple[Node, str]] = []
    rest: list[str] = []
    for root in roots:
        _sort(root, "", questions, rest)
    if len(questions) < _FEWEST:
        return document
    right_mark = _mark_of([node for node, _ in questions])
    records = [_record(node, chapter, right_mark) for node, chapter in questions]
    if sum(bool(record.get(ANSWER)) or any(option[RIGHT] for option in record[OPTIONS]) for record in records) * 2 < len(records):
        return document
    return {"questions": records, "rest": [{"text": text} for text in rest]}


def outline_in(text: str) -> Any:
    """Return a text whose indentation makes it an outline of questions, as `with_outlines` does; None if it is none.

    Lines that begin with letters of options or numbers are those of a paper, which shows them without the indentation, too.
    """
    if not _INDENTED.search(text):
        return None
    lines = [
        match for line in text.lstrip("\ufeff").splitlines()[:_MOST_LINES] if (match := _INDENT.fullmatch(line.rstrip())) and match["words"]
    ]
    depths = [len(match["blank"].replace("\u3000", "  ").expandtabs(4)) for match in lines]
    if len(set(depths)) < _FEWEST_LEVELS or sum(_LABELED.match(match["words"]) is not None for match in lines) * 4 > len(lines):
        return None
    top: list[Any] = []
    above: list[tuple[int, list[Any]]] = [(-1, top)]
    for depth, match in zip(depths, lines, strict=True):
        while above[-1][0] >= depth:
            above.pop()
        below: list[Any] = []
        above[-1][1].append({_TEXT: match["words"], _BELOW: below})
        above.append((depth, below))
    if len(above) > _DEEPEST or not _is_answered(document := with_outlines({_TEXT: "", _BELOW: top})):
        return None
    return document


def _is_answered(document: dict[str, Any]) -> bool:
    """Return whether nearly all questions of an outline have an answer: what else is indented may be any notes."""
    records = document.get("questions") or []
    answered = [bool(each.get(ANSWER)) or 0 < sum(_is_right(option) for option in each[OPTIONS]) < len(each[OPTIONS]) for each in records]
    return bool(answered) and sum(answered) >= _SHARE * len(answered)


def _is_right(option: Any) -> bool:
    return isinstance(option, dict) and bool(option[RIGHT])


def _keys_of(document: Any) -> tuple[str, str] | None:
    """Return the keys of the text and of the children, if they nest at least twice; None if no keys do."""
    counts: Counter[tuple[str, str]] = Counter()
    lengths: Counter[tuple[str, str]] = Counter()
    waiting: list[tuple[Any, int]] = [(document, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > 2 * _DEEPEST or not isinstance(value, dict | list):
            continue
        inner = value.values() if isinstance(value, dict) else value
        waiting += [(each, depth + 1) for each in inner]
        if isinstance(value, dict) and len(value) <= _MOST_FIELDS:
            texts = [key for key, words in value.items() if isinstance(words, str) and not _ID.search(key)]
            for key in value if texts else ():
                children = _below(value, key)
                for text in texts if children else ():
                    nested = any(_below(child, key) for child in children)
                    if nested and sum(isinstance(child.get(text), str) for child in children) * 2 > len(children):
                        counts[text, key] += 1
                        lengths[text, key] += len(value[text]) + sum(len(str(child.get(text) or "")) for child in children)
    return max(counts, key=lambda each: (counts[each], lengths[each]), default=None)


def _below(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects below a key, or below keys of one object below it, as in XMind."""
    inner = value.get(key)
    if isinstance(inner, dict) and inner and all(isinstance(each, list) for each in inner.values()):
        inner = [one for each in inner.values() for one in each]
    if isinstance(inner, dict):
        return [inner]
    return inner if isinstance(inner, list) and inner and all(isinstance(each, dict) for each in inner) else []


def _outermost(value: Any, keys: tuple[str, str], depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and isinstance(value.get(keys[0]), str) and _below(value, keys[1]):
        yield value
    elif isinstance(value, dict | list) and depth < _DEEPEST:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _outermost(each, keys, depth + 1)


def _nodes(value: dict[str, Any], keys: tuple[str, str], depth: int) -> list[Node]:
    text, below = keys
    children = [node for child in _below(value, below) for node in _nodes(child, keys, depth + 1)] if depth < _DEEPEST else []
    if not isinstance(value.get(text), str) or not value[text].strip():
        return children
    extras = {key: json.dumps(each, ensure_ascii=False, sort_keys=True) for key, each in value.items() if key not in keys}
    return [Node(value[text].strip(), extras, children)]


def _sort(node: Node, chapter: str, questions: list[tuple[Node, str]], rest: list[str]) -> None:
    """Add nodes whose children are all leaves to the questions, and texts that are not part of one to the rest."""
    if node.below and not any(child.below for child in node.below):
        options = [child for child in node.below if not _ANSWER_LINE.fullmatch(child.text)]
        if 1 < len(options) <= _MOST_OPTIONS or (not options and node.below):
            questions.append((node, chapter))
            return
    if not node.below or not chapter:
        rest.append(node.text)
    for child in node.below:
        _sort(child, node.text, questions, rest)


def _mark_of(questions: list[Node]) -> tuple[str, str] | None:
    """Return what only correct options have: a key and its value, only a key (with ""), or a tick in the text; None if nothing
    distinguishes them.
    """
    distinguishing: Counter[tuple[str, str]] = Counter()
    common: Counter[tuple[str, str]] = Counter()
    for node in questions:
        marks = [_marks(child) for child in node.below]
        distinguishing.update(mark for mark in set().union(*marks) if not all(mark in each for each in marks))
        common.update(mark for mark in set().union(*marks) if all(mark in each for each in marks))
    sound = [
        mark for mark, count in distinguishing.items() if count + common[mark] >= _SHARE * len(questions) and count * 2 > len(questions)
    ]
    good = [mark for mark in sound if _says_right(mark)]
    bad = {key for key, value in distinguishing if value and _BAD.search(value)}
    fair = [mark for mark in sound if not _BAD.search(f"{mark[0]} {mark[1]}") and not (mark[0] in bad and not mark[1])]
    for some in (good, fair):
        plain = [mark for mark in some if mark[1]] or some
        if plain and all(_same(questions, plain[0], other) for other in plain):
            return plain[0]
    return None


def _marks(node: Node) -> set[tuple[str, str]]:
    marks = {(key, value) for key, value in node.extras.items()} | {(key, "") for key in node.extras}
    return marks | ({("\0tick", "√")} if _TICK.match(node.text) or _TICK.search(node.text[-9:]) else set())


def _says_right(mark: tuple[str, str]) -> bool:
    key, value = mark
    word = word_of(value.strip('"'))
    if key == "\0tick" or (word in YES and word and _GOOD.search(key)):
        return True
    return _GOOD.search(value) is not None and not _BAD.search(value)


def _same(questions: list[Node], one: tuple[str, str], other: tuple[str, str]) -> bool:
    return all((one in _marks(child)) == (other in _marks(child)) for node in questions for child in node.below)


def _record(node: Node, chapter: str, right_mark: tuple[str, str] | None) -> dict[str, Any]:
    record: dict[str, Any] = {STEM: node.text, OPTIONS: [], CHAPTER: chapter or None}
    for child in node.below:
        if match := _ANSWER_LINE.fullmatch(child.text):
            record[ANSWER if match["answer"] else EXPLANATION] = match["rest"].strip()
            continue
        text = _TICK.sub("", child.text) if right_mark == ("\0tick", "√") else child.text
        record[OPTIONS].append({TEXT: text, RIGHT: int(right_mark is not None and right_mark in _marks(child))})
    if ANSWER in record and not _LETTERS.fullmatch(str(record[ANSWER])):
        return record
    if ANSWER in record:  # letters name the options: a mark on them adds nothing
        record[OPTIONS] = [option[TEXT] for option in record[OPTIONS]]
    return record
