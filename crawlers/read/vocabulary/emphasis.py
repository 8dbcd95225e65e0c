"""Emphasis (bold, colour, strike-through and classes, which containers pass on as marker characters), and the options that it marks as
right.

A container provides each line twice: unchanged, and with tags around emphasized words, `<colour #ff0000>甲</>`, where `<` in the text is
replaced with `LESS`. A mark counts if it is on some but not all options of nearly every question, and if in only a few questions another
mark, such as a reader's own choice, is on other options. Otherwise, no conclusion is drawn.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence, Set

from msgspec import Struct

from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.options import letter_of

_FIRST_SIGN, END_SIGN, _MAX_KINDS, _MAX_OPEN = 0xE100, "\ue0ff", 200, 20
LESS = "\ue0fe"
"""Replacement for `<` in the text between tags."""
STRUCK = "struck"
"""Strike-through, which marks wrong options."""
OF_TYPE = ("bold", "underlined", "slanted", "left")
"""Bold, underline, italics and the absence of strike-through, which are used for other purposes more often than colour."""
MEANT = ("colour", "class", "mark")
"""Marks that indicate answers even if all options of a question have them; bold on all options may be mere emphasis."""

SIGNS = re.compile(f"[{END_SIGN}-{chr(_FIRST_SIGN + _MAX_KINDS)}]")
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,15})(?P<rest>(?:\s[^<>]{0,600})?)/?>")
_FACES = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("u", "ins"), "underlined"),
    **dict.fromkeys(("em", "i"), "slanted"),
    **dict.fromkeys(("s", "del", "strike"), STRUCK),
    "mark": "mark",
}
_CARRIERS = {*_FACES, "font", "span", "a", "label", "li", "div", "p", "td", "dd"}
_RAISED = {"sup", "sub"}
_COLOUR = re.compile(
    r"(?:\bcolor\s*=\s*[\"']?|(?<![\w-])(?:background(?:-color)?|color)\s*:\s*)(?P<colour>#[0-9a-fA-F]{3,8}|rgba?\([\d\s,.%]{5,40}\)|[a-zA-Z]{3,20})"
)
_HEAVY = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.I)
RIGHT_CLASS = (
    r"(?:(?:is|option|opt|answer|ans|item)[-_])?(?:correct|right|true|ok)(?:[-_](?:answer|option|ans|item))?"
    r"|(?:std|standard|key)[-_]?(?:answer|ans)|zhengque"
)
"""Class names that pages use for a correct option."""
_CLASS = re.compile(rf"\bclass\s*+=\s*+[\"']?[^\"'<>]{{0,200}}?(?<![\w-])(?P<name>{RIGHT_CLASS})(?![\w-])", re.I)
_LINED = re.compile(r"text-decoration(?:-line)?\s{0,3}:\s{0,3}(?:[a-z]{1,9}\s{1,3})?(?P<line>underline|line-through)", re.I)
_RIGHT_CLASS = re.compile(r"\bdata-(?:is-?)?(?:correct|right|answer|ok|key)\s*=\s*[\"']?(?:true|1)\b", re.I)
_PLAIN_COLOURS = re.compile(
    r"black|inherit|initial|none|unset|transparent|url|linear|repeating"
    r"|gr[ae]y|white|#0{3,8}|#([0-9a-f])\1{2}|#([0-9a-f]{2})\2{2}|rgba?\(\s*(\d+)\s*,\s*\3\s*,\s*\3\b.*",
    re.I,
)
_NAMED = re.compile(
    r"<(?:(?P<end>/[a-zA-Z0-9]{0,15})|(?P<kind>(?:class|colour) [^<>]{1,60}|bold|underlined|mark|slanted|struck)"
    r"|(?P<name>font|span|b|strong|u|em|mark|i|s|del|strike)(?P<rest>(?:\s[^<>]{0,600})?))\s?>"
)
_MARKDOWN = re.compile(r"\*\*(?=\S)|(?<=\S)\*\*|==(?=\S)|(?<=\S)==")
_ANSWER_SHEET = re.compile(r"的答卷|(?:[做作答]题|作答)记录|我的作答|(?:^|\s)(?:总?得分|成绩)\s?:\s?\d")
_STATED = re.compile(
    r"(?:加粗|粗体|黑体|粗字|划线|标红|标黄|标色|高亮|着色|[红蓝绿黄]色|[红蓝绿黄]字|斜体)[^。;；\n]{0,8}(?:[是为即]|表示|代表)[^。;；\n]{0,6}(?:答案|正确)"
)
"""A statement that emphasis marks the answers: `加粗的选项为正确答案`."""
_LONGEST_NOTE = 80
_ANSWER_BEHIND = re.compile(r"\S\s?\(\s?(?:正确答案|正确选项)\s?\)(?!\s?[A-J]{1,6}(?:\s|$))")
_LEFT = "left"
"""The mark of options that are not struck through."""
_FEWEST, _SHARE = 2, 0.6
_FEWEST_OF_TYPE, _SHARE_OF_TYPE = 4, 0.8
"""Minimum number and share for bold, underline and italics, which are used for other purposes more often than colour."""
_FEWEST_LAST = 8
"""Number of questions with a mark on only the last option, from which it belongs to the text below the options, such as a worded answer."""
_WRONG = 0.9
"""Share of questions with a mark on all options but one, from which the mark may mean a wrong option."""
_OTHERS = 0.2
"""Maximum share of questions in which another mark may be on other options."""
_RIGHT = re.compile(r"class|green|#0[0-9a-f]?[8-f]", re.I)
"""Marks that mean a right option by themselves."""


class StandingOut(Struct):
    """The mark of the right options, and the marked options of each question."""

    kind: str
    marked: list[list[bool]]


def standing_out(questions: Sequence[Sequence[Set[str]]], unfit: Collection[str] = ()) -> StandingOut | None:
    """Return which options are marked as right; None if this is uncertain.

    Args:
        questions: for each question, the marks of each of its options.
        unfit: marks that are known not to mark options.
    """
    known = _with_left(questions)
    some: Counter[str] = Counter()
    last: Counter[str] = Counter()
    but_one: Counter[str] = Counter()
    for options in known:
        counts = Counter(kind for kinds in options for kind in kinds if kind)
        some.update(kind for kind, count in counts.items() if count < len(options))
        last.update(kind for kind, count in counts.items() if count == 1 and kind in options[-1])
        but_one.update(kind for kind, count in counts.items() if 1 < count == len(options) - 1)
    candidates = [
        kind
        for kind, count in sorted(some.items(), key=lambda each: (-each[1], each[0] in OF_TYPE, each[0]))
        if kind not in unfit
        and kind != STRUCK
        and count >= _least(kind, len(known))
        and but_one[kind] < _WRONG * len(known)
        and not _FEWEST_LAST <= count == last[kind]
    ]
    right = [kind for kind in candidates if _RIGHT.search(kind)]
    marked = {kind: [[kind in kinds for kinds in options] for options in known] for kind in candidates}
    if right and all(marked[kind] == marked[right[0]] for kind in right):
        return StandingOut(right[0], marked[right[0]])
    for kind in candidates:
        others = [other for other in some if other != kind and other != STRUCK]
        if all(_beside(known, kind, other) <= _OTHERS * len(known) for other in others):
            return StandingOut(kind, marked[kind])
    return None


def _least(kind: str, questions: int) -> float:
    """Return the minimum number of questions that must have a mark on some options."""
    return max(_FEWEST_OF_TYPE, questions * _SHARE_OF_TYPE) if kind in OF_TYPE else max(_FEWEST, questions * _SHARE)


def _with_left(questions: Sequence[Sequence[Set[str]]]) -> Sequence[Sequence[Set[str]]]:
    """Return the options' marks, with one added to options that are not struck through if most questions have options that are."""
    struck = [sum(STRUCK in kinds for kinds in options) for options in questions]
    if sum(map(bool, struck)) < _SHARE * len(questions):
        return questions
    return [
        [kinds if STRUCK in kinds or not count else {*kinds, _LEFT} for kinds in options] if len(options) > 2 else options
        for count, options in zip(struck, questions, strict=True)
    ]


