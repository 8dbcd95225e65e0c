"""The two verdicts that a statement offers, below each other or with a box each on one line. Numbered lines in and out."""

import re
from collections.abc import Iterator, Sequence

from atomexam.text.verdicts import FALSE, TRUE, VERDICT, verdict_of
from crawlers.papers.signs.answer_marks import Numbered, flat, is_marked, plain, trimmed
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import opens_question

_VERDICT = re.compile(
    rf"\s{{0,12}}(?:[○◯〇□☐]\s{{0,3}})?"
    rf"(?:(?P<name>true|false|T|F)\s?[.、:)]\s{{0,4}})?(?P<words>{VERDICT})\s{{0,4}}[。.;]?\s{{0,12}}"
    r"(?P<mark>\(正确答案\)\s{0,12})?",
    re.IGNORECASE,
)
"""A line that offers one of the two verdicts: `错误`, `false. 错误`, `○对(正确答案)`."""
OFFERS_VERDICT = re.compile(rf"\n(?=[\s○◯〇□☐TF正对是错否])(?:{_VERDICT.pattern})$", re.IGNORECASE | re.MULTILINE)

_EMPTY_BOX = r"[☐□○◻〇◯]|[(\[（【][\s\u3000]{0,4}[)\]）】]"
_TICKED_BOX = r"[☑☒■●◉◼✓✔✅√]|[(\[（【]\s?[√✓✔☑xX]\s?[)\]）】]"


def _side(at: int, box_first: bool) -> str:
    box, word = rf"(?:(?P<ticked{at}>{_TICKED_BOX})|{_EMPTY_BOX})", rf"(?P<word{at}>{VERDICT})"
    return rf"{box}\s{{0,3}}{word}" if box_first else rf"{word}\s{{0,3}}{box}"


_BOX_FIRST, _WORD_FIRST = (
    re.compile(rf"{_side(1, box_first)}[\s/、，,;；]{{0,20}}{_side(2, box_first)}\s{{0,9}}[。.]?$", re.IGNORECASE)
    for box_first in (True, False)
)
BOXED_VERDICT = re.compile(rf"[☐□○◻〇◯☑☒■●◉◼√)\]】]\s{{0,4}}(?:{VERDICT})", re.IGNORECASE)
"""Somewhere in every text with two verdicts in boxes: one of them is behind the box of the other."""


def boxed_verdicts(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return `□ 正确 ☑ 错误`, alone on its line or behind a statement, as the answer 错误."""
    for index, text in lines:
        match = _BOX_FIRST.search(text) or _WORD_FIRST.search(text)
        verdict = _ticked(match) if match else ""
        if match and verdict:
            if text[: match.start()].strip():
                yield index, text[: match.start()].rstrip()
            yield index, f"答案：{verdict}"
        else:
            yield index, text


def _ticked(match: re.Match[str]) -> str:
    """Return the verdict whose box alone is ticked, of two that exclude each other."""
    meanings = [verdict_of(match[f"word{at}"]) == TRUE for at in "12"]
    ticked = [meaning for at, meaning in zip("12", meanings, strict=True) if match[f"ticked{at}"]]
    return ("正确" if ticked[0] else "错误") if len(ticked) == 1 and meanings[0] != meanings[1] else ""


def verdicts_lettered(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return the two verdicts below a statement as options, `A. 正确` above `B. 错误`; a copy without letters above those is left out."""
    meanings = [_meaning(flat(text)) for _, text in lines]
    if not any(meanings):
        yield from lines
        return
    position = 0
    while position < len(lines):
        if position + 1 == len(lines) or not _are_opposite(meanings[position], meanings[position + 1]):
            yield lines[position]
            position += 1
            continue
        named = bool(meanings[position] and meanings[position].startswith("="))
        if not named and _are_lettered(lines, position + 2):
            position += 2
            continue
        below = trimmed(lines[position + 2][1]) if position + 2 < len(lines) else ""
        is_last = not below or is_marked(below) or opens_question(flat(below))
        for at in (position, position + 1):
            index, text = lines[at]
            offered = named or (is_last and _stands_below_words(lines, position))
            yield (
                index,
                f"{'AB'[at - position]}. {_VERDICT.sub(lambda m: m['words'] + (m['mark'] or ''), flat(text)).strip()}" if offered else text,
            )
        position += 2


def _meaning(line: str) -> str:
    """Return which verdict a line offers, `right` or `wrong`, after `=` if a name states it too; empty for any other line."""
    match = _VERDICT.fullmatch(line)
    if match is None:
        return ""
    meaning = {TRUE: "right", FALSE: "wrong"}.get(verdict_of(match["words"]), "")
    if match["name"] is None:
        return meaning
    return f"={meaning}" if (match["name"][0] in "tT") == (meaning == "right") else ""


def _are_opposite(one: str, other: str) -> bool:
    return bool(one and other) and one != other and one.startswith("=") == other.startswith("=")


def _are_lettered(lines: Sequence[Numbered], index: int) -> bool:
    """Return whether the lines from a place on are `A. 对` and `B. 错`."""
    rows = [plain(text) for _, text in lines[index : index + 2]]
    letters = [letter_of(row) for row in rows]
    return letters == ["A", "B"] and _are_opposite(*(_meaning(row[1:].lstrip(" .、:)]")) for row in rows))


def _stands_below_words(lines: Sequence[Numbered], index: int) -> bool:
    """Return whether a statement is above a place, and no option."""
    above = plain(lines[index - 1][1]) if index else ""
    return len(above) > 4 and not letter_of(above) and not is_marked(above) and "答案" not in above
