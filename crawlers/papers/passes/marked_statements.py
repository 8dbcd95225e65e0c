"""Statements whose verdicts a note gives by their emphasis, `注：黄色底纹的题为错误，没有底纹的为正确` -> the verdict of each.

A note names a mark and a verdict, in any order. The statements that have the mark get this verdict, all others get the opposite one.
"""

import colorsys
import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from atomexam.text.verdicts import FALSE, TRUE
from crawlers.papers.signs.answer_marks import flat, is_marked, parts_of
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_COLOURED = r"底[纹色]|背景|高亮|突出|荧光|着色|[标涂][红黄绿蓝色]|[红黄绿蓝橙紫彩颜]色|[红黄绿蓝][字底体]"
_MARK = re.compile(
    rf"(?P<struck>删除线|中划线|划掉|划去)|(?P<underlined>下?划线)|(?P<bold>加粗|粗[体字]|黑体)|(?P<slanted>斜体|倾斜)|(?P<colour>{_COLOURED})"
)
_VERDICT = re.compile(
    r"(?P<false>不正确|不对|错误|(?<![易常做答出有])错(?![题过选字])|×)|(?P<true>(?<!不)正确(?!答案|选项|率)|(?<![不相反面])对(?![应于比照外象待方])|√)"
)
_NO_VERDICT = re.compile(r"答案|选项|选择题|易错|错题|[做答选]错|[做答选]对|重点")
"""What a note says of other things than statements."""
_NEGATED = re.compile(r"没有?|[未无非]|不(?:带|加|标)|其[余他它]|剩下|普通|正常|黑色")
_CLAUSE = re.compile(r"[。;,\n]")
_SAYS_STATEMENT = re.compile(r"题|句|说法|表述|判断|陈述")
_SAYS_NUMBER = re.compile(r"题号|序号|编号")
_STATEMENT_END = re.compile(r"[。)!?]\s{0,4}$")
_WORD = re.compile(r"\w")
_HUES = {"red": "红", "yellow": "黄", "green": "绿", "lime": "绿", "blue": "蓝", "cyan": "蓝", "orange": "橙", "purple": "紫"}
_HUE = re.compile("|".join(_HUES))
_HEX = re.compile(r"#?(?P<hex>[0-9a-f]{6})(?:ff)?$")
_RGB, _GREY = re.compile(r"rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})\b"), 24
"""Levels of red, green and blue, and by how many they differ at least in what is no grey."""
_OTHER_KINDS = {"bold": ("**", "colour bold underlined"), "underlined": ("colour bold underlined",)}
_LONGEST_NOTE, _FEWEST, _LEAST_STATEMENT = 80, 4, 6
_ALL, _FEW = 0.7, 0.15
"""Share of the words of a marked statement, at least, and of one without a mark, at most."""

Kinds = Sequence[frozenset[str]]
"""The emphasis of each sign of a line."""


def verdicts_of_marked(lines: Sequence[str], kinds: Sequence[Kinds]) -> dict[int, str]:
    """Return the verdict of each statement by its place, if a note gives them by emphasis; nothing if it does not, or is not certain."""
    notes = [(at, flat(line)) for at, line in enumerate(lines) if len(line) < _LONGEST_NOTE and _MARK.search(line)]
    for at, note in notes:
        if len(said := _marks_in(note)) == 0:
            continue
        by_number = _SAYS_NUMBER.search(note) is not None
        statements = list(_statements(lines, at, _SAYS_STATEMENT.search(note) is not None))
        verdicts = {place: _verdict(said, lines[place], kinds[place], start, by_number) for place, start in statements}
        if len(statements) >= _FEWEST and {TRUE, FALSE} <= set(verdicts.values()):
            return {place: verdict for place, verdict in verdicts.items() if verdict}
    return {}


