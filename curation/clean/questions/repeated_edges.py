"""What begins or ends many of a file's questions alike, as a layout does and words do not: the texts of a page in, repeated edges out.

A form that was misunderstood leaves something of itself in what was read: a label before the options, a tag before each stem, a letter
behind it, a row of points below. No single question shows it; that it recurs does.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_FEWEST, _RECURS, _SAMPLE = 4, 0.25, 200
"""Number and share of the questions with one edge that is none by chance; how many questions show a page's edges."""
_ROWS = re.compile(r"[\n\t]")
_LABEL = re.compile(r"[\W_]{0,4}(?P<said>[^\W\d_]{1,8})[\W_]?\s?:")
_ROW = re.compile(r"[\W_]{0,4}(?P<said>[^\W\d_]{1,8})(?:[\W_]?\s?[:。,]|[\W_]{0,2}$)")
"""What begins a further row, or is one: `选`, `错误。……`."""
_TAG = r"[(\[{<【〔「『`](?P<said>[^()\[\]{}<>【】〔〕「」『』`]{0,13}\w[^()\[\]{}<>【】〔〕「」『』`]{0,13})[)\]}>】〕」』`]"
_FIRST = (
    re.compile(rf"[\W_]{{0,2}}?{_TAG}"),
    re.compile(r"(?P<said>[^\s(]{1,8}(?<![,、。;:]))\s+(?=[\u4e00-\u9fff《“(])"),
    re.compile(r"(?P<said>[^\w\s(\[【《<“\"'‘±+\-.…—_①-⑳]+)(?!\s?\d)"),
)
_LAST = (
    re.compile(rf"{_TAG}[\W_]{{0,2}}$"),
    re.compile(r"(?<=[\u4e00-\u9fff)?。_])\s+(?P<said>[^\s)]{1,8})$"),
    re.compile(r"(?P<said>[^\w\s)\]】》>”\"'’。.?:;!,、…—_％%°+\-↑↓①-⑳]+)$"),
    re.compile(r"(?:(?<=[\u4e00-\u9fff。?_])|(?<=[(\[]\s[)\]])|(?<=[(\[][)\]]))\s?(?P<said>[A-Ja-j]{1,5})$"),
)
_LABELLED, _BRACKETS = len(_FIRST) + len(_LAST), 3
"""The index of labels, and how many brackets and signs may stand around an edge."""
_LETTERS = re.compile(r"(?<![A-Za-z])[A-Ja-j]{1,5}(?![A-Za-z])")
_SIGNS = re.compile(r"[^\w\s]+")
_NUMBER = re.compile(r"[\d.、:()]+")
_DIGITS = re.compile(r"\d+")

Edge = tuple[int, str]
"""The index of a pattern, and what it matched, digits and letters aside."""


class PageEdges(NamedTuple):
    """The edges that recur in the questions of a page."""

    stems: frozenset[Edge] = frozenset()
    options: frozenset[Edge] = frozenset()

    def are_left(self, raw_stem: str, stem: str, options: Iterable[str]) -> bool:
        """Return whether a question still has one of them once it is cleaned.

        Args:
            raw_stem: without its number and what clean knows as a frame.
        """
        if self.stems and any(_is_left(edge, stem) for edge in self.stems.intersection(_edges_of(raw_stem))):
            return True
        return bool(self.options) and any(not self.options.isdisjoint(_edges_of(option)) for option in options)


NO_EDGES = PageEdges()


def edges_of_page(questions: Sequence[tuple[str, Sequence[str]]]) -> PageEdges:
    """Return the edges that recur on a page.

    Args:
        questions: the stem of each, without its number and what clean knows as a frame, and its options, without their letters.
    """
    if len(questions) < _FEWEST:
        return NO_EDGES
    some = questions[:: max(1, len(questions) // _SAMPLE)]
    return PageEdges(
        _recurring([{*_edges_of(stem)} for stem, _ in some]),
        _recurring([{edge for option in options for edge in _edges_of(option)} for _, options in some]),
    )


def _recurring(edges: Sequence[set[Edge]]) -> frozenset[Edge]:
    times = Counter(edge for own in edges for edge in own)
    enough = max(_FEWEST, _RECURS * len(edges))
    return frozenset(edge for edge, count in times.items() if count >= enough)


def _edges_of(text: str) -> Iterator[Edge]:
    rows = [row.strip() for row in _ROWS.split(unicodedata.normalize("NFKC", text)) if row.strip()] or [""]
    labels = Counter(match["said"] for at, row in enumerate(rows) if (match := (_ROW if at else _LABEL).match(row)))
    if max(labels.values(), default=0) == 1:  # else they are the speakers of a conversation
        yield from ((_LABELLED, label) for label in labels)
    for at, pattern in enumerate(_FIRST):
        if (match := pattern.match(rows[0])) and not _NUMBER.fullmatch(match["said"]):
            yield at, _masked(match["said"])
    for at, pattern in enumerate(_LAST, len(_FIRST)):
        if match := pattern.search(rows[-1]):
            yield at, _masked(match["said"])


def _is_left(edge: Edge, text: str) -> bool:
    """Return whether a cleaned text has an edge of its raw one."""
    kind, said = edge
    words = "".join(_masked(unicodedata.normalize("NFKC", text)).split())
    if _SIGNS.fullmatch(said):  # a rule may have taken some of them
        return any(words.startswith(said[at:]) or words.endswith(said[: at + 1]) for at in range(len(said)))
    near = len(said) + _BRACKETS
    return said in (words if kind == _LABELLED else words[:near] if kind < len(_FIRST) else words[-near:])


def _masked(said: str) -> str:
    return _DIGITS.sub("0", _LETTERS.sub("A", said.strip()))
