"""A paper's lines -> its segments, each with its features: a segment is the piece of a line that has one role. No roles are decided here.

A line is cut at its marks (`B. 乙 答案：A`) and at consecutive options.
"""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, columns_of, flat, parts_of, trimmed
from crawlers.papers.signs.entries import is_title, listed_in
from crawlers.papers.signs.headings import heads, is_note, is_paper_title
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import Number, number_of
from crawlers.papers.signs.options import find_options

_RULE = re.compile(r"[-=_*·.~#+|\s★☆◆◇■□●○▲△※]{3,}$")
_PAGE = re.compile(r"[-·]{1,3}\s{0,3}\d{1,4}\s{0,3}[-·]{1,3}|第?\s{0,2}\d{1,4}\s{0,2}[页/].{0,20}|\d{1,4}")
_BULLET = re.compile(r"[-*•·◦▪○●#□☐]\s{0,3}(?=\S)")
LABEL = re.compile(r"[【\[<(]\s?(?P<bracketed>[^\W\d]{1,8})\s?[】\]>)]\s?:?\s?|(?P<named>[^\W\d]{1,8})\s?:\s?")
_BLANK = re.compile(r"[(\[【]\s{0,12}[)\]】]|_{2,}|[(\[【]\s{0,6}(?:[A-J]{1,6}|√|×|对|错)\s{0,6}[)\]】]")
_EXPLAINS = re.compile("[析解释由因]|依据|出处|教材|考点|知识")
_ANSWERS = re.compile("答|[Kk]ey|[Aa]ns|选")
_ENDS = (
    ("blank", re.compile(r"(?:[)\]】]|_)\s?[。.]?$")),
    ("asks", re.compile(r"[?:]$")),
    ("stop", re.compile(r"[。;!.]$")),
    ("comma", re.compile(r"[,、]$")),
)
_LENGTHS = (2, 6, 14, 28, 60)
_OFTEN = 3


class Segment(Struct):
    """A piece of a line, and its features."""

    line: int
    text: str
    mark: str
    """`text`, `answer`, `explanation` or `remark`, according to the mark before it."""
    opens: bool
    """Whether it begins its line."""
    number: Number | None = None
    letter: str = ""
    label: str = ""
    """A word in brackets or before a colon that it begins with, as many other segments of the paper do."""
    gap: bool = False
    features: list[str] = []


def segments_of(lines: Sequence[tuple[int, str]]) -> list[Segment]:
    """Return the segments of a paper's lines, which are given with their index."""
    segments: list[Segment] = []
    gap = False
    for index, text in lines:
        line = trimmed(text)
        if not line:
            gap = True
            continue
        segments += _cut(index, line, gap)
        gap = False
    labels = Counter(label for one in segments if one.opens and (label := _label(one.text)))
    for one in segments:
        one.label = label if one.opens and labels[label := _label(one.text)] >= _OFTEN else ""
    _describe(segments)
    return segments


def _cut(index: int, line: str, gap: bool) -> list[Segment]:
    pieces: list[tuple[str, str]] = []
    for kind, words in parts_of(line):
        cuts = _options_at(words) if kind == "text" else []
        if cuts:
            pieces += [(kind, words[: cuts[0]].strip())] if words[: cuts[0]].strip() else []
            pieces += [(kind, words[start:stop].strip()) for start, stop in zip(cuts, [*cuts[1:], len(words)], strict=True)]
        else:
            pieces.append((kind, words))
    return [
        Segment(
            line=index,
            text=words,
            mark=kind,
            opens=piece_index == 0,
            number=number_of(flat(words)) if kind == "text" and piece_index == 0 else None,
            letter=letter_of(words) if kind == "text" else "",
            gap=gap and piece_index == 0,
        )
        for piece_index, (kind, words) in enumerate(pieces)
    ]


def _options_at(text: str) -> list[int]:
    """Return where the options of a line begin, if it has several."""
    options = find_options(text)
    return sorted(start for start, _ in options.cuts) if options and len(options.cuts) > 1 else []


def _label(text: str) -> str:
    match = LABEL.match(flat(text))
    return (match["bracketed"] or match["named"]) if match else ""


