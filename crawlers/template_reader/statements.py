"""Statements without numbers, each with its verdict before or behind it, in any signs: rows in, heads out."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from atomexam.text.verdicts import VERDICT
from crawlers.template_reader.answers import right_letters
from crawlers.template_reader.counters import Head, Row

_FEWEST = 5
_FRONT = re.compile(
    rf"(?P<open>(?:[^\w\s]{{1,2}}\s)?[^\w\s√×☐]{{0,2}}_{{0,2}})\s{{0,3}}(?P<said>{VERDICT}|☐|(?<=[\[(])\s?(?=[\])]))"
    r"\s{0,3}(?P<close>[^\w\s√×《“\"(【]{1,2}|_{1,2}|(?<=[√×☐])|(?=\s))\s{0,3}(?=[\w《“\"(【])"
)
_BEHIND = re.compile(
    rf"(?:\s|(?<=[。.?)\]】|]))(?P<open>[(\[【<「|*_~-]{{0,2}})\s{{0,3}}(?P<said>{VERDICT})\s{{0,3}}(?P<close>[^\w\s√×]{{0,2}}_{{0,2}})$"
)
JUDGES = re.compile(r"判断|是非|对错|正误|正确|错误|(?<![A-Za-z])(?:true|false)(?![A-Za-z])", re.IGNORECASE)
_ENDS = re.compile(r"[。.?!]$|[(\[]\s*[)\]][。.]?$")
_ROWS_ABOVE = 12
_VERDICT_ALONE = re.compile(rf"\W{{0,3}}(?:{VERDICT})\W{{0,3}}", re.IGNORECASE)
_TICKED, _OPEN = frozenset("xX√"), frozenset(["", "☐"])


def statements(rows: Sequence[Row]) -> Iterator[list[Head]]:
    """Yield the rows with a verdict in one manner, if both verdicts are given: those with it before, and those with it behind."""
    for is_before in (True, False):
        manners: dict[tuple[str, str], list[tuple[int, re.Match[str]]]] = defaultdict(list)
        for at, row in enumerate(rows):
            match = _FRONT.match(row.flat) if is_before else _BEHIND.search(row.flat)
            if match and not _VERDICT_ALONE.fullmatch(_rest(match, is_before)):
                manners[match["open"], match["close"]].append((at, match))
        found = _of_two_signs(max(manners.values(), key=len, default=[]))
        if len(found) < _FEWEST:
            continue
        verdicts = _verdicts([match["said"].strip() for _, match in found])
        is_list = verdicts != [match["said"].strip() for _, match in found]
        if {right_letters(verdict, "", 0) for verdict in verdicts} != {"正确", "错误"}:
            continue
        if is_list and _are_options([at for at, _ in found], verdicts):
            continue
        if not _is_announced(rows, found[0][0]) and (is_list or not _are_sentences(found, is_before)):
            continue
        numbered = enumerate(zip(found, verdicts, strict=True), 1)
        yield [Head(at, number, *((match.end(), verdict) if is_before else (0, ""))) for number, ((at, match), verdict) in numbered]


def _of_two_signs(found: list[tuple[int, re.Match[str]]]) -> list[tuple[int, re.Match[str]]]:
    """Return the rows with the two verdicts that most have: a title may be `True or False`."""
    often = [said for said, _ in Counter(match["said"].strip() for _, match in found).most_common(2)]
    return [(at, match) for at, match in found if match["said"].strip() in often]


def _verdicts(said: Sequence[str]) -> list[str]:
    """Return what was said of statements as √ or ×, if they are ticked or not; else as it is."""
    if _OPEN & {*said} and {*said} <= _TICKED | _OPEN:
        return ["×" if one in _OPEN else "√" for one in said]
    return list(said)


def _are_options(places: Sequence[int], verdicts: Sequence[str]) -> bool:
    """Return whether ticked rows are options: they stand in groups, with the rows of the stems between, and most groups have one tick."""
    groups: list[list[str]] = []
    for at, (place, verdict) in enumerate(zip(places, verdicts, strict=True)):
        if not at or place != places[at - 1] + 1:
            groups.append([])
        groups[-1].append(verdict)
    chosen = sum(len(group) > 1 and group.count("√") == 1 for group in groups)
    several = sum(len(group) > 1 and "√" in group for group in groups)
    return len(groups) > 2 and several == len(groups) and chosen * 2 >= len(groups)


def _is_announced(rows: Sequence[Row], first: int) -> bool:
    """Return whether a row above the first statement says that they are to be judged."""
    return any(JUDGES.search(row.flat) for row in rows[max(0, first - _ROWS_ABOVE) : first])


def _are_sentences(found: Sequence[tuple[int, re.Match[str]]], is_before: bool) -> bool:
    """Return whether most rows are sentences, or have a blank for the verdict: the rows of other lists, as of tests, are not."""
    texts = [_rest(match, is_before) for _, match in found]
    return sum(_ENDS.search(text) is not None for text in texts) > len(texts) / 2


def _rest(match: re.Match[str], is_before: bool) -> str:
    """Return the statement beside a verdict."""
    return (match.string[match.end() :] if is_before else match.string[: match.start()]).rstrip()
