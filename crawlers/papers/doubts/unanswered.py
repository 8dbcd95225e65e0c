"""Questions without an answer that may contain one, or be one: fill-in stems without an empty blank, answers under an unread title."""

import re
from collections.abc import Sequence

from crawlers.papers.questions.assembly import AssembledQuestion, Doubts
from crawlers.papers.sections.signals import asks
from crawlers.papers.signs.answer_marks import IMAGE, WHOLE_ANSWER, flat
from crawlers.papers.signs.blanks import lacks_blank
from crawlers.papers.signs.headings import heading_key

_LETTERS = re.compile("[A-J]")


def unanswered(questions: Sequence[AssembledQuestion]) -> Doubts:
    """Return the questions whose answer seems to be inside their stem, and those that seem to be answers of others."""
    doubts: dict[int, str] = {}
    answers: int | None = None
    seen: dict[tuple[str, int], int] = {}
    for index, one in enumerate(questions):
        draft = one.draft
        if draft.answer or draft.above.shared_options or (draft.options and one.kind != "words"):
            continue
        if one.kind == "blank" and IMAGE not in draft.stem and lacks_blank(draft.stem, _words_at(one)):
            doubts[index] = "stem_unreadable"
        if one.kind in ("verdict", "choice", "multiple", "shared"):
            continue
        if WHOLE_ANSWER.fullmatch(flat(draft.stem)[_words_at(one) :].strip()):
            answers = one.span.section  # `1.A` asks nothing: an answer list begins here that was not read as one
        if one.span.section == answers and not asks(flat(draft.stem)):
            doubts.setdefault(index, "answer_list_mismatch")
        heading = flat(draft.above.heading or "")
        at = seen.setdefault((heading_key(heading) if heading else "", draft.number), index)
        first = questions[at]
        named = flat(first.draft.above.heading or "")
        anew = at != index and one.span.section == first.span.section  # without a heading
        if (anew or (heading != named and not one.kind and first.kind)) and not asks(flat(draft.stem)):
            for either in (at, index):  # `三、` above a second `9. …`: what the answer list states about 9 under 三、名词解释
                doubts.setdefault(either, "answer_list_mismatch")
    return doubts | _lists_of_sections(questions)


def _lists_of_sections(questions: Sequence[AssembledQuestion]) -> dict[int, str]:
    """Return the last questions of sections whose only answer, `答案：BDE`, has a letter for each question: it may be the list of all."""
    sections: dict[int, list[int]] = {}
    for index, one in enumerate(questions):
        sections.setdefault(one.span.section, []).append(index)
    doubts = {}
    for own in sections.values():
        *others, last = own
        letters = _LETTERS.findall(questions[last].draft.answer or "")
        if 1 < len(own) == len(letters) and not any(questions[index].draft.answer for index in others):
            doubts[last] = "answer_list_mismatch"
    return doubts


def _words_at(one: AssembledQuestion) -> int:
    """Return where the words of a stem begin after its number."""
    length = one.span.number.end - one.span.number.begin
    return length if one.draft.stem[:1].isdigit() or one.draft.stem[:1] in "(（[【第" else 0
