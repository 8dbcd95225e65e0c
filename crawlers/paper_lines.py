"""What one line of an exam paper can be: a number and stem, options, an answer, an explanation. From text to values."""

import re

from msgspec import Struct

IMAGE = "\ufffc"
"""Stands for an image in a line of text, so that a question of images alone is still seen."""

_TRADITIONAL = dict(zip("選擇題單項參斷簡論問備幹釋詳標準個兩對錯誤", "选择题单项参断简论问备干释详标准个两对错误", strict=True))
_FLAT = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | dict.fromkeys(map(ord, "\t\xa0\u3000"), " ")
_FLAT |= {ord(old): new for old, new in _TRADITIONAL.items()} | dict.fromkeys(map(ord, "~～—–－−‐至到"), "-")

_MARK = re.compile(
    r"【(?:参考|正确|标准|试题|考题|本题)?(?P<a>答案)】\s*:?\s*|【[^】]{0,4}(?P<e>解析|分析|详解|点评|解题思路)】\s*:?\s*"
    r"|(?:^|(?<=[\s。;.、)]))(?:\[?(?:参考|正确|标准)?(?P<a2>答案)(?:为|是)?\]?\s*:\s*|(?P<a3>答):\s*)"
    r"|(?:参考|正确|标准)?(?P<a4>答案)\s*:\s*(?=[A-J][\sA-J,、]*[。;]?(?:$|【|\[?解析))"
    r"|(?:^|(?<=[\s。;.)A-J√×]))\[?(?:试题|答案|本题|参考)?(?P<e2>解析|详解)\]?\s*:\s*"
)
_KEY_TITLE = re.compile(r"^[【\[(]?.{0,40}?(?:参考|标准|正确|试题)?答案(?:(?:及|与|和)?(?:详细|试题)?(?:解析|解释|详解))?[】\])]?\s*:?$")
_NUMBER = re.compile(
    r"(?P<bare>\d{1,3})\s*(?:[、,:)]\s*\.?|\.(?!\d))\s*|第\s*(?P<ordinal>\d{1,3})\s*题\s*[、.:]?\s*|[(\[【](?P<bracket>\d{1,3})[)\]】]\s*[、.:]?\s*"
)
_TIGHT_NUMBER = re.compile(r"(?P<tight>\d{1,3})(?:\.(?=\d)|\s+(?=\D)|(?=[“《‘\u4e00-\u9fff]))")
_OPTION = re.compile(r"[(\[]?(?P<letter>[A-J])(?:[)\]]\s*[.、:]?|[.、:,])\s*")
_OPTION_BEFORE = " 。;?!)"
_BARE_OPTION = re.compile(r"(?P<letter>[A-J])(?:\s+\S|(?=[“《\u4e00-\u9fff]))")
LETTERS = r"[A-J](?:[\s,、]*[A-J])*[。.;]?"
VERDICT = "√|×|✓|✗|正确|错误|对|错"
_VERDICT = re.compile(rf"\(\s*(?P<verdict>{VERDICT})\s*\)\s*$")


class Number(Struct, frozen=True):
    """The number at the start of a line."""

    value: int
    style: str
    """`bare` (1、 1.), `ordinal` (第1题), `bracket` ((1)) or `tight` (a number without a mark of its own)."""
    end: int
    """Where the text behind it begins."""


def flat(text: str) -> str:
    """Return the text, character for character, with half-width signs, plain blanks and one kind of dash: what patterns are tried on."""
    return text.translate(_FLAT)


def number_of(line: str) -> Number | None:
    """Return the number that a flat line opens with."""
    if match := _NUMBER.match(line) or _TIGHT_NUMBER.match(line):
        style = match.lastgroup or ""
        return Number(int(match[style]), style, match.end())
    return None


