"""The signs in an exam paper's text in one form, used for matching, and the marks that separate a question from its answer."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from atomexam.text.numerals import HANZI
from atomexam.text.verdicts import VERDICT
from crawlers.papers.signs.line_memo import per_line, remember_lines

Numbered = tuple[int, str]
"""A line with its place in the source."""
IMAGE = "\ufffc"
"""Placeholder of an image in a line of text, so that a question of only images is still seen."""

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
"""A line has few of these signs, which a pattern finds faster than a translation."""

LETTERS = r"[A-Ja-j](?:[ ,、;./|+&和及与]{0,3}[A-Ja-j]){0,9}"
"""Letters of an answer as people write them."""
WHOLE_ANSWER = re.compile(rf"[(\[【]?\s?(?:{LETTERS}|{VERDICT})\s?[)\]】]?(?:项|选项)?[\s。.;,]*")
"""An answer that is complete with its letters or its verdict."""

_ANSWER = (
    r"(?:[Aa]nswers?[\s/]{0,3})?(?:参考|正确|标准|本[题章节页课组]|本单元|试题|考题|最佳|该题|此题)?(?:的)?(?:(?:参考|正确|标准)?答案|正解|标答)"
    r"(?:[\s/]{0,3}[Aa]nswers?(?=\s?:))?"
)
_EXPLAINED = (
    "解析|分析|详解|点评|解题思路|解题指导|考点|考查点|考察点|解释|笔记|我的笔记|评析|知识点|思路|试题解析|答案解析|参考解析|名师解析"
    "|[^】\\])]{0,4}(?:解析|分析|精析|详解)"
)
_EXPLAINED_IN_ENGLISH = "Explanation|Rationale|Analysis|Feedback|Reason|Note|Why"
"""Names that are words of a text unless they are in brackets."""
_REMARK = (
    "难度|难易度?|难度系数|分值|得分|章节|来源|出处|(?:我|你|您|考生|学员|学生|同学|用户|本人)的?(?:答案|作答|选择|选项)|(?:已|所)选(?:答案|选项)|正确率|收藏|纠错|题型|页码|教材页码"
    "|能力层次|认知层次|知识模块|编号"
)
_REASON = "解析|难度|试题|因为|因|由于|根据|依据|理由|原因|即|也就是"
_WHOLE = rf"[(\[]?\s?(?:{LETTERS}|{VERDICT})\s?[)\]]?[。.;,]?\s{{0,3}}(?:$|【|\[|\(?(?:{_REASON}|\d分))"
# The name of a group begins with the kind of mark: answer, explanation, remark, question, options.
_MARK = re.compile(
    r"(?=[【\[<(\sAaKk参正标本试考最该此的答主要解详难分得章节来出我你您学同用已所收纠题页教能认知编故官名专老网]"
    r"|^)(?:"  # or nothing begins here
    # 【答案】 【解析】 【难度】 【题干】 【选项】 (答案)
    rf"[【\[<]\s?(?:(?P<a1>\d{{0,3}}题?{_ANSWER}(?:及评分标准)?|答|正确选项|答案要点|[Aa]nswers?|ANSWERS?|[Kk]ey|KEY|[Aa]ns)|(?P<e1>{_EXPLAINED}|{_EXPLAINED_IN_ENGLISH})"
    rf"|(?P<r1>{_REMARK})|(?P<q1>题干|题目|试题|问题|题面)|(?P<o1>选项|备选项|备选答案))\s?[】\]>]\s?:?\s?"
    rf"|\((?P<a2>{_ANSWER})\)\s?:?\s?"
    # 答案：, 解析：, 难度：, at the start of a line or after the end of a word
    rf"|(?:^|(?<=[\s。;.、)】√×]))[(\[]?(?:(?P<a3>{_ANSWER}(?:要点)?\s?(?:[为是应]{{1,2}})?\s?:\s?|答\s?:\s?|(?:答题|参考|主要)?要点\s?:\s?|(?:正确|答案)选项\s?:\s?"
    rf"|(?:[Aa]nswer|ANSWER|[Aa]ns|[Kk]ey)\s?[:.]\s?)|(?P<e2>(?:试题|答案|本题|参考)?(?:解析|详解)\s?:\s?)|(?P<r2>(?:{_REMARK})\s?:))"
    # 您选择的是B，正确答案是A
    rf"|^(?P<r3>(?:我|你|您)(?:选择?|作答|回答|填写?)的(?:答案)?(?:是|为)?\s?:?\s?)(?=[A-J]{{1,6}}(?:[\s,。;]|$))"
    # 肘部答案:C。因为: glued to the last option
    rf"|(?<=[\u4e00-\u9fff℃%\w])(?P<a6>{_ANSWER}\s?:\s?)(?=[A-J]{{1,6}}。)"
    # 答案 B, 故选B: only if letters or a verdict follow; in 最合适的答案是（B） the word belongs to the stem, and the brackets are its
    # blank
    rf"|(?P<a4>(?:(?:^|(?<=[\s。;.、)】√×?!:题]))|(?!{_ANSWER}\s?(?:(?:[为是选]{{1,2}})?\s?[(\[]|是\s?$))){_ANSWER}\s?(?:[为是选]{{1,2}})?\s?:?\s?|[Aa]nswer\s?:?\s?"
    rf"|故?本题(?:正确)?(?:答案)?应?选\s?:?\s?|^(?:故|因此|所以)?应?选\s?:?\s?)(?={_WHOLE})"
    rf"|(?<=[A-J√×)])\s{{0,3}}(?P<e3>(?:试题|答案|本题|参考)?(?:解析|详解)\s?:\s?)"
    rf"|^(?P<a5>参考\s?:\s?)|^\s?(?P<e4>(?:{_EXPLAINED})\s?:\s?|(?:解析|详解)\s(?=\S)|(?:官方|名师|专家|老师|教师|网友|网校|本题|题目)?(?:解析|详解|分析)$))"
)
_MAY_MARK = re.compile(r"【|\[|<|答|选|解|析|Ans|ans|ANS|Key|key")
_MAY_MARK_BY_COLON = re.compile(r"[】\]>填]|[度易数值分节源处率藏错型码次块号评点路考记]\s?:")
"""Something that every mark contains; a line with the latter has a mark only if it has a colon. The alternatives of the former each begin
with one character, so that these are searched all at once.
"""
_KINDS = {"a": "answer", "e": "explanation", "r": "remark", "q": "text", "o": "text"}
_VERDICT_AT_END = re.compile(
    rf"[(\[【]\s{{0,6}}(?P<bracketed>{VERDICT})\s{{0,6}}[)\]】]\s{{0,3}}[。.?]?$|\s(?P<bare>√|×)\s?$|(?P<tight>[√×])$"
    r"|(?<=[\s。.)])\s{0,20}(?P<initial>[TF])$"
)
_VERDICT_AT_START = re.compile(rf"[(\[【]\s{{0,6}}(?P<bracketed>{VERDICT})\s{{0,6}}[)\]】]\s{{0,3}}|(?P<bare>[√×])\s{{0,3}}")


@per_line
def flat(text: str) -> str:
    """Return the text, character for character, with half-width signs, plain spaces and one kind of dash: the form that patterns match."""
    return _ANY_FLAT.sub(_flat_sign, text)


def flatten(lines: Sequence[str]) -> None:
    """Compute the flat forms of many lines together, which takes a tenth of the time; they have no line breaks."""
    text = "\n".join(lines)
    for sign in _FLAT.keys() & set(text):  # none becomes another of these
        text = text.replace(sign, _FLAT[sign])
    if lines:
        remember_lines(flat, lines, text.split("\n"))


def _flat_sign(match: re.Match[str]) -> str:
    return _FLAT[match[0]]


def trimmed(text: str) -> str:
    """Return a line without zero-width characters and surrounding white space."""
    return (text if text.isprintable() else _without_unseen(text)).strip()  # printable text has no such character


def _without_unseen(text: str) -> str:
    return text.translate(_UNSEEN) if _ANY_UNSEEN.search(text) else text


@per_line
def plain(text: str) -> str:
    """Return a line in flat signs, without zero-width characters and surrounding white space."""
    return flat(trimmed(text))


def visible(text: str) -> str:
    """Return a text as one line, without zero-width characters and trailing spaces; tabs separate cells.

    Images before the words are moved after them: they hide the number or the letter that begins the line.
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