def _marks_in(note: str) -> list[tuple[Callable[[str], bool], str]]:
    """Return which kinds of emphasis a note names, each with its verdict; nothing if it contradicts itself."""
    said: list[tuple[Callable[[str], bool], str]] = []
    if _NO_VERDICT.search(note):
        return []
    for clause in _CLAUSE.split(note):
        marks = list(_MARK.finditer(clause))
        verdicts = {TRUE if verdict["true"] else FALSE for verdict in _VERDICT.finditer(clause)}
        if marks and len(verdicts) == 1 and not _NEGATED.search(clause):
            said.append((_names(marks[0]["colour"] and clause, marks[0].lastgroup or ""), verdicts.pop()))
    return said if len(said) == len({verdict for _, verdict in said}) else []


def _names(colours: str | None, face: str) -> Callable[[str], bool]:
    """Return whether a kind of emphasis is the named one."""
    hues = {hue for hue in _HUES.values() if colours and hue in colours}

    def is_named(kind: str) -> bool:
        if face == "colour":
            hue = _hue_of(kind)
            return kind in ("mark", "==") or (kind.startswith(("colour", "class")) and (not hues or not hue or hue in hues))
        return kind == face or kind in _OTHER_KINDS.get(face, ())

    return is_named


def _hue_of(kind: str) -> str:
    """Return the hue of a colour by its Chinese name; nothing if it is not known."""
    if named := _HUE.search(kind):
        return _HUES[named[0]]
    if code := _HEX.search(kind):
        levels = [int(code["hex"][at : at + 2], 16) for at in (0, 2, 4)]
    elif code := _RGB.search(kind):
        levels = [min(int(level), 255) for level in code.groups()]
    else:
        return ""
    if max(levels) - min(levels) < _GREY:
        return "灰"
    hue, _, _ = colorsys.rgb_to_hls(*(level / 255 for level in levels))
    return next(
        name for end, name in ((20, "红"), (42, "橙"), (70, "黄"), (170, "绿"), (255, "蓝"), (320, "紫"), (360, "红")) if hue * 360 <= end
    )


def _statements(lines: Sequence[str], note: int, may_be_bare: bool) -> Iterator[tuple[int, int]]:
    """Yield the place of each statement's only line, and where its words begin; nothing if answers are stated in words."""
    flats = [flat(line).strip() for line in lines]
    numbers = {at: number for at, line in enumerate(flats) if at != note and (number := number_of(line))}
    if not numbers and may_be_bare:
        bare = [at for at, line in enumerate(flats) if at != note and len(line) >= _LEAST_STATEMENT and _STATEMENT_END.search(line)]
        yield from () if any(is_marked(line) or letter_of(line) for line in flats) else ((at, 0) for at in bare)
        return
    places = [*numbers, len(lines)]
    found: list[tuple[int, int]] = []
    for place, end in itertools.pairwise(places):
        below = [line for at, line in enumerate(flats[place + 1 : end], place + 1) if line and at != note]
        if any(kind == "answer" and words for line in flats[place:end] for kind, words in parts_of(line)):
            return
        if not below or (not any(letter_of(line) for line in below) and (is_marked(below[0]) or not _is_text(below[0]))):
            indent = len(lines[place]) - len(lines[place].lstrip())
            found.append((place, indent + numbers[place].end))
    yield from found


def _is_text(line: str) -> bool:
    """Return whether a line may continue a statement or be an option, not a heading or a note."""
    return not line.startswith(("注", "说明", "备注")) and not re.match(r"[第(]?[一二三四五六七八九十]{1,3}[、章节)]", line)


def _verdict(said: Sequence[tuple[Callable[[str], bool], str]], line: str, kinds: Kinds, start: int, by_number: bool) -> str:
    """Return the verdict that a statement's emphasis means; nothing if only a part of it is emphasised, or by two marks."""
    words = [kinds[at] for at, sign in enumerate(line) if _WORD.match(sign) and (at < start if by_number else at >= start)]
    shares = [sum(any(map(is_named, own)) for own in words) / max(1, len(words)) for is_named, _ in said]
    whole = [verdict for (_, verdict), share in zip(said, shares, strict=True) if share >= _ALL]
    if len(whole) == 1 and sum(share > _FEW for share in shares) == 1:
        return whole[0]
    is_bare = bool(words) and len(said) == 1 and shares[0] <= _FEW
    return {TRUE: FALSE, FALSE: TRUE}[said[0][1]] if is_bare else ""