def _beside(questions: Sequence[Sequence[Set[str]]], kind: str, other: str) -> int:
    """Return the number of questions in which another mark is on some but not all options, including at least one without this mark."""
    return sum(
        any(other in kinds and kind not in kinds for kinds in options) and not all(other in kinds for kinds in options)
        for options in questions
    )


def stated_in(lines: Sequence[str]) -> bool:
    """Return whether a line says that emphasis marks the answers."""
    return any(_STATED.search(line) for line in lines if len(line) < _LONGEST_NOTE)


def is_answer_sheet(line: str) -> bool:
    """Return whether a line is the heading of one person's answers, where emphasis marks their choices, right or wrong."""
    return _ANSWER_SHEET.search(flat(line)) is not None and not letter_of(flat(line))


def with_signs(html: str) -> tuple[str, dict[str, str]]:
    """Return a page with marker characters before and after the text that each tag emphasizes, and the meaning of each marker."""
    if SIGNS.search(html):
        return html, {}
    signs: dict[str, str] = {}
    done: list[str] = []
    open_tags: list[tuple[str, bool]] = []
    end = raised = 0
    for tag in _TAG.finditer(html):
        name = tag["name"].lower()
        raised += (-1 if tag["close"] else 1) if name in _RAISED else 0
        if name not in _CARRIERS or raised > 0:
            continue
        if tag["close"]:
            if open_tags and open_tags[-1][0] == name and open_tags.pop()[1]:
                done += [html[end : tag.start()], END_SIGN]
                end = tag.start()
            continue
        kind = face_of(name, tag["rest"])
        if kind and kind not in signs and len(signs) < _MAX_KINDS:
            signs[kind] = chr(_FIRST_SIGN + len(signs))
        open_tags.append((name, kind in signs))
        if kind in signs:
            done += [html[end : tag.end()], signs[kind]]
            end = tag.end()
    return "".join([*done, html[end:]]), {sign: kind for kind, sign in signs.items()}


