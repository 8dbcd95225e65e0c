"""A line normalized for matching, and the labels that separate a question from its answer and its explanation."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import BuiltinMethodType
from typing import Any, TypeVar, cast

from atomexam.text.numerals import HANZI
from atomexam.text.verdicts import VERDICT
from crawlers.read.vocabulary.words import OWN_ANSWER_NAME, any_of, firsts, lasts, words_of

Numbered = tuple[int, str]
"""A line with its index in the source."""
IMAGE = "\ufffc"
"""Placeholder of an image in a line, so that a question of only images is still found."""

POINTERS = "👉👈→➜➡☞☛⇒▶➔➤►▸"
"""Symbols that point to an answer."""
_TRADITIONAL = dict(zip("選擇題單項參斷簡論問備幹釋詳標準個兩對錯誤確", "选择题单项参断简论问备干释详标准个两对错误确", strict=True))
_FLAT: dict[str, str] = {
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys("\t\xa0\u3000\u2002\u2003\u2009\u202f", " "),
    **dict.fromkeys([*map(chr, range(0x2500, 0x2580)), *"~～—–－−‐‑―至到"], "-"),
    **dict.fromkeys("│┃║┆┇┊┋╎╏", "|"),
    **dict.fromkeys("✓✔☑✅", "√"),
    **dict.fromkeys("✗✘☒✕✖╳❌❎", "×"),
    **dict(zip(map(chr, range(0x2160, 0x216A)), HANZI, strict=True)),
    **_TRADITIONAL,
    **{"〔": "[", "〕": "]", "﹒": ".", "﹑": "、"},
}
_UNSEEN = dict.fromkeys([0xAD, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065)])
_ANY_FLAT, _ANY_UNSEEN = (re.compile(f"[{re.escape(''.join(signs))}]") for signs in (_FLAT, map(chr, _UNSEEN)))
"""The characters to replace; a line has few of them, so a pattern finds them faster than a translation would."""

LETTERS = r"[A-Ja-j](?:[ ,、;./|+&和及与]{0,3}[A-Ja-j]){0,9}"
"""Answer letters as people write them."""
WHOLE_ANSWER = re.compile(rf"[(\[【]?\s?(?:{LETTERS}|{VERDICT})\s?[)\]】]?(?:项|选项)?[\s。.;,]*")
"""A complete answer in letters, or a verdict."""
_ANSWER = (
    rf"(?:[Aa]nswers?[\s/]{{0,3}})?(?:{any_of('before_answer')})?的?(?:参考|正确|标准)?(?:{any_of('answer')})"
    r"(?:[\s/]{0,3}[Aa]nswers?(?=\s?:))?"
)
_EXPLAINED = rf"{any_of('explanation')}|[^】\])]{{0,4}}(?:解析|分析|精析|详解)"
_REMARK = rf"{any_of('remark')}|{OWN_ANSWER_NAME}|[已所]选(?:答案|选项)"
_WHOLE = rf"[(\[]?\s?(?:{LETTERS}|{VERDICT})\s?[)\]]?[。.;,]?\s{{0,3}}(?:$|【|\[|\(?(?:{any_of('reason')}|\d分))"
_BEGINS = firsts("before_answer", "answer", "answer_with_colon", "answer_in_english", "remark", "someone")
_REASON = r"(?:试题|答案|本题|参考)?(?:解析|详解)\s?:\s?"
# A group's name begins with the kind of mark: answer, explanation, remark, question, options.
_MARK = re.compile(
    rf"(?=[【\[<(\s的解详已所故=\-{POINTERS}{_BEGINS}]|^)(?:"  # fail early: nothing begins here
    # 【答案】 【解析】 【难度】 【题干】 【选项】 【答案：B】 (答案)
    rf"[【\[<]\s?(?:(?P<a1>\d{{0,3}}题?{_ANSWER}(?:及评分标准)?|{any_of('answer_in_brackets')})"
    rf"|(?P<e1>{_EXPLAINED}|{any_of('explanation_in_brackets')})|(?P<r1>{_REMARK})|(?P<q1>{any_of('stem')})|(?P<o1>{any_of('options')}))"
    rf"\s?(?:[】\]>]\s?:?|:)\s?|\((?P<a2>{_ANSWER})\)\s?:?\s?"
    # …（答案：B） at the end of a line
    rf"|\(\s?(?P<a7>{_ANSWER}\s?:\s?)(?=(?:{LETTERS}|{VERDICT})\s?\)\s?[。;]?\s{{0,9}}$)"
    # → B, → 答案：B, with a pointing sign
    rf"|(?:^|(?<=[^\d\sA-J]))\s{{0,12}}(?P<a8>(?:[{POINTERS}]\ufe0f?|[=-]>)\s{{0,4}}"
    rf"(?:(?:[【\[(]?\s?{_ANSWER}\s?[】\])]?|选)?\s?:?\s{{0,3}}(?={_WHOLE})|[【\[(]?\s?{_ANSWER}\s?(?:[】\])]\s?:?|:)\s?))"
    # 答案：, 解析：, 难度：, at the start of a line or after the end of a word
    rf"|(?:^|(?<=[\s。;.、)】√×]))[(\[]?(?:(?P<a3>{_ANSWER}(?:要点)?\s?[为是应]{{0,2}}\s?:\s?|(?:{any_of('answer_with_colon')})\s?:\s?"
    rf"|(?:{any_of('answer_in_english')})\s?[:.]\s?)|(?P<e2>{_REASON})|(?P<r2>(?:{_REMARK})\s?:))"
    # 您选择的是B，正确答案是A
    r"|^(?P<r3>(?:我|你|您)(?:选择?|作答|回答|填写?)的(?:答案)?(?:是|为)?\s?:?\s?)(?=[A-J]{1,6}(?:[\s,。;]|$))"
    # 肘部答案:C。因为: directly after the last option
    rf"|(?<=[\u4e00-\u9fff℃%\w])(?P<a6>{_ANSWER}\s?:\s?)(?=[A-J]{{1,6}}。)"
    # 答案 B, 故选B: only before letters or a verdict; in 最合适的答案是（B） the word and the brackets belong to the stem
    rf"|(?P<a4>(?:(?:^|(?<=[\s。;.、)】√×?!:题]))|(?!{_ANSWER}\s?(?:[为是选]{{0,2}}\s?[(\[]|是\s?$))){_ANSWER}\s?[为是选]{{0,2}}\s?:?\s?"
    rf"|[Aa]nswer\s?:?\s?|故?本题(?:正确)?(?:答案)?应?选\s?:?\s?|^(?:故|因此|所以)?应?选\s?:?\s?)(?={_WHOLE})"
    rf"|(?<=[A-J√×)])\s{{0,3}}(?P<e3>{_REASON})|^(?P<a5>参考\s?:\s?)"
    rf"|^\s?(?P<e4>(?:{_EXPLAINED})\s?:\s?|(?:解析|详解)\s(?=\S)|(?:{any_of('explainer')})?(?:解析|详解|分析)$))"
)
_OPENS_MARK = f"【[<>答选解析{POINTERS}"
_MAY_MARK = re.compile(
    "|".join(
        [*map(re.escape, _OPENS_MARK), *(word for word in words_of("answer", "answer_in_english") if not set(word) & set(_OPENS_MARK))]
    )
)
_MAY_MARK_BY_COLON = re.compile(rf"[】\]>填]|[考{lasts('remark', 'explanation', 'answer_with_colon')}]\s?:")
"""Every mark matches one of these; the second applies only to lines with a colon. Each alternative of the first begins with a single
character, so that all are searched for at once.
"""
_KINDS = {"a": "answer", "e": "explanation", "r": "remark", "q": "text", "o": "text"}
_BRACKETS = {"【": "】", "[": "]", "(": ")", "<": ">"}
T = TypeVar("T")
_MOST = 1 << 20
"""Number of lines whose results are cached: enough for a paper of 100,000 questions."""
_MOST_RETAINED = 1 << 16
_MOST_SHOWN = 40


class _LineMemo(dict[str, T]):
    """Cached results of a function by line; cleared when there are too many."""

    def __init__(self, function: Callable[[str], T]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, line: str) -> T:
        if len(self) >= _MOST:
            self.clear()
        result = self[line] = self._function(line)
        return result


def per_line(function: Callable[[str], T]) -> Callable[[str], T]:
    """Cache the results of a function by line.

    A lookup is a plain dict access, since each line is looked up some seventy times; `functools.lru_cache` takes 1.6 times as long and
    more memory.
    """
    return _LineMemo(function).__getitem__


def forget_lines(*functions: Callable[[str], Any]) -> None:
    """Clear large caches, which save most of the time while a paper is read but only take up memory after a large one."""
    for function in functions:
        memo = cast(BuiltinMethodType, function).__self__
        if isinstance(memo, _LineMemo) and len(memo) > _MOST_RETAINED:
            memo.clear()


@per_line
def flat(text: str) -> str:
    """Return the text with each character in plain form, as patterns expect: half-width characters, plain spaces and one kind of dash."""
    return _ANY_FLAT.sub(_flat_sign, text)


def flatten(lines: Sequence[str]) -> None:
    """Compute the flat forms of many lines at once, which takes a tenth of the time; the lines must not contain line breaks."""
    text = "\n".join(lines)
    for sign in _FLAT.keys() & set(text):  # no replacement is itself replaced
        text = text.replace(sign, _FLAT[sign])
    if lines:
        cast(Any, flat).__self__.update(zip(lines, text.split("\n"), strict=True))


def _flat_sign(match: re.Match[str]) -> str:
    return _FLAT[match[0]]


def trimmed(text: str) -> str:
    """Return a line without zero-width characters and surrounding white space."""
    return (text if text.isprintable() else _without_unseen(text)).strip()  # printable text has none of these


def _without_unseen(text: str) -> str:
    return text.translate(_UNSEEN) if _ANY_UNSEEN.search(text) else text


@per_line
def plain(text: str) -> str:
    """Return a line in flat form, without zero-width characters and surrounding white space."""
    return flat(trimmed(text))


def visible(text: str) -> str:
    """Return a text as one line, without zero-width characters and trailing spaces; tabs separate cells.

    Images before the words are moved after them, since they would hide the number or letter that begins the line.
    """
    line = (text if text.isprintable() else _without_unseen(text.replace("\n", " "))).rstrip("\r ")
    if IMAGE not in line:
        return line
    words = line.lstrip(f"{IMAGE} \t")
    if not words or IMAGE not in line[: len(line) - len(words)]:
        return line
    if parts_of(words)[:1] != (("text", words),):
        return words
    return words + IMAGE * line[: len(line) - len(words)].count(IMAGE)


def shown(text: str) -> str:
    """Return the beginning of a text for a message."""
    line = " ".join(text.split())
    return repr(line[:_MOST_SHOWN] + ("…" if len(line) > _MOST_SHOWN else ""))


@per_line
def parts_of(text: str) -> tuple[tuple[str, str], ...]:
    """Split a line at marks such as 【答案】 and 解析： into pairs of kind and text; an empty first text is dropped.

    The kinds are `text`, `answer`, `explanation` and `remark`.
    """
    if not may_mark(flat(text)):
        return (("text", words),) if (words := text.strip()) else ()
    parts, kind, start, closing = [], "text", 0, ""
    for mark in [*_marks(flat(text)), None]:
        parts.append((kind, _closed(text[start : mark.start() if mark else None].strip(), closing)))
        if mark:
            kind, start, closing = _KINDS[(mark.lastgroup or "a")[0]], mark.end(), _closing_of(mark)
    return tuple(part for index, part in enumerate(parts) if part[1] or (part[0] != "text" and index))


def _closing_of(mark: re.Match[str]) -> str:
    """Return the bracket that a mark closes only after its text: `【答案：B】`."""
    opening = _BRACKETS.get(mark[0].lstrip()[:1] or " ", "")
    return opening if opening and opening not in mark[0] else ""


def _closed(words: str, closing: str) -> str:
    """Return the text of a mark without the closing bracket."""
    bare = words.rstrip("。；; ")
    return bare[:-1].rstrip() if closing and flat(bare[-1:]) == closing else words


def has_part(text: str, kind: str) -> bool:
    """Return whether a line has a part of the given kind."""
    parts = parts_of(text)
    return parts[0][0] == kind if len(parts) == 1 else kind in [own for own, _ in parts]


def is_marked(text: str) -> bool:
    """Return whether a line has a mark."""
    parts = parts_of(text)
    return parts[0][0] != "text" if len(parts) == 1 else any(kind != "text" for kind, _ in parts)


def has_mark(line: str) -> bool:
    """Return whether a flat line has a mark, including marks of the question itself."""
    return may_mark(line) and _MARK.search(line) is not None


def opening_mark(line: str) -> str:
    """Return the kind of the mark that begins a flat text; `text` if words precede the first mark."""
    kind, start = "text", 0
    for mark in _marks(line):
        if kind != "text" or line[start : mark.start()].strip():
            return kind
        kind, start = _KINDS[(mark.lastgroup or "a")[0]], mark.end()
    return kind


def _marks(line: str) -> Iterable[re.Match[str]]:
    return _MARK.finditer(line) if may_mark(line) else ()


def may_mark(line: str) -> bool:
    """Return whether a flat line has a character that every mark contains; few lines without marks have one."""
    return _MAY_MARK.search(line) is not None or (":" in line and _MAY_MARK_BY_COLON.search(line) is not None)


def marks_in(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the marks in a line: the kind, the mark's text in flat form, and the index where it begins."""
    for mark in _marks(flat(text)):
        yield _KINDS[(mark.lastgroup or "a")[0]], mark[0].strip(), mark.start()


def columns_of(text: str) -> int:
    """Return how many columns a text takes in a fixed-width layout."""
    return len(text) if text.isascii() else sum(map(_WIDTHS.__getitem__, text))


class _Widths(dict[str, int]):
    """Width of each character encountered so far."""

    def __missing__(self, sign: str) -> int:
        self[sign] = 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        return self[sign]


_WIDTHS = _Widths()