@per_line
def parts_of(text: str) -> tuple[tuple[str, str], ...]:
    """Split a line at its marks 【答案】, 解析： … into kinds and words; an empty first text is left out.

    The kinds are `text`, `answer`, `explanation` and `remark`.
    """
    if not may_mark(flat(text)):
        return (("text", words),) if (words := text.strip()) else ()
    parts, kind, start = [], "text", 0
    for mark in _marks(flat(text)):
        parts.append((kind, text[start : mark.start()].strip()))
        kind, start = _KINDS[(mark.lastgroup or "a")[0]], mark.end()
    parts.append((kind, text[start:].strip()))
    return tuple(part for index, part in enumerate(parts) if part[1] or (part[0] != "text" and index))


def has_part(text: str, kind: str) -> bool:
    """Return whether a line has a part of a kind."""
    parts = parts_of(text)
    return parts[0][0] == kind if len(parts) == 1 else kind in [own for own, _ in parts]


def is_marked(text: str) -> bool:
    """Return whether a line has a mark."""
    parts = parts_of(text)
    return parts[0][0] != "text" if len(parts) == 1 else any(kind != "text" for kind, _ in parts)


def has_mark(line: str) -> bool:
    """Return whether a flat line has a mark, of a question's own texts, too."""
    return may_mark(line) and _MARK.search(line) is not None


