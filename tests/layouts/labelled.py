"""Labelled pages: the lines of a drawn paper, and the role of each of its segments, in manners that `text` does not write.

Two sources: drawn papers of `text`, whose roles are told by their known questions, and pages written here with their roles beside them.
"""

import re
from random import Random

from crawlers.second_reader.roles import ROLES
from crawlers.second_reader.segments import Segment, segments_of
from tests.layouts import text
from tests.layouts.gold import Gold, paper

_HAN = re.compile("[^\u4e00-\u9fffA-Za-z0-9]")
_MARKS = (
    "答案：{}",
    "答案:{}",
    "【答案】{}",
    "正确答案：{}",
    "【答】{}",
    "参考答案 {}",
    "答：{}",
    "选{}",
    "Answer: {}",
    "答案是：{}",
    "({})",
    "{}",
)
_WHYS = ("解析：{}", "【解析】{}", "【解】{}", "说明：{}", "【分析】{}", "理由：{}", "依据：{}", "{}")
_NUMBERS = ("", "", "", "{}. ", "{}、", "({})", "第{}题：", "{}\t")
_LETTERED = ("{}. ", "{}、", "{}．", "({})", "{}) ", "{}: ", "- ", "• ", "○", "")
_BLANKS = ("（ ）", "（  ）。", "？", "：", "____。", "", "( )")
_REST = ("本题考查基本概念。", "多数人答对，注意区分。", "见第三章第二节。")
_FEET = ("- {} -", "第 {} 页", "内部资料 {}")
_LABELS = ("类型：单选", "难度：中", "分值：2", "知识点：生理")

Labelled = tuple[list[Segment], list[int]]


def drawn_page(rng: Random) -> Labelled:
    """Return a paper of `text`, its roles told by the questions it holds."""
    sections, form = paper(rng), text.layout(rng)
    segments = segments_of(list(enumerate(text.lines_of(sections, form, rng))))
    golds = [gold for section in sections for gold in section.questions]
    names = {name for kinds in text.NAMES.values() for name in kinds}
    return segments, _told(segments, golds, names)


def _told(segments: list[Segment], golds: list[Gold], names: set[str]) -> list[int]:
    roles: list[int] = []
    left = list(golds)
    own: Gold | None = None
    key, last = False, "furniture"
    for one in segments:
        words = _bare(re.sub(r"^\[.{2,8}\]", "", one.text[one.number.end :] if one.number else one.text))
        begun = next((gold for gold in left if len(words) > 3 and _begins(words, gold)), None) if one.mark == "text" else None
        if begun:
            own, key = begun, False
            left.remove(begun)
        elif words in ("参考答案", "答案"):
            key = True
        role = "stem" if begun else _role(one, words, key, own, last, left, names)
        roles.append(ROLES.index(role))
        last = role if role != "furniture" else last
    return roles


def _role(one: Segment, words: str, key: bool, own: Gold | None, last: str, left: list[Gold], names: set[str]) -> str:
    if one.mark == "answer":
        return "key" if key or not own else "answer"
    if one.mark == "explanation":
        return "explanation" if own else "furniture"
    bare = _bare(re.sub(r"^[(\[【（]?[A-Ja-jＡ-Ｊ]\s?[.、:)\]】．：）]?", "", one.text))
    if any(gold.case and words and words in _bare(gold.case) for gold in left[:1]) or "共用" in one.text or "回答" in one.text:
        return "case"
    if last in ("case", "heading") and one.letter and bare and any(_is_option(bare, gold) for gold in left[:1]):
        return "case"
    if one.letter and bare and own and not key and _is_option(bare, own):
        return "option"
    if any(name in one.text for name in names) and len(one.text) < 30:
        return "heading"
    if key:
        return "key"
    if own and last in ("stem", "stem+") and words and words in _bare(own.stem):
        return "stem+"
    if own and last in ("option", "option+") and words and any(words in _bare(option) for option in own.options):
        return "option+"
    if own and last in ("explanation", "explanation+") and words and words in _bare(own.explanation):
        return "explanation+"
    return "furniture"


