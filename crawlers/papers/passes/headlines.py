"""Text above questions without numbers that is not part of them: headings, tags, links, properties of a note -> empty lines.

Numbered lines in, as many lines out. A numbered question begins at its number; one without would begin with its heading.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from crawlers.papers.passes.unnumbered import has_numbers
from crawlers.papers.signs.answer_marks import Numbered, flat, parts_of
from crawlers.papers.signs.headings import heads, is_note, is_paper_title, tells_age, tells_patient
from crawlers.papers.signs.letters import letter_of

_FEWEST = 3  # questions
NONE_ABOVE = 0.6
"""Share of the questions that must have nothing above their stems for the text above the others to be a title."""
_LONGEST = 40  # characters of a title
_RULE = re.compile(r"[-=_*~]{3,}\s{0,9}")
_BULLETS = "-*+•> \t"
_LINK = r"!?\[\[[^\[\]]{1,200}\]\]|!?\[[^\[\]]{0,200}\]\([^()\s]{0,400}\)"
_TAG = r"#[^\s#|,.:;?!()\[\]\"'`]{1,60}"
_APART = r"[\s|·•/>→←<,、-]"
_LINKS = re.compile(rf"(?:[^\s:\[\]]{{1,8}}:{{1,2}}\s{{0,9}})?(?:(?:{_LINK}|{_TAG}){_APART}{{0,9}}){{1,60}}")
"""A line with only links and tags, `#错题本 #口腔`, `[[目录]] | [[上一章]]`, `来源：[[2019]]`."""
_PROPERTY = re.compile(r"[A-Za-z][\w-]{0,30}::?(?:\s.{0,400})?|\s{1,8}-\s.{0,200}|\s{0,8}")
_FENCE = re.compile(r"\s{0,3}```(?P<language>\w{0,20})\s{0,9}")
_QUERIES = {"dataview", "dataviewjs", "query", "tasks", "button"}
_HEADING_SIGNS = ("#", "＃")
_HEADING = re.compile(r"(?P<signs>#{1,6})\s{1,4}\S")
_NUMBER = re.compile(
    r"#{1,6}\s{1,4}(?:(?:Q(?:uestion)?|No\.?|[试问]?题目?)\s{0,2}#?)?0{0,3}(?P<number>[1-9]\d{0,3})\s{0,3}[.、:]?", re.IGNORECASE
)
"""A heading that is only a number: `### 1`, `## Q01`."""
_ENDS = re.compile(r"[。?!:;]$|[(\[]\s{0,9}[)\]]|_{2,}")
"""What ends a sentence or leaves a gap: it may be part of a question."""

_PREFACE = re.compile(
    r"[【\[(<*]{1,2}[\u4e00-\u9fff]{0,6}(?:说明|须知|注意事项|提示)\s?(?:[】\])>]|:)|[\u4e00-\u9fff]{0,6}(?:须知|注意事项)\s?:"
)
"""What tells above the first question how to fill in or import a paper."""


def without_headlines(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, emptied where one is above a question and not part of it; headings that are numbers become those of questions."""
    if not any(text[:1] in _HEADING_SIGNS for _, text in lines) and has_numbers(lines):
        return list(lines)
    flats = [flat(text).rstrip() for _, text in lines]
    if numbers := _numbers(flats):
        return [(index, f"第{numbers[at]}题" if at in numbers else text) for at, (index, text) in enumerate(lines)]
    if has_numbers(lines):
        return list(lines)
    gone = {*_front_matter(flats), *_queries(flats)}
    gone |= {at for at, line in enumerate(flats) if line.lstrip()[:1] in ("#", "[", "!") and _LINKS.fullmatch(line.strip())}
    above = _above_stems(["" if at in gone or _RULE.fullmatch(line) else line.strip() for at, line in enumerate(flats)])
    if len(above) >= _FEWEST:
        gone |= {at for one in above for at in one if _LINKS.fullmatch(flats[at].strip())}
        gone |= _headings(flats, above)
        gone |= _titles(["" if at in gone else line for at, line in enumerate(flats)], above)
    return [(index, "" if at in gone else text) for at, (index, text) in enumerate(lines)] if gone else list(lines)