def opening_mark(line: str) -> str:
    """Return the kind of the mark that begins a flat text, `text` if words precede the first."""
    kind, start = "text", 0
    for mark in _marks(line):
        if kind != "text" or line[start : mark.start()].strip():
            return kind
        kind, start = _KINDS[(mark.lastgroup or "a")[0]], mark.end()
    return kind


def _marks(line: str) -> Iterable[re.Match[str]]:
    return _MARK.finditer(line) if may_mark(line) else ()


def may_mark(line: str) -> bool:
    """Return whether a flat line has a sign that is in every mark, as few lines have that have none."""
    return _MAY_MARK.search(line) is not None or (":" in line and _MAY_MARK_BY_COLON.search(line) is not None)


def marks_in(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the marks of a line: the kind, the words in flat signs, and where the mark begins."""
    for mark in _marks(flat(text)):
        yield _KINDS[(mark.lastgroup or "a")[0]], mark[0].strip(), mark.start()


def verdict_in(text: str, start: int = 0) -> tuple[str, str] | None:
    """Return a stem without the verdict at its end or after its number, and the verdict: `……。（√）`, `3.(√)……`, `…… √`.

    `start` is where the words begin after the number.
    """
    line = flat(text)
    if match := _VERDICT_AT_END.search(line, start):
        index = match.start(match.lastgroup or 0)
        return text[: match.start()].strip(), text[index : match.end(match.lastgroup or 0)]
    if match := _VERDICT_AT_START.match(line, start):
        index = match.start(match.lastgroup or 0)
        return text[:start] + text[match.end() :], text[index : match.end(match.lastgroup or 0)]
    return None


def columns_of(text: str) -> int:
    """Return how many columns of a typed page a text takes."""
    return len(text) if text.isascii() else sum(map(_WIDTHS.__getitem__, text))


class _Widths(dict[str, int]):
    """Columns of each character encountered."""

    def __missing__(self, sign: str) -> int:
        self[sign] = 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        return self[sign]


_WIDTHS = _Widths()