def _is_option(words: str, gold: Gold) -> bool:
    options = [_bare(option) for option in gold.options]
    return any(option.startswith(words[:6]) or words.startswith(option) for option in options)


def _bare(words: str) -> str:
    return _HAN.sub("", words)


def _begins(words: str, gold: Gold) -> bool:
    stem = _bare(gold.stem)
    return bool(words) and (stem.startswith(words[:8]) or words.startswith(stem)) and len(words) > 3


def written_page(rng: Random) -> Labelled:
    """Return a page written with its roles: often without numbers, with marks, bullets and remarks of its own."""
    golds = [gold for _ in range(rng.randrange(2, 5)) for section in paper(rng) for gold in section.questions if not gold.case]
    number, lettered, mark, why = rng.choice(_NUMBERS), rng.choice(_LETTERED), rng.choice(_MARKS), rng.choice(_WHYS)
    blank, gap, within = rng.choice(_BLANKS), rng.random() < 0.5, rng.random() < 0.08
    place = rng.choice(("after", "after", "after", "before", "blank", "none", "key"))
    rest, explained, inline = rng.random() < 0.3, rng.random() < 0.5, lettered not in ("- ", "• ", "○", "") and rng.random() < 0.25
    width, label, rule = rng.choice((0, 0, 18, 24, 30)), rng.random() < 0.2, rng.choice(("", "", "", "------", "* * *"))
    pages, tags = rng.random() < 0.2, rng.choice(_LABELS)
    lines: list[tuple[str, str]] = [(rng.choice(("护理学题库", "第一章 总论", "练习")), "heading")] if rng.random() < 0.5 else []
    for at, gold in enumerate(golds, 1):
        answer = {"正确": "√", "错误": "×"}.get(gold.answer, gold.answer)
        stem = re.sub(r"（ ）|[。？：:]$|____", "", gold.stem) + (blank if gold.options else "。")
        if place == "blank":
            stem = re.sub(r"[（(]\s*[）)]|[：？。]$|____。", "", stem) + f"（{answer}）"
        block = [(number.format(at) + stem, "stem")]
        block += [(rng.choice(_LABELS) if label else tags, "furniture")] if label and rng.random() < 0.9 else []
        block += [(mark.format(answer), "answer")] if place == "before" else []
        options = [
            (lettered.format(letter) + option if "{}" in lettered else lettered + option, "option")
            for letter, option in zip(text.LETTERS, gold.options, strict=False)
        ]
        block += [("  ".join(option for option, _ in options), "option")] if inline and options else options
        block += [(mark.format(answer), "answer")] if place == "after" else []
        if explained and place in ("after", "blank"):
            block.append((why.format(rng.choice(_REST) + (gold.explanation or "")), "explanation"))
            block += [(rng.choice(_REST), "explanation+")] if rest else []
        for line, role in block:
            lines += _broken(line, role, width)
            lines += [("", "")] if within else []
        lines += [("", "")] if gap and not within else []
        lines += [(rule, "furniture")] if rule else []
        lines += [(rng.choice(_FEET).format(at), "furniture")] if pages and rng.random() < 0.2 else []
    if place == "key":
        lines += [("参考答案", "key"), *((f"{at}.{gold.answer}", "key") for at, gold in enumerate(golds, 1))]
    segments = segments_of([(at, line) for at, (line, _) in enumerate(lines)])
    return segments, [ROLES.index(_of_line(one, lines[one.line][1], segments)) for one in segments]


def _broken(line: str, role: str, width: int) -> list[tuple[str, str]]:
    if not width or len(line) <= width or role not in ("stem", "option", "explanation"):
        return [(line, role)]
    return [(line[at : at + width], role if at == 0 else f"{role.removesuffix('+')}+") for at in range(0, len(line), width)]


def _of_line(one: Segment, role: str, segments: list[Segment]) -> str:
    """Return the role of a segment of a line: an answer within it is one, and options behind a stem are."""
    if one.mark == "answer" and role != "key":
        return "answer"
    if one.mark == "explanation" and role != "explanation+":
        return "explanation"
    if role == "stem" and not one.opens:
        return "option" if one.letter else "stem+"
    return role