def _numbers(flats: Sequence[str]) -> dict[int, str]:
    """Return the Markdown headings that are only numbers, if these count the questions: `### 1` above a stem."""
    numbers = {at: match["number"] for at, line in enumerate(flats) if line[:1] == "#" and (match := _NUMBER.fullmatch(line))}
    counts_on = [int(number) for number in numbers.values()] == list(range(1, len(numbers) + 1))
    return numbers if counts_on and len(numbers) >= _FEWEST else {}


def _front_matter(flats: Sequence[str]) -> range:
    """Return the indices of the properties of a note, between rules at its very top."""
    first = next((at for at, line in enumerate(flats) if line), 0)
    if not flats or not _RULE.fullmatch(flats[first]):
        return range(0)
    end = next((at for at in range(first + 1, len(flats)) if not _PROPERTY.fullmatch(flats[at])), len(flats))
    return range(first, end + 1) if end < len(flats) and end > first + 1 and _RULE.fullmatch(flats[end]) else range(0)


def _queries(flats: Sequence[str]) -> Iterator[int]:
    """Yield the indices of code that a note-taking program runs."""
    language = None
    for at, line in enumerate(flats):
        fence = _FENCE.fullmatch(line)
        if language in _QUERIES or (fence and language is None and fence["language"].lower() in _QUERIES):
            yield at
        if fence:
            language = fence["language"].lower() if language is None else None


class _Above(list[int]):
    """Places of the lines between a question and the paragraph of the next one's stem."""

    stem: int = 0
    """Where that paragraph begins."""


def _above_stems(flats: Sequence[str]) -> list[_Above]:
    """Return what is above each stem: the paragraph followed by the question's options or answer."""
    blocks: list[_Above] = []
    paragraphs: list[list[int]] = [[]]
    within = False  # questions, from their options on
    for at, line in enumerate(flats):
        is_answer = bool(line) and any(kind == "answer" for kind, _ in parts_of(line))
        if not line:
            paragraphs += [[]] if paragraphs[-1] else []
        elif letter_of(line.lstrip(_BULLETS)) == "A" or (is_answer and not within):
            *above, stem = [paragraph for paragraph in paragraphs if paragraph] or [[]]
            if stem:
                one = _Above(index for paragraph in above for index in paragraph)
                one.stem = stem[0]
                blocks.append(one)
            within, paragraphs = not is_answer, [[]]
        elif is_answer:
            within, paragraphs = False, [[]]
        elif not within:
            paragraphs[-1].append(at)
    return blocks


def _headings(flats: Sequence[str], above: Sequence[_Above]) -> set[int]:
    """Return the indices of Markdown headings of a level that is above few questions: otherwise these are the stems."""
    levels = [{match["signs"] for at in (*one, one.stem) if (match := _HEADING.match(flats[at]))} for one in above]
    usual = {level for level in set().union(*levels) if sum(level in some for some in levels) * 2 > len(levels)}
    indices = [at for one in above for at in (*one, one.stem)]
    return {
        at
        for at in indices
        if (match := _HEADING.match(flats[at])) and match["signs"] not in usual and not heads(flats[at]) and not _ENDS.search(flats[at])
    }


def _titles(flats: Sequence[str], above: Sequence[_Above]) -> set[int]:
    """Return the indices of the paper's title, and of paragraphs above a stem if nearly all stems have none: titles."""
    titled = [[at for at in one if flats[at] and not heads(flats[at])] for one in above]
    is_rare = sum(not each for each in titled[1:]) >= NONE_ABOVE * (len(titled) - 1)
    rare = [each for each in titled if each and all(may_be_title(flats[at].strip()) for at in each)] if is_rare else []
    preface = {at for at in above[0] if _PREFACE.match(flats[at].strip())}
    title = takewhile(lambda at: _opens_paper(flats[at].strip()) and flats[at + 1].strip(), range(above[0].stem, len(flats)))
    return {at for each in rare for at in each} | preface | set(title)


def _opens_paper(line: str) -> bool:
    return is_paper_title(line) or _PREFACE.match(line) is not None


def may_be_title(line: str) -> bool:
    """Return whether a flat line is short, ends no sentence and describes no patient."""
    may_be_case = tells_age(line) or tells_patient(line) or is_note(line)
    return len(line) <= _LONGEST and not _ENDS.search(line) and not heads(line) and not may_be_case
