"""The two verdicts below a statement, `正确` above `错误`, as options with letters. Numbered lines in and out."""

import re
from collections.abc import Iterator, Sequence

from crawlers.papers.signs.answer_marks import Numbered, flat, is_marked, plain, trimmed
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import opens_question

_RIGHT, _WRONG = ("正确", "对", "是", "true"), ("错误", "错", "否", "false")
_VERDICT = re.compile(
    rf"\s{{0,12}}(?:[○◯〇□☐]\s{{0,3}})?"
    rf"(?:(?P<name>true|false|T|F)\s?[.、:)]\s{{0,4}})?(?P<words>{'|'.join(_RIGHT + _WRONG)})\s{{0,4}}[。.;]?\s{{0,12}}"
    r"(?P<mark>\(正确答案\)\s{0,12})?",
    re.IGNORECASE,
)
"""A line that offers one of the two verdicts: `错误`, `false. 错误`, `○对(正确答案)`."""
OFFERS_VERDICT = re.compile(rf"\n(?:{_VERDICT.pattern})$", re.IGNORECASE | re.MULTILINE)


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
    meaning = "right" if match["words"].lower() in _RIGHT else "wrong"
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