def named_signs(signed: Sequence[str], signs: dict[str, str]) -> list[str]:
    """Return the non-empty lines of a page, with tags in place of the markers that `with_signs` added."""
    named = [SIGNS.sub(lambda sign: f"<{signs[sign[0]]}>" if sign[0] in signs else "</>", line.replace("<", LESS)) for line in signed]
    return [name for name, line in zip(named, signed, strict=True) if SIGNS.sub("", line).strip()]


def face_of(name: str, rest: str) -> str:
    """Return how a tag with the attributes `rest` emphasizes its words; empty if it does not."""
    if rest:
        if named_class := _CLASS.search(rest) or _RIGHT_CLASS.search(rest):
            return f"class {named_class.groupdict().get('name', 'told')}"
        for colour in _COLOUR.finditer(rest):
            if not _PLAIN_COLOURS.fullmatch(colour["colour"]):
                return f"colour {re.sub(r'[<>]', '', colour['colour']).lower().replace(' ', '')}"
        if _HEAVY.search(rest):
            return "bold"
        if line := _LINED.search(rest):
            return "underlined" if line["line"].lower() == "underline" else STRUCK
    return _FACES.get(name, "")


def visible_kinds(text: str) -> tuple[str, list[frozenset[str]]]:
    """Return a line without emphasis markers, and the emphasis of each character."""
    if "<" not in text and "**" not in text and "==" not in text:
        return text, [frozenset()] * len(text)
    marks: list[tuple[int, int, re.Match[str] | None]] = [(tag.start(), tag.end(), tag) for tag in _NAMED.finditer(text)]
    marks += [(mark.start(), mark.end(), None) for mark in _MARKDOWN.finditer(text)]
    words, kinds, active, end = "", [], [], 0  # type: str, list[frozenset[str]], list[str], int
    for start, stop, tag in sorted(marks, key=lambda mark: mark[0]):
        if start < end:
            continue
        words += text[end:start]
        kinds += [frozenset(active)] * (start - end)
        end = stop
        if tag is None:
            sign = text[start:stop]
            active = [kind for kind in active if kind != sign] if sign in active else [*active, sign]
        elif tag["end"] is not None:
            active = active[:-1]
        else:
            active = [*active[-_MAX_OPEN:], tag["kind"] or face_of((tag["name"] or "").lower(), tag["rest"] or "")]
    return words + text[end:], kinds + [frozenset(active)] * (len(text) - end)


def is_unread(text: str) -> bool:
    """Return whether a flat text, without its line breaks, still says which option is correct."""
    return ("正确答案" in text or "正确选项" in text) and _ANSWER_BEHIND.search(text) is not None
