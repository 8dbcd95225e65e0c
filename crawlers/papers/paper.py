"""A paper in lines of text -> its questions. Pure; the spiders of sites whose papers are running text share it.

    for draft in read_paper(lines_of(page.css("div.article"))).drafts:
        yield self.question(response, draft.position, exam_raw=…, paper_raw=…, **draft.raw_fields())

It is read in passes, each a module of crawlers/papers: what other formats left in the text (emphasis, gift, markup, exports), spelling
(spelling, vertical, rings, boxes, ticks) and numbers that are missing altogether (banks,
unnumbered); tables (table) and rows of questions (crowded); the
lines of the paper itself (page, furniture, wraps, columns, runs); lists of answers (listed, regions); headings and notes (headings,
titles, groups); which numbers are those of questions (chain, endings, layout); each question's own lines (block, options,
answers); answers from the lists (shared, key, join); options without letters (unlettered); doubts (doubts, unanswered).
docs/papers.md lists the manners of writing that are read.
A question that cannot be read with certainty is in `rejected`, with a reason of crawlers.papers.draft.DOUBTS: each number that opens a
question is in `questions` or in `rejected`.
Texts stay as they came, numbers, letters, score tags and no-break blanks included; numbers in a form that `clean` does not know, such as
Q1 or 【题号】1, and tags of type and year around them are left out; blanks that a scan put
between characters are closed. A line that belongs to nothing is in `unread`.
"""

from collections.abc import Iterable
from typing import Any

from crawlers.papers.assembly import assemble
from crawlers.papers.banks import Bank, read_bank
from crawlers.papers.boxes import boxes_told
from crawlers.papers.crowded import crowded_in
from crawlers.papers.doubts import settle
from crawlers.papers.draft import Draft, Reading
from crawlers.papers.emphasis import emphasis_told
from crawlers.papers.essays import essays_joined
from crawlers.papers.exports import without_fields
from crawlers.papers.gift import without_gift
from crawlers.papers.join import join_regions
from crawlers.papers.layout import lay_out
from crawlers.papers.lines import IMAGE, visible
from crawlers.papers.markup import without_markup
from crawlers.papers.page import own_lines
from crawlers.papers.rings import rings_as_letters
from crawlers.papers.shared import doubt_joined_keys, doubt_old_options, share_answers
from crawlers.papers.spelling import usual_spelling
from crawlers.papers.table import tables_in
from crawlers.papers.ticks import ticks_told
from crawlers.papers.unanswered import doubt_unanswered
from crawlers.papers.unlettered import take_unlettered
from crawlers.papers.unnumbered import numbered
from crawlers.papers.verify import verify, verify_alone
from crawlers.papers.vertical import cells_joined
from crawlers.text.fields import text_of

__all__ = ["IMAGE", "Draft", "Reading", "lines_of", "read_paper", "told_lines"]


def lines_of(page: Any, drop_hidden: bool = False) -> list[str]:
    """Return the lines of a selector, tag or piece of HTML, with a sign for every image."""
    html = page if isinstance(page, str) else (page.get() or "") if hasattr(page, "css") else str(page)
    return text_of(html.replace("<img", f"{IMAGE}<img").replace("<IMG", f"{IMAGE}<img"), drop_hidden).split("\n")


def told_lines(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return the lines with their places, what other formats left in them and how they are spelled made usual."""
    given = [(index, visible(line)) for index, line in enumerate(lines)]
    plain = boxes_told(without_fields(without_markup(without_gift(emphasis_told(given)))))
    return list(ticks_told(rings_as_letters(cells_joined(usual_spelling(plain)))))


def read_paper(lines: Iterable[str]) -> Reading:
    """Return the questions of a paper in their order."""
    told = told_lines(lines)
    if bank := read_bank(told):
        return _of_bank(bank)
    source = essays_joined(numbered(told))
    tabled, rest = tables_in(source)
    crowded, rest = crowded_in(rest)
    tabled += crowded
    own, unread = own_lines(rest)
    layout = lay_out(own)
    asked = assemble(layout, unread)
    share_answers(asked)
    unread += join_regions(layout, asked)
    doubt_joined_keys(asked)
    take_unlettered(asked)
    settle(layout, asked, unread)
    doubt_unanswered(asked)
    doubt_old_options(asked)
    verify(layout, asked, unread)
    drafts = [one.draft for one in asked]
    if tabled:
        drafts = sorted([*drafts, *tabled], key=lambda draft: draft.line)
    for place, draft in enumerate(drafts, 1):
        draft.place = place
    given_up = [draft for draft in drafts if draft.doubt]
    return Reading([draft for draft in drafts if not draft.doubt], unread, given_up, len(layout.spans) + len(tabled))


def _of_bank(bank: Bank) -> Reading:
    """Return what a bank without numbers gave: each answer in it is in `questions` or in `rejected`."""
    verify_alone(bank.drafts)
    given_up = [draft for draft in bank.drafts if draft.doubt]
    return Reading([draft for draft in bank.drafts if not draft.doubt], bank.unread, given_up, len(bank.drafts))
