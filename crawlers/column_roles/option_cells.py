"""Options within one text: a cell of a table, a field of a record. From text to the options, each with its letter if it has one."""

import re
import unicodedata

from atomexam.text.numerals import CIRCLED_NUMBERS, STEMS
from atomexam.text.option_letters import are_in_turn, letters_at
from atomexam.text.verdicts import FALSE, TRUE, VERDICT, verdict_of
from crawlers.papers.signs.options import find_options, without_sign

_MARK = re.compile(r"[(（\[【]?(?P<letter>[A-JＡ-Ｊa-j])[)）\]】]?\s?[.．、:：)）]\s*|[(（\[【](?P<bracketed>[A-JＡ-Ｊ])[)）\]】]\s*")
_BARE = re.compile(r"(?<![^\s;；,，|])([A-JＡ-Ｊ])\s?(?=[^\s;；,，|A-Za-zＡ-Ｚ.．、])")
_WRITTEN_LINE_END = re.compile(r"\\r?\\n|\\n(?=\s?[A-JＡ-Ｊ](?:[\s.．、:：)）]|[\u4e00-\u9fff]))")
"""A line break written as a backslash and an n."""
_VERDICTS = re.compile(rf"({VERDICT})[\s/,，、]{{1,3}}({VERDICT})")
_LEAST_BARE = 3
"""Letters in order that are options without a separator after them; two may be words: A型 B型."""
_MOST_CHARS_OF_TWO = 16
"""Characters of a text in which two numbers in order are options, `①对 ②错`."""
_SEPARATORS = ("$;$", "||", "|", "###", "##", "@@", ";;", "；", ";", "\t")
_WEAK_SEPARATORS = ("&&", "&", "^", "~~", "~", "++", "//", "/", "、", "，", ",", " ")
"""Separators that also occur in texts: they divide options if each part has its letter and a sign after it."""
_BEFORE = " \t\n\r\u3000;；|,，。、$#@&^~/\\*!"
_DASHED = re.compile(r"(?P<letter>[A-J])\s?(?:[-—–=>→#_]|=>|->)\s?(?=\S)")
"""A letter followed by an unusual sign: it is an option's letter if all options have the sign, in order."""
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
    starts = _starts(text)
    if len(starts) < 2:
        bare = _bare_starts(text)
        starts = bare if "\n" not in text or _begin_lines(text, bare) else starts
    if len(starts) > 1:
        parts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
        return _undashed(without_sign([part.strip().rstrip(";；|").strip() for part in _without_separator(parts)]))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        return _undashed(lines)
    if numbered := _numbered(text):
        return numbered
    for separator in _SEPARATORS:
        parts = [part.strip() for part in text.split(separator)]
        if len([part for part in parts if part]) > 1:
            return _undashed(parts if parts[-1] else parts[:-1])
    for separator in _WEAK_SEPARATORS:
        parts = [part.strip() for part in text.split(separator)]
        if _are_dashed(parts):
            return _undashed(parts)
    run = find_options(text)
    if run and run.sure and len(run.cuts) > 2 and min(run.cuts)[0] == 0:
        return without_sign(run.texts(text))  # run together: `A.甲B.乙（丙）C.丁`
    return [text]


def _without_separator(parts: list[str]) -> list[str]:
    """Return lettered options without the separator between them, if it is always the same: `A.甲$;$B.乙$;$C.丙`."""
    ends = [match[0] if (match := _TAIL_SIGNS.search(part.rstrip())) else "" for part in parts[:-1]]
    if not ends or not ends[0] or len(set(ends)) > 1:
        return parts
    return [part.rstrip().removesuffix(ends[0]) for part in parts]


def _are_dashed(parts: list[str]) -> bool:
    """Return whether all texts begin with a letter and a sign, in sequence from A."""
    matches = [_DASHED.match(part) for part in parts]
    return len(parts) > 1 and [match["letter"] for match in matches if match] == [letters_at([index]) for index in range(len(parts))]


def _undashed(parts: list[str]) -> list[str]:
    """Return options whose letters have an unusual sign, `A-甲`, with the usual one."""
    if not _are_dashed(parts):
        return parts
    matches = [_DASHED.match(part) for part in parts]
    return [f"{match['letter']}. {part[match.end() :]}" for match, part in zip(matches, parts, strict=True) if match]


def _begin_lines(text: str, starts: list[int]) -> bool:
    """Return whether options begin lines, including the last option; a line without a letter in between continues the one above."""
    return bool(starts) and "\n" not in text[starts[-1] :] and all(text[start - 1] == "\n" for start in starts[1:])


def options_below(text: str) -> tuple[str, list[str]]:
    """Return a question and the options in the lines below it, or else those after it on its own line."""
    text = _ANSWER_PROMPT.sub("", _WRITTEN_LINE_END.sub("\n", text).strip())
    lines = text.splitlines()
    first = next((index for index, line in enumerate(lines) if (mark := _MARK.match(line.strip())) and _letter(mark) == "A"), 0)
    options = split_options("\n".join(line.strip() for line in lines[first:] if line.strip())) if first else []
    lettered = [_letter(mark) for option in options if (mark := _MARK.match(option))]
    if len(options) < 2 or lettered != [letters_at([index]) for index in range(len(options))]:
        return _inline(text)
    return "\n".join(lines[:first]).strip(), options


def _inline(text: str) -> tuple[str, list[str]]:
    """Return a question and the options after it on its own line, if they are certain: `知觉是 A、甲 B、乙 C、丙`."""
    run = find_options(text) if "\n" not in text.strip() else None
    if not (run and run.sure and len(run.cuts) > 2 and min(run.cuts)[0] > 0):
        return text, []
    return text[: min(run.cuts)[0]].strip(), run.texts(text)


def _numbered(text: str) -> list[str]:
    """Return the options of a line that begin with numbers in turn, `①甲 ②乙 ③丙`, each with its sign; nothing if they do not."""
    for signs, after in ((CIRCLED_NUMBERS, r"\s?"), (STEMS, r"\s?[.．、:：)）]"), ("123456789", r"\s?[.．、:：)）](?!\d)")):
        starts: list[int] = []
        for sign in signs:
            found = re.compile(rf"(?<![^{re.escape(_BEFORE)}(（\[]){sign}{after}").search(text, starts[-1] + 1 if starts else 0)
            if found is None or (not starts and text[: found.start()].strip("(（[")):
                break
            starts.append(found.start())
        if len(starts) >= (_LEAST_BARE if len(text) > _MOST_CHARS_OF_TWO else 2):
            parts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
            return [part.strip().rstrip("(（[;；|,，、").strip() for part in parts]
    return []


def _letter(mark: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", mark["letter"] or mark["bracketed"]).upper()


def _starts(text: str) -> list[int]:
    """Return where lettered options begin: A at the start, each further letter after a line break, a space or a sign."""
    starts: list[int] = []
    for match in _MARK.finditer(text):
        letter = _letter(match)
        free = match.start() == 0 or text[match.start() - 1] in _BEFORE
        if free and letter == letters_at([len(starts)]) and (starts or match.start() == 0):
            starts.append(match.start())
    return starts


def _bare_starts(text: str) -> list[int]:
    """Return where options begin whose letters have no sign: `A甲 B乙 C丙`. None if a letter is out of sequence: `A型 B型 O型`."""
    bare_letters = [(match.start(), unicodedata.normalize("NFKC", match[1])) for match in _BARE.finditer(text)]
    in_turn = are_in_turn(letter for _, letter in bare_letters)
    return [start for start, _ in bare_letters] if in_turn and len(bare_letters) >= _LEAST_BARE and bare_letters[0][0] == 0 else []
