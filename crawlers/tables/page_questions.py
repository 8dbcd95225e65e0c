"""Questions of a page that have the same structure around a list of options -> rows: stem, options, which are correct, and the text below.

Each is in its own element, or in the run of sibling elements from one stem to the next.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise
from typing import Any

from lxml import etree
from lxml.html import HtmlElement
from msgspec import Struct

from crawlers.papers.passes.emphasis import MEANT, face_of, is_answer_sheet, stated_in, styled_classes
from crawlers.papers.passes.standing_out import standing_out
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import flat
from crawlers.tables.markup import document_of_page
from crawlers.tables.page_controls import drop_controls
from crawlers.tables.page_fields import list_fields
from crawlers.tables.page_labels import KIND, SCORE, Piece, label_of, labels_of, place_of, without_labels
from crawlers.tables.page_options import (
    NAMES,
    SURELY_STATED,
    TAGS,
    bare_option,
    bare_words,
    is_called_right,
    is_marked_right,
    option_words,
    options_in,
    ticked_options,
    without_counts,
    words_of,
)
from crawlers.tables.restated import restated
from crawlers.tables.tree import UNCLEAR, Rows

_FEWEST = 3
_SHARE, _ANSWERED_SHARE = 0.8, 0.1
"""Shares of the questions: with some options emphasised in a meaningful way; with an answer in words, above which the type adds nothing."""
_ASKING = 0.3
"""Share of the parts that must ask something if no words state an answer."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "dt")
_LINE_TAGS = (
    "p",
    "div",
    "br",
    "li",
    "dd",
    *_HEADINGS,
    "details",
    "summary",
    "blockquote",
    "header",
    "main",
    "section",
    "article",
    "footer",
)
_STATED = re.compile(rf"{NAMES}(?:\s?[:：]|[是为]\s?[:：]?)?\s?", re.IGNORECASE)
_MINE = re.compile(
    r"(?:我|你|您|学生|考生|学员|用户|本人)的?(?:答案|作答|回答|选择|选项|答题)|(?:your|my|user)\s?(?:answer|choice)", re.IGNORECASE
)
_BESIDE = re.compile(r"(?:总?得分|分值|难度|正确率|错误率|作答|答题|用时|答对|做对|易错项|统计|score\b)", re.IGNORECASE)
"""A visitor's answer, and other text beside an answer that is not part of it."""
_LETTERS = re.compile(r"\s{0,9}[A-J](?:[\s,，、;；]{0,3}[A-J]){0,9}\s{0,9}")
_KEY_CLASS = re.compile(r"(?:right|correct|true|std|standard)?[-_]?(?:answers?|ans|key|daan|solution)", re.IGNORECASE)
_OWN_CLASS = re.compile(r"(?:my|your?|user|stu(?:dent)?|mine|own|wrong|input|select(?:ed)?)(?:[-_]|$)|(?:my|user|stu)(?:Ans|ans)")
_NUMBER = re.compile(r"\s{0,3}(?:第\s?\d{1,5}\s?题\s?[.．、:：)）]?|\d{1,5}\s?[.．、:：)）])\s{0,3}(?=\D)")
"""The number of a question, only at the start: other numbers are part of it (`女，32岁`)."""


_NUMBER_ALONE = re.compile(r"\s{0,99}(?:第\s?)?(?P<number>\d{1,4})\s?(?:题|[.．、)）])?\s{0,9}\n\s{0,99}")


class _PageQuestion(Struct):
    """One question: the text before its options in pieces, the options, and the text after them; the text before them as a whole."""

    pieces: list[Piece]
    options: list[Any]
    after: str
    attributes: dict[str, str]
    key: str = ""
    """Letters in an element that only its class shows to be an answer."""
    before: str = ""

    def __post_init__(self) -> None:
        self.before = _text(self.pieces)


