"""The numbers that count the questions of a paper, in any words: `第1题（单选）`, `1 / 20`, `Q1`, `1（D）`. Rows in, heads out.

No form of a number is known beforehand. What counts is what rows that differ only by their number count: 1, 2, 3 and so on.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from atomexam.text.numerals import HANZI, value_of
from crawlers.papers.signs.answer_marks import flat

_WORDS = rf"(?P<before>[^\d{HANZI}\s.、:。][^\d{HANZI}。?!]{{0,14}}?|)\s{{0,3}}"
_TAGGED = rf"(?P<before>[【\[(<][^\]】)>]{{0,14}}[^\d\s\]】)>][^\]】)>]{{0,14}}[】\])>]\s{{0,3}}(?:[^\d{HANZI}\s.、:。]{{1,4}})?)"
_AFTER = r"(?:(?P<of>\s{0,2}/\s{0,2}\d{1,4})|(?P<word>\s{0,2}[题问])|(?=\s|[^\w\s]|$))(?P<sign>\\?[.、:)\]】〉>|#/=]{1,2}|)[*_]{0,2}"
_HEADS = {
    "digits": re.compile(rf"\s{{0,9}}{_WORDS}(?P<number>\d{{1,4}}){_AFTER}"),
    "words": re.compile(rf"\s{{0,9}}{_WORDS}(?P<number>[{HANZI}百]{{1,5}}){_AFTER}"),
    "part": re.compile(rf"\s{{0,9}}{_WORDS}\d{{1,3}}[.-](?P<number>\d{{1,4}}){_AFTER}"),
    "tagged": re.compile(rf"\s{{0,9}}{_TAGGED}(?P<number>\d{{1,4}}){_AFTER}"),
    "within": re.compile(
        r"\s{0,9}(?P<before>[【\[(<][^\]】)>\d]{1,14}?)(?P<number>\d{1,4})(?P<of>(?!))?(?P<word>\s?[题问])?\s?(?P<sign>[】\])>])"
    ),
}
"""What may count a question: words, a number, the number of all questions, a sign."""
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
LABEL = re.compile(r"\s{0,9}(?P<label>[【\[(<][^\]】)>\s:]{1,8}[】\])>]|[^\s:=。,、()【】\[\]]{1,8}\s?[:=]|#{1,6}(?=\s))\s{0,3}")
_KIND = re.compile(r"单[项选]|多[项选]|不定项|判断|是非|选择题")
_ANSWERS = re.compile(r"\W?(?:\S{0,3}答案|答|[Kk]ey|[Aa]ns)")
_FEWEST = 4
_RESTART = 1
"""What it costs that numbers begin at 1 again."""
_LARGEST, _MOST_FORMS = 9999, 3


class Row(Struct, frozen=True, gc=False):
    """One line of a paper that is not empty."""

    index: int
    """Its place among the lines of the paper."""
    text: str
    flat: str


class Head(Struct, frozen=True, gc=False):
    """Where a question begins."""

    at: int
    """Its row."""
    number: int
    end: int
    """Where the words after the number begin."""
    before: str
    """The words before it."""


def rows_of(lines: Iterable[tuple[int, str]]) -> list[Row]:
    """Return the lines that are not empty, with half-width signs for matching."""
    return [Row(index, text, flat(text)) for index, line in lines for part in _BREAK.split(line) if (text := part.strip())]


def masked(text: str) -> str:
    """Return a row's text without what may differ from question to question: digits, letters of options, blanks."""
    return re.sub(r"[A-J]+(?![A-Za-z])|\d+", "#", re.sub(r"\s+", "", text))


def heads_of(row: Row, at: int) -> Iterator[tuple[Head, tuple[str, ...]]]:
    """Yield the numbers that a row may begin with, each with its form: 1 and 20 for `1.20世纪`."""
    for kind, pattern in _HEADS.items():
        match = pattern.match(row.flat)
        value = value_of(match["number"]) if match else None
        if match is None or value is None or value > _LARGEST:
            continue
        form = (kind, "/" if match["of"] else "", (match["word"] or "").strip(), match["sign"])
        yield Head(at, value, match.end(), " ".join(match["before"].split())), form


def counted(rows: Sequence[Row]) -> list[list[Head]]:
    """Return the rows that may begin questions, in order, by each of the forms of number that count most; none counts less than four."""
    forms: dict[tuple[str, ...], list[Head]] = defaultdict(list)
    for at, row in enumerate(rows):
        for head, form in heads_of(row, at):
            forms["=", head.before.casefold(), *form].append(head)
            if head.before:  # or with words that differ: `单选题1`, `多选题2`
                forms["~", *form].append(head)
    chains = [_counting(heads) for heads in forms.values()]
    chains += _labelled(rows)
    best = sorted(((worth, chain) for worth, chain in chains if len(chain) >= _FEWEST), key=lambda one: -one[0])
    different: list[list[Head]] = []
    for _, chain in best:
        if not any({head.at for head in chain} <= {head.at for head in other} for other in different):
            different.append(chain)
    return different[:_MOST_FORMS]


def _labelled(rows: Sequence[Row]) -> Iterator[tuple[int, list[Head]]]:
    """Yield the rows that begin with one label, or with the kind of a question, as questions without numbers do."""
    labels: dict[str, list[Head]] = defaultdict(list)
    for at, row in enumerate(rows):
        if match := LABEL.match(row.flat):
            label = "kind" if _KIND.search(match["label"]) else match["label"]
            end = 0 if _ANSWERS.match(label) else match.end()
            labels[label].append(Head(at, len(labels[label]) + 1, end, match["label"].strip()))
    yield from ((len(heads) - _RESTART, heads) for heads in labels.values())


def _counting(heads: Sequence[Head]) -> tuple[int, list[Head]]:
    """Return the longest run of heads that count on by one, or begin at 1 again, with what it is worth."""
    best: dict[int, tuple[int, int]] = {}  # by its last number: the worth of a run, and where in `linked` it ends
    linked: list[tuple[Head, int]] = []
    top, top_at = 0, -1
    if len({head.number for head in heads}) == 1 and heads[0].number == 1:  # a list whose numbers were lost by a program
        return len(heads) - _RESTART, list(heads)
    for head in heads:
        worth, above = best.get(head.number - 1, (0, -1))
        if head.number == 1 and top - _RESTART > worth:
            worth, above = top - _RESTART, top_at
        linked.append((head, above))
        if worth + 1 >= best.get(head.number, (0, -1))[0]:
            best[head.number] = (worth + 1, len(linked) - 1)
        if worth + 1 >= top:
            top, top_at = worth + 1, len(linked) - 1
    chain: list[Head] = []
    at = top_at
    while at >= 0:
        head, at = linked[at]
        chain.append(head)
    return top, _first_of_pairs(chain[::-1], heads)


def _first_of_pairs(chain: list[Head], heads: Sequence[Head]) -> list[Head]:
    """Return the first row of each number if nearly all are on two rows: `第1题`, and below `第1题 正确答案：B`."""
    by_number: dict[int, list[Head]] = defaultdict(list)
    for head in heads:
        by_number[head.number].append(head)
    first: list[Head] = []
    above = -1
    for head in chain:
        first += [other for other in by_number[head.number] if above < other.at < head.at][:1]
        above = head.at
    return first if len(first) > 0.8 * len(chain) and len(first) == len(chain) else chain
