"""Options within one text: a cell of a table, a field of a record. From text to the options, each with its letter if it has one."""

import re

from atomexam.text.numerals import CIRCLED_NUMBERS, STEMS
from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import FALSE, TRUE, VERDICT, verdict_of
from crawlers.read.vocabulary.letters import is_signed, letter_of
from crawlers.read.vocabulary.options import find_options, without_sign

_WRITTEN_LINE_END = re.compile(r"\\r?\\n|\\n(?=\s?[A-JＡ-Ｊ](?:[\s.．、:：)）]|[\u4e00-\u9fff]))")
"""A line break written as a backslash and an n."""
_VERDICTS = re.compile(rf"({VERDICT})[\s/,，、]{{1,3}}({VERDICT})")
_FEWEST, _MOST_CHARS_OF_TWO = 3, 16
"""Number of texts with numbers in order that are options, and characters of a text in which two are, `①对 ②错`."""
_SEPARATORS = ("$;$", "||", "|", "###", "##", "@@", ";;", "；", ";", "\t")
_DASHES = (*"-–—=→>#_",)
_BEFORE = " \t\n\r\u3000;；|,，。、$#@&^~/\\*!"
_ANSWER_PROMPT = re.compile(r"\s{0,9}(?:(?:正确|你的)?答案|(?:the )?(?:correct )?answer)(?:是|为|is)?\s?[:：]\s{0,9}$", re.IGNORECASE)
"""A label of the answer after the options, when the answer itself is elsewhere."""
_TAIL_SIGNS = re.compile(r"[;；|$#@&^~/\\*!,，]{1,8}$")


def split_options(text: str) -> list[str]:
    """Return the options of a text: divided at letters in sequence from A, else at line breaks, else at a separator."""
    text = _WRITTEN_LINE_END.sub("\n", text).strip()
    if not text:
        return []
    if (verdicts := _VERDICTS.fullmatch(text)) and {*map(verdict_of, verdicts.groups())} == {TRUE, FALSE}:
        return [*verdicts.groups()]
    run = find_options(text) if letter_of(text) == "A" else None
    if run and run.sure and len(run.cuts) > 1 and min(run.cuts)[0] == 0:
        parts = run.texts(text)
        if all(map(is_signed, parts)) or "\n" not in parts[-1]:  # `A型血⏎B型血⏎O型血` are lines
            return _undashed(without_sign([part.rstrip(";；|").strip() for part in _without_separator(parts)]))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        return _undashed(lines)
    if numbered := _numbered(text):
        return numbered
    for separator in _SEPARATORS:
        parts = [part.strip() for part in text.split(separator)]
        if len([part for part in parts if part]) > 1:
            return _undashed(parts if parts[-1] else parts[:-1])
    return [text]


def _undashed(parts: list[str]) -> list[str]:
    """Return options whose letters have an unusual sign, `A-甲`, with the usual one."""
    rests = [part[1:].lstrip() for part in parts]
    dashed = all(part[:1] == letter and rest[:1] in _DASHES for part, rest, letter in zip(parts, rests, LETTERS, strict=False))
    return [f"{part[0]}. {rest[1:].strip()}" for part, rest in zip(parts, rests, strict=True)] if dashed else parts


def _without_separator(parts: list[str]) -> list[str]:
    """Return lettered options without the separator between them, if it is always the same: `A.甲$;$B.乙$;$C.丙`."""
    ends = [match[0] if (match := _TAIL_SIGNS.search(part.rstrip())) else "" for part in parts[:-1]]
    if not ends or not ends[0] or len(set(ends)) > 1:
        return parts
    return [part.rstrip().removesuffix(ends[0]) for part in parts]


def options_below(text: str) -> tuple[str, list[str]]:
    """Return a question and the options after it, if they are certain: `知觉是 A、甲 B、乙 C、丙`; two must be in lines of their own."""
    text = _ANSWER_PROMPT.sub("", _WRITTEN_LINE_END.sub("\n", text).strip())
    run = find_options(text)
    start = min(run.cuts)[0] if run and run.cuts else 0
    if run is None or not run.sure or not start or len(run.cuts) < (2 if text[start - 1] == "\n" else _FEWEST):
        return text, []
    return text[:start].strip(), run.texts(text)


def _numbered(text: str) -> list[str]:
    """Return the options of a line that begin with numbers in turn, `①甲 ②乙 ③丙`, each with its sign; nothing if they do not."""
    for signs, after in ((CIRCLED_NUMBERS, r"\s?"), (STEMS, r"\s?[.．、:：)）]"), ("123456789", r"\s?[.．、:：)）](?!\d)")):
        starts: list[int] = []
        for sign in signs:
            found = re.compile(rf"(?<![^{re.escape(_BEFORE)}(（\[]){sign}{after}").search(text, starts[-1] + 1 if starts else 0)
            if found is None or (not starts and text[: found.start()].strip("(（[")):
                break
            starts.append(found.start())
        if len(starts) >= (_FEWEST if len(text) > _MOST_CHARS_OF_TWO else 2):
            parts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
            return [part.strip().rstrip("(（[;；|,，、").strip() for part in parts]
    return []