def parts_of(text: str) -> list[tuple[str, str]]:
    """Cut a line at its marks 【答案】, 解析： … into (`text` | `answer` | `explanation`, words); an empty first text is left out."""
    parts, kind, start = [], "text", 0
    for mark in _MARK.finditer(flat(text)):
        parts.append((kind, text[start : mark.start()].strip()))
        kind, start = ("answer" if any(mark[name] for name in ("a", "a2", "a3", "a4")) else "explanation"), mark.end()
    parts.append((kind, text[start:].strip()))
    return [part for part in parts if part[1] or part[0] != "text"]


def is_key_title(line: str) -> bool:
    """Tell whether a flat line says no more than that answers follow."""
    return bool(_KEY_TITLE.match(line))


def options_in(text: str, after: str = "", following: str = "") -> list[str]:
    """Return the options a line consists of, each with its letter, or none.

    `after` is the last letter read so far: a line without a sign behind its letter (`D应激`) counts only where that letter is the
    next one. `following` is the next line: what it opens with is not looked for inside this one.
    """
    line = flat(text)
    first = _OPTION.match(line)
    if first is None:
        bare = _BARE_OPTION.match(line)
        return [text] if bare and after and ord(bare["letter"]) == ord(after) + 1 else []
    if first["letter"] != "A" and first["letter"] <= after:
        return []
    opening = _OPTION.match(flat(following))
    return _cut(text, _starts(line, 0, opening["letter"] if opening and opening["letter"] > first["letter"] else "K"))


def letter_of(option: str) -> str:
    """Return the letter that an option was read with."""
    match = re.search("[A-J]", flat(option)[:3])
    return match[0] if match else ""


def stem_and_options(text: str) -> tuple[str, list[str]]:
    """Cut options off the end of a stem's line: `题干（ ）。A.甲 B.乙` has two."""
    line = flat(text)
    for match in _OPTION.finditer(line):
        if match["letter"] == "A" and match.start() and line[match.start() - 1] in _OPTION_BEFORE:
            starts = _starts(line, match.start())
            options = _cut(text, starts)
            if len(options) > 1 and all(len(_OPTION.sub("", flat(option), count=1)) for option in options):
                return text[: match.start()].strip(), options
    return text, []


def verdict_in(text: str) -> tuple[str, str] | None:
    """Return a stem without the bracketed verdict at its end, and the verdict: `……。（√）`."""
    match = _VERDICT.search(flat(text))
    return (text[: match.start()].strip(), text[match.start("verdict") : match.end("verdict")]) if match else None


def answer_in_blank(stem: str, letters: str) -> tuple[str, str] | None:
    """Return a stem with its blank emptied, and the letters that stood in it: `……称为（ B ）。`."""
    match = re.search(r"\(\s*(?P<answer>[A-J](?:[\s,、]*[A-J])*)\s*\)", flat(stem))
    if match is None or not set(re.findall("[A-J]", match["answer"])) <= set(letters):
        return None
    return stem[: match.start()] + "（ ）" + stem[match.end() :], stem[match.start("answer") : match.end("answer")]


def _starts(line: str, start: int, before: str = "K") -> list[int]:
    """Return where the options of a flat line begin: letters that follow each other, up to the one `before`.

    A letter stands behind a blank or the end of a phrase, as in `A.维生素B、C族 B.叶酸`; where none does, behind a word: `A.甲B.乙`.
    """
    matches = list(_OPTION.finditer(line, start))
    starts = [start]
    letter = matches[0]["letter"]
    while (letter := chr(ord(letter) + 1)) < before:
        places = [match.start() for match in matches if match["letter"] == letter and match.start() > starts[-1]]
        led = [place for place in places if line[place - 1] in _OPTION_BEFORE]
        loose = [place for place in places if not line[place - 1].isascii() and line[place - 1] not in "、·"]
        if not (led or loose):
            break
        starts.append((led or loose)[0])
    return starts


def _cut(text: str, starts: list[int]) -> list[str]:
    return [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
