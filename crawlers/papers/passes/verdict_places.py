"""Verdicts in unusual places of numbered statements -> their usual one, at the end in brackets. Numbered lines in and out.

`…… （√）`, `✔ 对`, `- [x] 语句`, `- **对** / 错` below it. One line shows nothing: the same manner must recur with both verdicts.
"""

import re
from collections.abc import Iterator, Sequence

from atomexam.text.verdicts import CODES, FALSE, TRUE, VERDICT, VERDICTS, verdict_of
from crawlers.papers.signs.answer_marks import Numbered, flat
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_TRUE, _FALSE = "√", "×"
_SIGNS = {TRUE: _TRUE, FALSE: _FALSE}
_LEADERS = "….·•_-= \t"
_SAID = re.compile(rf"[(\[【<]?\s?(?P<sign>[√×])?\s?(?:(?![√×])(?P<word>{VERDICT}))?\s?[)\]】>]?[。.]?\s{{0,9}}$", re.IGNORECASE)
_BOTH = re.compile(
    rf"(?:\s{{1,20}}|(?<=[。.?)]))[(\[【<]?\s?(?P<sign>[√×])\s?[(]?(?![√×])(?P<word>{VERDICT})[)]?\s?[)\]】>]?[。.]?\s{{0,9}}$",
    re.IGNORECASE,
)
"""A verdict as a sign and a word."""
_TAIL, _LEAST_DOTS, _LEAST_DASHES = 24, 3, 2
_TICKED = re.compile(r"\s{0,4}(?:[-*+•]\s{1,4})?(?:[(\[]\s?(?P<tick>[xX√])?\s?[)\]]|(?P<box>[☐□■√]))\s{1,4}(?=\S)")
_SAYS_TICKED = re.compile(r"[勾√☑✓✔x选标][^。;；,，]{0,12}(?:正确|对的|对$|对[，。）]|√)")
_PAIR = re.compile(
    rf"\s{{0,12}}(?:[-*+•]\s{{1,4}})?(?P<open1>[*_]{{2}}|[\[【(])?(?P<word1>{VERDICT})(?P<close1>[*_]{{2}}|[\]】)])?\s{{0,6}}[/|、,\s]\s{{0,6}}"
    rf"(?P<open2>[*_]{{2}}|[\[【(])?(?P<word2>{VERDICT})(?P<close2>[*_]{{2}}|[\]】)])?\s{{0,9}}$",
    re.IGNORECASE,
)
"""Both verdicts, `**对** / 错`, of which one is emphasised."""
_CODE = re.compile(r"(?:\s{1,20}|(?<=[。.?!)]))(?P<open>[(\[])?\s?(?P<said>[A-Za-z]{1,3})\s?(?(open)[)\]])\s{0,9}$")
"""Letters behind a statement that stand for a verdict: `…。 v`."""
_CODES = VERDICTS | CODES | {"dui": TRUE, "cuo": FALSE}
_FRONT = re.compile(
    rf"\s{{0,9}}(?P<said>{VERDICT}|[(\[【]\s?(?:{VERDICT})\s?[)\]】])(?:\s{{1,4}}|(?<=[√×)\]】])\s?|\s?[|:]\s?)"
    r"(?P<number>[(第]?0{0,3}\d{1,4}\s?(?:[题.、:)]{1,2}\s{0,4}|\s{1,4}))(?=[^\s\d])"
)
"""A verdict before the number of a statement."""
_CODE_SAID = (
    re.compile(rf"(?<![A-Za-z])(?P<code>[A-Za-z]{{1,3}})\s?(?:[=:→-]|为|是|表示|代表|即)?\s?(?P<word>{VERDICT})"),
    re.compile(rf"(?P<word>{VERDICT})(?:的|者)?(?:[=:→-]|为|打|用|写|填|画|是|标)\s?(?P<code>[A-Za-z]{{1,3}})(?![A-Za-z])"),
)
"""What a note says of a code."""
_FEWEST, _LEAST_STATEMENT, _FEWEST_CODES, _SHARE_OF_CODES = 3, 4, 5, 0.4
MAY_PLACE: tuple[str | re.Pattern[str], ...] = (
    "√",
    "×",
    "☐",
    "□",
    "…",
    "__",
    "**",
    "...",
    "--",
    "==",
    "··",
    "••",
    "[",
    "【",
    re.compile(rf"\((?:{VERDICT})\)"),
    re.compile(r"[\s。.?!)\[][A-Za-z]{1,3}[)\]]?(?:\n|$)"),
    re.compile(rf"\n(?:{VERDICT})[\s|:]{{1,3}}[(第]?\d"),
)

_Found = tuple[int, str, str]
"""The place of a line, what remains of it, and its verdict; without what remains, the line is only the verdict."""


