"""Read the questions of a paper from its lines. It has no side effects and is shared by spiders of sites whose papers are running text.

    for draft in read_paper(lines_of(page.css("div.article"))).drafts:
        yield self.question(response, draft.position, exam_raw=…, paper_raw=…, **draft.raw_fields())

First, what other formats and OCR left in the lines is normalised (`STEPS`). Each package of crawlers/read/lines then builds on the previous
one: the paper's own lines, without page numbers and running titles (pages); headings, answer lists and first lines of questions (sections);
each question's own lines, case and options (questions); listed answers for the questions (answer_key); uncertain readings (doubts).
docs/papers.md lists the supported forms. Each question number ends up in `questions`, or in `rejected` with a reason if the question cannot
be read with certainty. Texts stay unchanged, including numbers, letters, score tags and no-break spaces, with two exceptions: numbers in a
form that `clean` does not know, such as Q1 or 【题号】1, and tags of type and year are removed, as are spaces that OCR put between
characters. A line that belongs nowhere is in `unread`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import structs

from crawlers.read.lines.doubts.question import question_doubts, verified, with_ringed_answers, with_titles_doubted
from crawlers.read.lines.doubts.sections import section_doubts, titled
from crawlers.read.lines.markdown import unescaped, unfolded
from crawlers.read.lines.marks import MAY_EMPHASISE, TICKS, label_emphasis, label_ticks
from crawlers.read.lines.pages.page import own_lines
from crawlers.read.lines.pages.wraps import opens_content
from crawlers.read.lines.passes import (
    blanks_joined,
    essays_joined,
    letters_joined,
    official_answers,
    tabs_as_points,
    verdicts_lettered,
    without_field_names,
    without_light_markup,
)
from crawlers.read.lines.questions.answer_key import join_regions
from crawlers.read.lines.questions.assembly import assemble, with_doubts
from crawlers.read.lines.questions.banks import Bank, read_bank
from crawlers.read.lines.questions.draft import Draft, ParsedPaper
from crawlers.read.lines.questions.shared import below_old_options, with_joined_keys, with_shared_answers, with_unlettered
from crawlers.read.lines.sections.layout import lay_out
from crawlers.read.vocabulary.entries import kinds_of
from crawlers.read.vocabulary.headings import heads
from crawlers.read.vocabulary.labels import IMAGE, Numbered, flat, flatten, forget_lines, parts_of, plain, visible
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import letter_of
from crawlers.text.fields import text_of

__all__ = ["IMAGE", "Draft", "ParsedPaper", "labelled_lines", "lines_of", "read_paper"]


def lines_of(page: Any, drop_hidden: bool = False) -> list[str]:
    """Return the lines of a selector, tag or HTML string, with a placeholder for every image."""
    html = page if isinstance(page, str) else (page.get() or "") if hasattr(page, "css") else str(page)
    return text_of(html.replace("<img", f"{IMAGE}<img").replace("<IMG", f"{IMAGE}<img"), drop_hidden).split("\n")


class Step(NamedTuple):
    """One pass over the lines of a paper."""

    run: Callable[[Sequence[Numbered]], Iterable[Numbered]]
    needs: Sequence[str] = ()
    """Every text that the pass changes contains at least one of these, in half-width characters."""


STEPS = (
    Step(unescaped, "\\"),
    Step(unfolded, ("<summary", "<details", "</details")),
    Step(label_emphasis, MAY_EMPHASISE),
    Step(without_light_markup, "*_`>"),
    Step(official_answers, "我你您生员分"),
    Step(without_field_names, ("题干", "题目", "题面", "试题", "选项", "答案A")),
    Step(verdicts_lettered),
    Step(tabs_as_points),
    Step(blanks_joined, ")]】"),
    Step(letters_joined),
    Step(label_ticks, TICKS),
)
"""Clean-up of what other formats and platforms left in the text, in order."""
ESSAYS = (Step(essays_joined, ("要点", "答")),)


def run_steps(lines: Sequence[Numbered], steps: Iterable[Step]) -> list[Numbered]:
    """Run the passes whose trigger characters occur in the text, and return the lines."""
    lines, text = list(lines), ""
    for step in steps:
        text = text or "\n".join(dict.fromkeys(flat(line) for _, line in lines))
        if not step.needs or any(need in text for need in step.needs):
            done = list(step.run(lines))
            lines, text = (done, "") if done != lines else (lines, text)
    return lines


def labelled_lines(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return the lines with their indices, with the remains of other formats normalised."""
    labelled = [(index, visible(line)) for index, line in enumerate(lines)]
    flatten([line for _, line in labelled])
    return run_steps(labelled, STEPS)


def read_paper(lines: Iterable[str]) -> ParsedPaper:
    """Return the questions of a paper in order."""
    labelled = labelled_lines(lines)
    if bank := read_bank(labelled):
        return _of_bank(bank)
    own, unread = own_lines(run_steps(labelled, ESSAYS))
    del labelled  # in a large paper, a second copy of all lines
    layout = lay_out(own)
    questions, between = assemble(layout)
    questions, unlisted = join_regions(layout, with_shared_answers(questions))
    unread += [*between, *unlisted]
    joined_keys = with_joined_keys(questions)
    questions = with_ringed_answers(with_unlettered(with_doubts(questions, joined_keys)))
    if not any(span.number.style != "tight" or span.number.value == 1 for span in layout.spans):
        questions = [one.doubted("number_out_of_order") for one in questions]  # a year or a dose that begins a line
    # Later passes rely on what earlier ones consider certain, so the first doubt is the one reported.
    below_titles = dict.fromkeys(titled(layout, questions), "stem_unreadable")
    for doubts in (
        question_doubts(layout, questions, below_titles.keys()),
        below_old_options(questions),
        below_titles,
        section_doubts(layout, questions, unread),
    ):
        questions = with_doubts(questions, doubts)
    forget_lines(flat, plain, parts_of, number_of, letter_of, heads, kinds_of, opens_content)
    return _reading([one.draft for one in questions], unread, len(layout.spans))


def _of_bank(bank: Bank) -> ParsedPaper:
    """Return the questions of an unnumbered bank: each answer in it is in `questions` or in `rejected`."""
    return _reading(with_titles_doubted([verified(draft) for draft in bank.drafts]), bank.unread, len(bank.drafts))


def _reading(drafts: Sequence[Draft], unread: list[str], numbers: int) -> ParsedPaper:
    counted = [structs.replace(draft, ordinal=index) for index, draft in enumerate(drafts, 1)]
    return ParsedPaper([draft for draft in counted if not draft.doubts], unread, [draft for draft in counted if draft.doubts], numbers)