def questions_of_page(text: str) -> Rows | None:
    """Return the parts of a page that have the same structure around a list of options; None if there are not several."""
    document = document_of_page(text)
    drop_controls(document)
    _part_terms(document)
    list_fields(document)
    groups = [group for each in list(document.iter(etree.Element)) if (group := options_in(each, (*TAGS, "tr")))]
    group_counts = Counter(above for parent, _ in groups for above in [parent, *parent.iterancestors()])
    tops: dict[HtmlElement, list[HtmlElement]] = {}
    for parent, options in groups:
        top = parent
        while (above := top.getparent()) is not None and group_counts[above] == 1:
            top = above
        tops[top] = options
    alike = Counter((top.getparent(), top.tag) for top in tops)
    sets = {top: options for top, options in tops.items() if alike[top.getparent(), top.tag] >= _FEWEST}
    parts = [_part_of(top, sets.get(top, [])) for top in _with_statements(sets)]
    if not any(part.before.strip() for part in parts):
        parts = [part for parent in dict.fromkeys(top.getparent() for top in sets) for part in _parts_between(parent, sets)]
    if len(parts) < _FEWEST:
        return None
    for part in parts:
        without_counts(part.options)
    _key_restated(parts)
    stems, unclear = without_labels([part.pieces for part in parts])
    for part, stem in zip(parts, stems, strict=True):
        part.before = stem if stem.strip() else part.before
    numbered = _are_numbered(parts)
    labels = labels_of(stems)
    rows = [(f"part:{number}", _row(part, numbered, labels)) for number, part in enumerate(parts)]
    for index in unclear:
        rows[index][1][UNCLEAR] = rows[index][1]["stem"]
    lines = words_of(document).split("\n")
    if not any(map(is_answer_sheet, lines)):
        _mark_right(rows, parts, styled_classes(text), lines)
    if any("答案" in row for _, row in rows) or sum(is_worded_as_question(flat(row["stem"])) for _, row in rows) >= _ASKING * len(rows):
        return Rows((), rows)
    return None  # a to-do list, or points some of which are bold


def _with_statements(sets: dict[HtmlElement, list[HtmlElement]]) -> list[HtmlElement]:
    """Return elements that contain options, and similar siblings that state an answer but have none: statements."""
    alike = {(top.getparent(), top.tag, top.get("class")) for top in sets}
    elements = []
    for parent in dict.fromkeys(parent for parent, _, _ in alike):
        elements += [
            child
            for child in parent.iterchildren()
            if child in sets or ((parent, child.tag, child.get("class")) in alike and _says_answer(child) and len(child))
        ]
    return elements


def _says_answer(element: Any) -> bool:
    """Return whether lines of an element state an answer, below others that may be a stem."""
    lines = [line for line in (" ".join(line.split()) for line in _text(_sides([element], [], set())[0]).split("\n")) if line]
    return any(SURELY_STATED.match(line) for line in lines[1:])


def _part_terms(document: HtmlElement) -> None:
    """Put each term of a definition list into its own element, and its definitions into a list: a question and its options."""
    for terms in list(document.iter("dl")):
        children = [child for child in terms if isinstance(child.tag, str)]
        starts = [index for index, child in enumerate(children) if child.tag == "dt"]
        runs = [children[start:end] for start, end in pairwise([*starts, len(children)])]
        if (
            len(runs) < _FEWEST
            or sum(len(run) > 2 for run in runs) * 2 < len(runs)
            or any(child.tag not in ("dt", "dd") for child in children)
        ):
            continue
        for term, *definitions in runs:
            part, options = etree.SubElement(terms, "div"), etree.Element("ul")
            part.append(term)
            part.append(options)
            options.extend(definitions)


def _part_of(top: Any, options: list[Any]) -> _PageQuestion:
    """Return the question of one element."""
    inside = {each for option in options for each in option.iter()}
    sides = _sides([top], options, inside)
    attributes = {
        f"@{key}": value
        for each in top.iter(etree.Element)
        if each not in inside
        for key, value in each.attrib.items()
        if key.startswith("data-")
    }
    return _PageQuestion(*sides, attributes, _key_in(top, inside))


def _key_in(top: Any, inside: set[Any]) -> str:
    """Return the letters in the one element of a question whose class marks it as its answer."""
    keys = [
        words.strip()
        for each in top.iter(etree.Element)
        if each not in inside
        and any(_KEY_CLASS.fullmatch(name) for name in (each.get("class") or "").split())
        and not _OWN_CLASS.search(each.get("class") or "")
        and _LETTERS.fullmatch(words := words_of(each))
    ]
    return keys[0] if len(set(keys)) == 1 else ""


def _key_restated(parts: Sequence[_PageQuestion]) -> None:
    """Take the letters of the right options from the last of the options, or the line below them, where that repeats one of the others."""
    asked = [part for part in parts if part.options and not SURELY_STATED.search(part.after)]
    texts = [[bare_option(option_words(option)) for option in part.options] for part in asked]
    below = [next((line for line in part.after.split("\n") if line.strip()), "") for part in asked]
    if keys := restated([each[:-1] for each in texts], [option_words(part.options[-1]) for part in asked]):
        for part, key in zip(asked, keys, strict=True):
            part.key = part.key or key
            part.options = part.options[:-1] if key else part.options
    elif keys := restated(texts, below):
        for part, key in zip(asked, keys, strict=True):
            part.key = part.key or key


