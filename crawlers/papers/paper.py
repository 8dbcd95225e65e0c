"""A paper in lines of text -> its questions. Pure; the spiders of sites whose papers are running text share it.

    for draft in read_paper(lines_of(page.css("div.article"))).drafts:
        yield self.question(response, draft.position, exam_raw=…, paper_raw=…, **draft.raw_fields())

It is read in passes, by packages of crawlers/papers that each build on the previous ones: the forms of numbers, letters, headings and keys
(signs); the paper's own lines, without page numbers and running titles (pages); which lines are headings, lists of answers and first lines
of questions (sections); what other formats and scans left in the text, normalised (passes); each question's own lines, its case and its
options (questions); answers from the lists to their questions (answer_key); what is uncertain (doubts). docs/papers.md lists the supported
forms. A question that cannot be read with certainty is in `rejected`, with a reason of crawlers.papers.questions.draft.DOUBTS: each number
that begins a question is in `questions` or in `rejected`. Texts are kept unchanged, including numbers, letters, score tags and no-break
spaces; numbers in a form that `clean` does not know, such as Q1 or 【题号】1, and tags of type and year around them are left out; spaces
that a scan put between characters are removed. A line that belongs to nothing is in `unread`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import structs

from crawlers.papers.answer_key.join import join_regions
from crawlers.papers.doubts.unanswered import unanswered
from crawlers.papers.doubts.unsure import unsure, with_ringed_answers, with_titles_doubted
from crawlers.papers.doubts.verify import read_otherwise, verified
from crawlers.papers.pages.page import Line, own_lines
from crawlers.papers.pages.recurring import opens_content
from crawlers.papers.passes.answers_first import OPENS_WITH_ANSWER, answers_moved
from crawlers.papers.passes.bare_answers import label_bare_answers
from crawlers.papers.passes.bare_explanations import label_explanations
from crawlers.papers.passes.beside_options import MAY_STAND_BESIDE, label_beside_options
from crawlers.papers.passes.box_places import boxes_placed
from crawlers.papers.passes.boxes import ANY_BOX, label_boxes
from crawlers.papers.passes.card_sides import NAMES_SIDE, sides_labelled
from crawlers.papers.passes.chats import label_chats
from crawlers.papers.passes.cloze import label_clozes
from crawlers.papers.passes.contents import without_contents
from crawlers.papers.passes.controls import CONTROL_STEPS, MAY_HAVE_CONTROLS, without_rows_of_controls
from crawlers.papers.passes.counted import counts_as_letters
from crawlers.papers.passes.counting_words import COUNTS, counting_words_known
from crawlers.papers.passes.emphasis import MAY_EMPHASISE, label_emphasis
from crawlers.papers.passes.essays import ANNOUNCES_ANSWER, essays_joined
from crawlers.papers.passes.exports import FIELD_STEPS
from crawlers.papers.passes.filled_stems import filled_stems_numbered
from crawlers.papers.passes.gift import without_gift
from crawlers.papers.passes.headlines import without_headlines
from crawlers.papers.passes.markup import MARKUP_STEPS, WRAPS_LETTER, plain_letters, without_times
from crawlers.papers.passes.named_options import named_as_letters
from crawlers.papers.passes.note_properties import without_properties
from crawlers.papers.passes.quiz_makers import QUIZ_STEPS
from crawlers.papers.passes.quiz_markup import label_quiz_markup
from crawlers.papers.passes.recurring_names import label_recurring_names
from crawlers.papers.passes.rings import rings_as_letters
from crawlers.papers.passes.role_labels import MAY_LABEL, roles_labelled
from crawlers.papers.passes.score_columns import SCORE_NAMES, without_scores
from crawlers.papers.passes.signed_blocks import label_signed_blocks
from crawlers.papers.passes.spelling import usual_spelling
from crawlers.papers.passes.stacked import STANDS_ALONE, stacked_joined
from crawlers.papers.passes.steps import Step, run_steps
from crawlers.papers.passes.ticks import TICKED, label_ticks
from crawlers.papers.passes.two_languages import MAY_BE_TWO, one_language
from crawlers.papers.passes.unnumbered import has_numbers, numbered
from crawlers.papers.passes.verdict_keys import MAY_LIST, verdict_lists_numbered
from crawlers.papers.passes.verdict_lines import BOXED_VERDICT, boxed_verdicts
from crawlers.papers.passes.verdict_places import MAY_PLACE, verdicts_placed
from crawlers.papers.passes.vertical import KEY_ROW, NUMBER_ALONE, NUMBER_ROW, ROW_HEAD, cells_joined, grids_named
from crawlers.papers.questions.assembly import assemble, with_doubts
from crawlers.papers.questions.banks import Bank, read_bank
from crawlers.papers.questions.crowded import crowded_in
from crawlers.papers.questions.draft import Draft, ParsedPaper
from crawlers.papers.questions.shared import (
    below_old_options,
    with_joined_keys,
    with_own_patients,
    with_shared_answers,
    with_verdict_options,
)
from crawlers.papers.questions.table import tables_in
from crawlers.papers.questions.unlettered import with_unlettered
from crawlers.papers.sections.layout import lay_out
from crawlers.papers.signs.answer_marks import IMAGE, Numbered, flat, flatten, parts_of, plain, visible
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.line_kinds import kinds_of
from crawlers.papers.signs.line_memo import forget_lines
from crawlers.papers.signs.numbers import number_of
from crawlers.text.fields import text_of

__all__ = ["IMAGE", "Draft", "ParsedPaper", "labelled_lines", "lines_of", "read_paper"]


def lines_of(page: Any, drop_hidden: bool = False) -> list[str]:
    """Return the lines of a selector, tag or piece of HTML, with a placeholder for every image."""
    html = page if isinstance(page, str) else (page.get() or "") if hasattr(page, "css") else str(page)
    return text_of(html.replace("<img", f"{IMAGE}<img").replace("<IMG", f"{IMAGE}<img"), drop_hidden).split("\n")


STEPS = (
    Step(without_contents),
    Step(grids_named, [NUMBER_ROW]),
    Step(without_times, ["-->"]),
    Step(one_language, [MAY_BE_TWO]),
    Step(without_properties),
    Step(without_scores, SCORE_NAMES),
    Step(roles_labelled, [MAY_LABEL]),
    Step(label_chats, [":"]),
    Step(sides_labelled, NAMES_SIDE),
    Step(counting_words_known, [COUNTS]),
    Step(boxed_verdicts, [BOXED_VERDICT]),
    Step(verdicts_placed, MAY_PLACE),
    Step(verdict_lists_numbered, MAY_LIST),
    Step(boxes_placed, ANY_BOX),
    Step(plain_letters, [WRAPS_LETTER]),
    Step(label_quiz_markup, ["<", "nswerlist", "NSWERLIST"]),
    Step(without_rows_of_controls, [MAY_HAVE_CONTROLS]),
    *QUIZ_STEPS,
    Step(label_clozes, ["{{c"]),
    Step(named_as_letters),
    Step(label_signed_blocks, "+*√★☆✦⭐"),
    Step(label_beside_options, MAY_STAND_BESIDE),
    Step(label_recurring_names, [":", "】", "]", ")", "→", ">"]),
    Step(label_bare_answers),
    Step(filled_stems_numbered),
    Step(stacked_joined, [STANDS_ALONE]),
    Step(label_emphasis, MAY_EMPHASISE),
    Step(without_gift, ["{"]),
    *MARKUP_STEPS,
    *FIELD_STEPS,
    *CONTROL_STEPS,
    Step(label_boxes, ANY_BOX),
    Step(answers_moved, [OPENS_WITH_ANSWER]),
    Step(usual_spelling),
    Step(cells_joined, [NUMBER_ALONE, ROW_HEAD, KEY_ROW]),
    Step(rings_as_letters, ["①"]),
    Step(counts_as_letters),
    Step(label_ticks, TICKED),
    Step(without_headlines),
    Step(label_explanations),
)
"""The formats of programs first, then what other formats and platforms left in the text, then its spelling."""
ESSAYS = [Step(essays_joined, [ANNOUNCES_ANSWER])]


def labelled_lines(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return the lines with their places, with remains of other formats and their spelling normalised."""
    labelled = [(index, visible(line)) for index, line in enumerate(lines)]
    flatten([line for _, line in labelled])
    return run_steps(labelled, STEPS)