def _kind(one: Segment, last_number: int, last_letter: str) -> str:
    """Return what a segment appears to be by itself."""
    line = flat(one.text)
    if one.mark != "text":
        return one.mark
    if one.letter and (one.letter == "A" or (last_letter and ord(one.letter) == ord(last_letter) + 1)):
        return "letter A" if one.letter == "A" else "next letter"
    if one.number and one.number.style != "hanzi" and not one.number.counted:
        style = "tight " if one.number.style == "tight" else ""
        return f"{style}next number" if one.number.value in (1, last_number + 1) else f"{style}number"
    if one.label:
        return "label why" if _EXPLAINS.search(one.label) else "label answer" if _ANSWERS.search(one.label) else "label"
    if len(listed_in(one.text).entries) > 1 if len(line) < 4000 else False:
        return "list"
    if is_title(line):
        return "key title"
    if heads(line) or is_paper_title(line):
        return "head"
    if is_note(line):
        return "note"
    if _RULE.fullmatch(line):
        return "rule"
    if _PAGE.fullmatch(line):
        return "page"
    if WHOLE_ANSWER.fullmatch(line):
        return "answer alone"
    if one.letter:
        return "letter"
    if one.opens and _BULLET.match(line):
        return "bullet"
    return "blank" if _BLANK.search(line) else "plain"


def _describe(segments: Sequence[Segment]) -> None:
    """Set the features of each segment."""
    widths = sorted(columns_of(flat(one.text)) for one in segments if one.opens)
    full = widths[len(widths) * 9 // 10] if widths else 0
    bare = [re.sub(r"[\d\s]", "", flat(one.text)) for one in segments]
    often = Counter(bare)
    kinds: list[str] = []
    number, letter = 0, ""
    for one in segments:
        kind = _kind(one, number, letter)
        kinds.append(kind)
        letter = one.letter if kind in ("letter A", "next letter") else "" if kind in ("answer", "explanation") else letter
        number = one.number.value if one.number and kind in ("next number", "tight next number") else number
    opening = sum(one.opens for one in segments) or 1
    counts = Counter(kinds)
    lettered = "lettered" if (counts["letter A"] + counts["next letter"]) * 5 > opening else "unlettered"
    numbered = "numbered" if counts["next number"] * 12 > opening else "unnumbered"
    answered = "answered" if (counts["answer"] + counts["label answer"]) * 12 > opening else "unanswered"
    gapped = "gapped" if sum(one.gap for one in segments) * 12 > opening else "close"
    since_letter = since_answer = since_plain = 9
    for index, (one, kind) in enumerate(zip(segments, kinds, strict=True)):
        line = flat(one.text)
        before = kinds[index - 1] if index else "start"
        after = kinds[index + 1] if index + 1 < len(kinds) else "end"
        beyond = kinds[index + 2] if index + 2 < len(kinds) else "end"
        broken = index > 0 and columns_of(flat(segments[index - 1].text)) >= 0.85 * full and segments[index - 1].opens and one.opens
        gap = f"gap {one.gap}"
        end = next((name for name, form in _ENDS if form.search(line)), "open")
        ended = next((name for name, form in _ENDS if form.search(flat(segments[index - 1].text))), "open") if index else "start"
        size = sum(len(line) > length for length in _LENGTHS)
        below_gap = f"below {segments[index + 1].gap}" if index + 1 < len(segments) else "below end"
        one.features = [
            "always",
            kind,
            f"{kind}|{before}",
            f"{kind}|{after}",
            f"{kind}|{before}|{after}",
            f"{kind}|{gap}|{gapped}",
            f"{kind}|{numbered}",
            f"{kind}|{numbered}|{lettered}",
            f"{kind}|{answered}|{after}",
            f"{kind}|{numbered}|{gap}|{before}",
            f"{kind}|{end}|{size}",
            f"{kind}|{after}|{beyond}",
            f"{kind}|since letter {min(since_letter, 3)}|since answer {min(since_answer, 3)}",
            f"{kind}|since plain {min(since_plain, 4)}|{lettered}",
            f"{kind}|broken {broken}|{ended}",
            f"{kind}|{ended}|{gap}",
            f"{kind}|{below_gap}|{after}",
            f"often {often[bare[index]] >= _OFTEN and bool(bare[index])}|{kind}",
            f"opens {one.opens}|{kind}",
        ]
        since_letter = 0 if kind in ("letter A", "next letter") else since_letter + 1
        since_answer = 0 if kind in ("answer", "label answer") else since_answer + 1
        since_plain = 0 if kind in ("plain", "blank", "next number") else since_plain + 1
