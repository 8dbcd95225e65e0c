"""The headings between the questions of a paper: rows in, the heading of each question out."""

import re
from collections.abc import Sequence

from crawlers.papers.signs.headings import case_heading_in, is_note, kind_of
from crawlers.papers.signs.headings import heads as is_heading
from crawlers.template_reader.counters import Row

KIND = re.compile(r"单[项选]|多[项选]|不定项|判断|是非|选择|填空|简答|^[单多判]$")
"""Words that name the kind of a question."""
_LONGEST_HEADING = 60
_SECTION = re.compile(r"[(（]?[一二三四五六七八九十]{1,3}[)）、.\s]|第.{1,3}[部章节]")
_MARKED = re.compile(r"#{1,6}\s")
_SHARES = re.compile(r"配伍|(?<![A-Za-z])B1?\s?型|共用")


def section_headings(spans: Sequence[list[Row]], first: str | None) -> list[str | None]:
    """Take the headings of sections from the ends of the questions above them; return that below each question."""
    headings: list[str | None] = []
    is_form = sum(len(span) > 1 and _MARKED.match(span[-1].flat) is not None for span in spans) >= len(spans) / 2
    for span in spans:
        last = headings[-1] if headings else first
        if len(span) > 1 and (heads_section(span[-1]) or (not is_form and _is_marked(span[-1]))):
            last = span.pop().text
        headings.append(last)
    return headings


def heads_section(row: Row) -> bool:
    """Return whether a row is the heading of a section."""
    heads = is_heading(row.flat) or (_SECTION.match(row.flat) and KIND.search(row.flat))
    return len(row.text) <= _LONGEST_HEADING and bool(heads) and not _is_shared(row.flat)


def _is_marked(row: Row) -> bool:
    """Return whether a row is a heading of Markdown."""
    return _MARKED.match(row.flat) is not None and len(row.text) <= _LONGEST_HEADING and not _is_shared(row.flat)


def announces_shared(line: str) -> bool:
    """Return whether a flat line, as short as a heading, announces what several questions share."""
    return len(line) <= _LONGEST_HEADING and _is_shared(line)


def _is_shared(line: str) -> bool:
    """Return whether a flat line announces what several questions share."""
    return is_note(line) or case_heading_in(line) is not None or kind_of(line) == "case" or _SHARES.search(line) is not None