def _parts_between(parent: Any, sets: dict[HtmlElement, list[HtmlElement]]) -> Iterator[_PageQuestion]:
    """Yield the questions whose stem, options and answer are siblings in one element; none if a stem is unclear."""
    gaps: list[list[Any]] = [[]]
    lists: list[Any] = []
    for child in parent:
        if child in sets:
            lists.append(child)
            gaps.append([])
        elif isinstance(child.tag, str):
            gaps[-1].append(child)
    if len(lists) < _FEWEST or not gaps[0]:
        return
    starts = _starts(gaps[:-1])
    for index, top in enumerate(lists):
        if starts[index] is None:
            continue
        behind = gaps[index + 1]
        end = starts[index + 1] if index + 1 < len(lists) and starts[index + 1] is not None else len(behind)
        if index + 1 == len(lists):
            end = next((at for at, each in enumerate(behind) if _ends(each)), len(behind))
        inside = {each for option in sets[top] for each in option.iter()}
        yield _PageQuestion(*_sides([*gaps[index][starts[index] :], top, *behind[:end]], sets[top], inside), {})


def _ends(element: Any) -> bool:
    """Return whether an element after the last question is not part of it: a heading without an answer, or a table."""
    return element.tag == "table" or (element.tag in _HEADINGS and not _STATED.match(words_of(element)))


def _starts(gaps: Sequence[Sequence[Any]]) -> list[int | None]:
    """Return, for the elements before each list, where its question begins: at a tag that each has once, else after the previous answer."""
    names = dict.fromkeys(each.tag for gap in gaps for each in gap)
    for name in sorted(names, key=lambda name: name not in _HEADINGS):
        counts = [sum(each.tag == name for each in gap) for gap in gaps]
        if counts[0] and all(count == 1 for count in counts[1:]) and (name in _HEADINGS or all(len(gap) == 1 for gap in gaps[1:])):
            return [max(at for at, each in enumerate(gap) if each.tag == name) for gap in gaps]
    starts: list[int | None] = []
    for gap in gaps:
        stated = [at for at, each in enumerate(gap) if SURELY_STATED.match(words_of(each))]
        start = stated[-1] + 1 if stated else len(gap) - 1
        starts.append(start if start == len(gap) - 1 else None)
    return starts


def _sides(elements: Sequence[Any], options: list[Any], inside: set[Any]) -> tuple[list[Piece], list[Any], str]:
    """Return the pieces of text before the options of elements, the options, and the text after them."""
    before: list[Piece] = []
    after: list[str] = []
    past_options = False
    orders: dict[Any, dict[Any, int]] = {}
    for top in elements:
        for kind, element in etree.iterwalk(top, events=("start", "end")):
            if element in inside:
                past_options = True
                if element in options and kind == "end" and (element.tail or "").strip():
                    after.append(element.tail)
                continue
            words = element.text if kind == "start" else element.tail if element is not top else None
            if not isinstance(element.tag, str):
                words = element.tail if kind == "end" and element is not top else None
            texts = ["\n"] * (element.tag in _LINE_TAGS)
            if words and not past_options and words.strip().isdigit() and not _text(before).strip():
                words += "\n"  # a number in its own element
            texts += [words] if words else []
            if past_options:
                after += texts
            elif texts:
                is_own = kind == "start" and isinstance(element.tag, str)
                way, holder = place_of(element if is_own else element.getparent(), elements)
                order = orders.setdefault(way, {})
                place = (*way, str(order.setdefault(holder, len(order))))
                before += [Piece(place if each.strip() else (), each, holder.tag in _LINE_TAGS) for each in texts]
    return before, options, "".join(after)


def _text(pieces: Iterable[Piece]) -> str:
    return "".join(piece.words for piece in pieces)


def _are_numbered(parts: Sequence[_PageQuestion]) -> bool:
    """Return whether each question begins with its number in its own element, and the numbers are consecutive."""
    numbers = [int(number["number"]) if (number := _NUMBER_ALONE.match(part.before)) else 0 for part in parts]
    steps = sum(after == before + 1 for before, after in pairwise(numbers))
    return bool(numbers[0]) and steps >= _SHARE * (len(numbers) - 1)