def verdicts_placed(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with such verdicts behind their statements, `……（√）`, or below them, `答案：√`."""
    done = list(lines)
    for manner in (_led, _doubled, _ticked, _paired, _fronted, _coded):
        found = list(manner(done))
        if len(found) < _FEWEST or {verdict for _, _, verdict in found} != {_TRUE, _FALSE}:
            continue
        for at, rest, verdict in found:
            done[at] = (done[at][0], f"{rest}（{verdict}）" if rest else f"答案：{verdict}")
    return done


def verdict_of_word(word: str) -> str:
    """Return √ or × for a word or a sign that says so; nothing for any other."""
    return _SIGNS.get(verdict_of(word), "")


def _led(lines: Sequence[Numbered]) -> Iterator[_Found]:
    """Yield the lines with a verdict behind dots or a rule that lead the eye to it."""
    for at, (_, text) in enumerate(lines):
        line = flat(text)
        if not (said := _SAID.search(line, max(0, len(line) - _TAIL))):
            continue
        rest = line[: said.start()].rstrip(_LEADERS)
        lead = "".join(line[len(rest) : said.start()].split())
        if "…" in lead or len(lead) >= (_LEAST_DASHES if set(lead) <= {"-", "="} else _LEAST_DOTS):
            yield from _stated(at, text[: len(rest)], said)


def _doubled(lines: Sequence[Numbered]) -> Iterator[_Found]:
    for at, (_, text) in enumerate(lines):
        if said := _BOTH.search(flat(text), max(0, len(text) - _TAIL)):
            yield from _stated(at, text[: said.start()].rstrip(), said)


def _stated(at: int, rest: str, said: re.Match[str]) -> Iterator[_Found]:
    stated = {verdict_of_word(each) for each in (said["sign"], said["word"]) if each}
    if len(stated) == 1 and len(rest) >= _LEAST_STATEMENT:
        yield at, rest, stated.pop()


def _ticked(lines: Sequence[Numbered]) -> Iterator[_Found]:
    """Yield numbered statements behind a box, if a line above them says that the ticked ones are true."""
    if not any(_SAYS_TICKED.search(text) for _, text in lines):
        return
    for at, (_, text) in enumerate(lines):
        number = number_of(flat(text))
        box = _TICKED.match(flat(text), number.end) if number else None
        if number and box:
            is_ticked = bool(box["tick"]) or box["box"] in ("■", "√")
            yield at, text[: number.end] + text[box.end() :].rstrip(), _TRUE if is_ticked else _FALSE


def _paired(lines: Sequence[Numbered]) -> Iterator[_Found]:
    for at, (_, text) in enumerate(lines):
        if (pair := _PAIR.match(text)) and (verdict := _emphasised(pair)):
            yield at, "", verdict


def _fronted(lines: Sequence[Numbered]) -> Iterator[_Found]:
    """Yield the statements behind a verdict and a number, if the numbers count."""
    found = [(at, match) for at, (_, text) in enumerate(lines) if (match := _FRONT.match(flat(text)))]
    numbers = [int("".join(filter(str.isdigit, match["number"]))) for _, match in found]
    if numbers == list(range(1, len(numbers) + 1)):
        for (at, match), number in zip(found, numbers, strict=True):
            yield at, f"{number}. {lines[at][1][match.end() :].rstrip()}", verdict_of_word(match["said"].strip("()[]【】 "))


def _coded(lines: Sequence[Numbered]) -> Iterator[_Found]:
    """Yield the statements with letters behind them, if these are two that mean verdicts, by themselves or as another line says."""
    flats = [flat(text) for _, text in lines]
    found = [(at, match) for at, line in enumerate(flats) if len(line) > _LEAST_STATEMENT and (match := _CODE.search(line))]
    codes = {match["said"] for _, match in found}
    filled = sum(bool(line.strip()) for line in flats)
    if len(codes) != len(_SIGNS) or len(found) < max(_FEWEST_CODES, _SHARE_OF_CODES * filled) or any(map(letter_of, flats)):
        return
    notes = "\n".join((*flats[: found[0][0]], *flats[found[-1][0] + 1 :]))
    meanings = {code: _SIGNS.get(_said_of(code, notes) or verdict_of(code, _CODES), "") for code in codes}
    if {*meanings.values()} == {_TRUE, _FALSE}:
        for at, match in found:
            yield at, lines[at][1][: match.start()].rstrip(), meanings[match["said"]]


def _said_of(code: str, note: str) -> str:
    """Return which verdict a note gives to a code: `v对 x错`, `对的打v，错的打x`; nothing if it gives none or both."""
    stated = {verdict_of(match["word"]) for form in _CODE_SAID for match in form.finditer(note) if match["code"] == code}
    return stated.pop() if len(stated) == 1 else ""


def _emphasised(pair: re.Match[str]) -> str:
    """Return the verdict that alone is emphasised, of two that exclude each other."""
    verdicts = [verdict_of_word(pair[f"word{at}"]) for at in "12"]
    marked = [bool(pair[f"open{at}"] and pair[f"close{at}"]) for at in "12"]
    return verdicts[marked.index(True)] if verdicts[0] != verdicts[1] and marked[0] != marked[1] else ""
