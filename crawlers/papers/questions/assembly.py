"""The layout of a paper -> its questions with what is above them, and the lines that belong to none."""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from crawlers.papers.questions.block import read_block
from crawlers.papers.questions.draft import Draft
from crawlers.papers.questions.groups import Setting
from crawlers.papers.sections.layout import PaperLayout, Span
from crawlers.papers.signs.answer_marks import flat, parts_of
from crawlers.papers.signs.headings import kind_of
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import type_of
from crawlers.papers.signs.own_answer import QuestionBlock


class AssembledQuestion(Struct, frozen=True):
    """One question with its lines and its section."""

    draft: Draft
    block: QuestionBlock
    span: Span
    kind: str
    """What the heading above announces."""
    usual: int
    """The usual number of options in its section; 0 if there is none."""

    def doubted(self, doubt: str | None) -> "AssembledQuestion":
        """Return the question with one more doubt."""
        return structs.replace(self, draft=self.draft.doubted(doubt)) if doubt else self

    def answered(self, answer: str) -> "AssembledQuestion":
        """Return the question with its answer."""
        return structs.replace(self, draft=structs.replace(self.draft, answer=answer))


_KINDS_WITH_OPTIONS = ("", "choice", "multiple")
"""Kinds of headings below which a question with options reads the same."""
Doubts = Mapping[int, str]
"""Doubts by the index of the question among all of its paper."""


def with_doubts(questions: Sequence[AssembledQuestion], doubts: Doubts) -> list[AssembledQuestion]:
    """Return the questions with the doubts of a pass."""
    return [one.doubted(doubts.get(index)) for index, one in enumerate(questions)]


def assemble(layout: PaperLayout) -> tuple[list[AssembledQuestion], list[str]]:
    """Return the questions of a layout, and the lines that belong to none."""
    usual, blocks = _usual(layout)
    starts = {span.start: span for span in layout.spans}
    listed = {index for region in layout.regions for index in range(region.start, region.stop)}
    setting = Setting()
    questions: list[AssembledQuestion] = []
    unread: list[str] = []
    index = 0
    while index < len(layout.lines):
        span = starts.get(index)
        if span is None:
            text = layout.lines[index].text
            if index in layout.cases:
                setting.begin_case(text[layout.cases[index].end :])
            elif index not in listed and not setting.take(text, index in layout.titles) and not setting.add(text):
                unread.append(text)
            index += 1
            continue
        questions.append(_ask(layout, span, setting, usual.get(span.section, 0), blocks.pop(span.start, None)))
        unread += questions[-1].block.remarks
        unread += [text for text in questions[-1].block.after if not setting.take(text) and not setting.add(text)]
        index = span.stop
    return questions, unread


def _usual(layout: PaperLayout) -> tuple[dict[int, int], dict[int, QuestionBlock]]:
    """Return the usual number of options in each section, and by their first lines the blocks that it cannot change."""
    blocks: dict[int, QuestionBlock] = {}
    counts: dict[int, Counter[int]] = {}
    most = Counter(span.section for span in layout.spans)
    settled_sections: set[int] = set()  # sections whose remaining questions can change nothing
    for span in layout.spans:
        if span.section in settled_sections:
            continue
        block = read_block(layout.lines[span.start : span.stop], span.number, 0, "")
        if block.unambiguous:
            blocks[span.start] = block
        if block.options and block.sure_options:
            sizes = counts.setdefault(span.section, Counter())
            sizes[len(block.options)] += 1
            if sizes[len(block.options)] * 2 > most[span.section] > 1:
                settled_sections.add(span.section)
    usual = {}
    for section, sizes in counts.items():
        count, times = sizes.most_common(1)[0]
        usual[section] = count if times * 2 > sizes.total() and times > 1 else 0
    return usual, blocks


def _has_own(layout: PaperLayout, span: Span) -> bool:
    """Return whether a question has its own options directly below its stem: those above then belong to a question without a number."""
    return len(read_block(layout.lines[span.start : span.stop], span.number, 0, "").options) > 1


def _tells_answer(layout: PaperLayout, span: Span) -> bool:
    """Return whether a mark in a question's own lines states its answer."""
    return any(kind == "answer" for line in layout.lines[span.start : span.stop] for kind, _ in parts_of(line.text))


def _ask(layout: PaperLayout, span: Span, setting: Setting, usual: int, known: QuestionBlock | None) -> AssembledQuestion:
    above = setting.above(span.number.value)
    line = layout.lines[span.start].flat
    stated_type = type_of(line, span.number)
    kind = (kind_of(stated_type) if not above.shared_options else "") or kind_of(flat(above.heading or ""))
    if above.shared_options and not above.announced and kind != "shared" and _has_own(layout, span):
        above = structs.replace(above, shared_options=None, group=above.group if above.case else None)
    letters = "".join(letter_of(option) for option in above.shared_options or [])
    if known and not letters and kind in _KINDS_WITH_OPTIONS:
        block = known
    else:
        block = read_block(layout.lines[span.start : span.stop], span.number, usual, kind, letters)
    if letters and block.options and _tells_answer(layout, span):
        block = structs.replace(block, sure_options=False)  # its answer is below them, so they are its own, besides those above
    elif letters and block.options:  # they are those of the next group
        block = structs.replace(block, after=[*"\n".join(block.options).split("\n"), *block.after], options=[])
    draft = Draft(
        line=layout.lines[span.start].index,
        ordinal=0,
        number=span.number.value,
        type=stated_type or None,
        above=above,
        stem=block.stem,
        options=block.options,
        answer=block.answer,
        explanation=block.explanation,
    )
    return AssembledQuestion(draft, block, span, kind, usual)