def _row(part: _PageQuestion, numbered: bool, labels: Set[str] = frozenset()) -> dict[str, Any]:
    called = [is_called_right(option) for option in part.options]
    marked = [is_marked_right(option) or (call and not all(called)) for option, call in zip(part.options, called, strict=True)]
    texts = [option_words(option) for option in part.options]
    before, above = _answer_above(part.before)
    stem, kind = _stem_of(_without_labels(before, labels), numbered)
    stated = _stated(above) | _stated(part.after) | ({"答案": part.key} if part.key else {}) | ({"题型": kind} if kind else {})
    if "答案" not in stated and texts:
        texts, ticked = ticked_options(texts)
        marked = marked if any(marked) else ticked
    options = _with_marks(texts, marked) if any(marked) else texts
    return {"stem": stem, "options": options} | part.attributes | stated


def _without_labels(before: str, labels: Set[str]) -> str:
    """Return the text of a stem without labels and the visitor's answer, unless nothing else is in it."""
    lines = before.split("\n")
    words = [line for line in lines if label_of(line) not in labels and not _MINE.match(" ".join(line.split()))]
    return "\n".join(words) if any(line.strip() for line in words) else before


def _answer_above(before: str) -> tuple[str, str]:
    """Return the text of a stem, and the lines below its first that state its answer: the properties of an Org heading."""
    lines = before.split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    answer_lines = [index for index, line in enumerate(lines) if index > first and SURELY_STATED.match(" ".join(line.split()))]
    return "\n".join(line for index, line in enumerate(lines) if index not in answer_lines), "\n".join(
        lines[index] for index in answer_lines
    )


def _stem_of(before: str, numbered: bool) -> tuple[str, str]:
    """Return the text of a stem on one line, without its number, and the kind of question above it."""
    alone = _NUMBER_ALONE.match(before) if numbered else None
    kind, words = "", list[str]()
    for line in (" ".join(line.split()) for line in before[alone.end() if alone else 0 :].split("\n")):
        number = None if words else _NUMBER.match(line)
        line = line[number.end() :] if number else line
        if not words and (tag := KIND.fullmatch(flat(line))):
            kind = tag["kind"] or kind
        elif line and not (not words and (SCORE.fullmatch(flat(line)) or (number and not line.strip()))):
            words.append(line)
    return " ".join(words), kind


def _with_marks(texts: Sequence[str], marked: Sequence[bool]) -> list[dict[str, Any]]:
    return [{"text": text, "right": int(right)} for text, right in zip(texts, marked, strict=True)]


def _mark_right(
    rows: Sequence[tuple[str, dict[str, Any]]], parts: Sequence[_PageQuestion], styles: dict[str, str], lines: Sequence[str]
) -> None:
    """Mark the options that stand out alone in question after question, if no words and no class state which are correct."""
    if any(row["options"] and isinstance(row["options"][0], dict) for _, row in rows) or sum(
        "答案" in row for _, row in rows
    ) > _ANSWERED_SHARE * len(rows):
        return
    right = standing_out([[_faces(option, styles) for option in part.options] for part in parts], least=_SHARE)
    if right is None:
        return
    means_answers = right.kind.startswith(MEANT) or stated_in(lines)
    for (_, row), marked in zip(rows, right.marked, strict=True):
        if means_answers or not all(marked):  # if all are bold, it is only emphasis
            row["options"] = _with_marks(row["options"], marked)


def _faces(option: Any, styles: dict[str, str]) -> set[str]:
    """Return how all words of an option except its letter are emphasised."""
    words = bare_words(option)
    faces = set()
    for element in option.iter(etree.Element):
        if bare_words(element) == words:
            rest = "".join(f' {key}="{value}"' for key, value in element.attrib.items())
            faces.add(face_of(element.tag, rest, styles))
    return faces - {""}


def _stated(text: str) -> dict[str, str]:
    """Return answer and explanation as stated by the text below a question; a visitor's answer is neither."""
    stated: dict[str, str] = {}
    name = ""
    for line in filter(None, (" ".join(line.split()) for line in text.split("\n"))):
        if _MINE.match(line) or (name == "答案" and _BESIDE.match(line)):
            name = ""
            continue
        if label := _STATED.match(line):
            name = "答案" if label["answer"] else "解析"
            line = line[label.end() :]
        if name == "答案" and (aside := _MINE.search(line) or _BESIDE.search(line)):
            line = line[: aside.start()].strip()
        if name and line:
            stated[name] = f"{stated[name]}\n{line}" if name in stated else line
    return stated