def read_paper(lines: Iterable[str]) -> ParsedPaper:
    """Return the questions of a paper in order."""
    labelled = labelled_lines(lines)
    if bank := read_bank(labelled):
        return _of_bank(bank)
    has_own_numbers = has_numbers(labelled)
    tabled, own, unread = _own_lines(labelled)
    del labelled  # for a large paper, all lines once more
    layout = lay_out(own)
    questions, between = assemble(layout)
    questions, unlisted = join_regions(layout, with_shared_answers(questions))
    unread += [*between, *unlisted]
    joined_keys = with_joined_keys(questions)
    questions = with_ringed_answers(with_unlettered(with_verdict_options(with_doubts(questions, joined_keys))))
    # The first doubt is the one reported: each pass relies on what the previous ones consider certain.
    for doubts in (
        unsure(layout, questions, unread),
        unanswered(questions),
        below_old_options(questions),
        read_otherwise(layout, questions, unread),
    ):
        questions = with_doubts(questions, doubts)
    questions = with_own_patients(questions)
    forget_lines(flat, plain, parts_of, number_of, letter_of, heads, kinds_of, opens_content)
    drafts = [one.draft for one in questions]
    drafts = drafts if has_own_numbers else with_titles_doubted(drafts)
    drafts = sorted([*drafts, *tabled], key=lambda draft: draft.line) if tabled else drafts
    return _reading(drafts, unread, len(layout.spans) + len(tabled))


def _own_lines(labelled: Sequence[Numbered]) -> tuple[list[Draft], list[Line], list[str]]:
    """Return the questions of tables and of crowded lines, the paper's other lines, and the lines of its pages."""
    tabled, rest = tables_in(run_steps(numbered(labelled), ESSAYS))
    crowded, rest = crowded_in(rest)
    return [*tabled, *crowded], *own_lines(rest)


def _of_bank(bank: Bank) -> ParsedPaper:
    """Return the questions of a bank without numbers: each answer in it is in `questions` or in `rejected`."""
    return _reading(with_titles_doubted([verified(draft) for draft in bank.drafts]), bank.unread, len(bank.drafts))


def _reading(drafts: Sequence[Draft], unread: list[str], numbers: int) -> ParsedPaper:
    counted = [structs.replace(draft, ordinal=index) for index, draft in enumerate(drafts, 1)]
    return ParsedPaper([draft for draft in counted if not draft.doubts], unread, [draft for draft in counted if draft.doubts], numbers)
