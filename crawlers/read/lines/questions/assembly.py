"""Assemble questions, with what is above them, from the layout of a paper; also return the lines that belong to no question."""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from crawlers.read.lines.pages.page import Line
from crawlers.read.lines.questions.draft import Draft
from crawlers.read.lines.questions.groups import Setting
from crawlers.read.lines.sections.layout import PaperLayout, Span
from crawlers.read.vocabulary.answers import QuestionBlock, with_answer, with_marked
from crawlers.read.vocabulary.entries import LISTS, kinds_of
from crawlers.read.vocabulary.headings import case_heading_in, kind_of, tells_age, tells_patient
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat, parts_of
from crawlers.read.vocabulary.numbers import BARE_TAG, RETAINED_STYLES, TAGS, TAGS_AT_END, Number, type_of
from crawlers.read.vocabulary.options import find_options, letter_of


class AssembledQuestion(Struct, frozen=True):
    """One question with its lines and its section."""

    draft: Draft
    block: QuestionBlock
    span: Span
    kind: str
    """The kind announced by the heading above it."""
    usual: int
    """Usual number of options in its section; 0 if there is none."""

    @property
    def wants_answer(self) -> bool:
        """Return whether it is a choice or true-false question that has no answer yet."""
        draft = self.draft
        return not draft.answer and bool(draft.options or draft.above.shared_options or self.kind in ("verdict", "choice", "multiple"))

    def doubted(self, doubt: str | None) -> "AssembledQuestion":
        """Return the question with one more doubt."""
        return structs.replace(self, draft=self.draft.doubted(doubt)) if doubt else self

    def answered(self, answer: str) -> "AssembledQuestion":
        """Return the question with its answer."""
        return structs.replace(self, draft=structs.replace(self.draft, answer=answer))


_KINDS_WITH_OPTIONS = ("", "choice", "multiple")
"""Kinds of headings that do not change how a question with options is read."""
_FEWEST_TABS = 3
"""Minimum number of tabs in a stem without options that indicates a row of cells."""
Doubts = Mapping[int, str]
"""Doubts, keyed by the index of the question in its paper."""


def with_doubts(questions: Sequence[AssembledQuestion], doubts: Doubts) -> list[AssembledQuestion]:
    """Return the questions with the doubts raised by a pass."""
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
    """Return the usual number of options in each section, and the blocks, keyed by first line, that this number cannot change."""
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
    """Return whether a question has options directly below its stem; options above it then belong to an unnumbered question."""
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
        block = structs.replace(block, sure_options=False)  # its answer follows them, so it has its own options as well as those above
    elif letters and block.options:  # they belong to the next group
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
    if not block.options and block.stem.strip().count("\t") >= (1 if span.number.style == "tight" else _FEWEST_TABS):
        draft = draft.doubted("stem_unreadable", "its line is a row of cells; save the table as a sheet, or declare a layout")
    return AssembledQuestion(draft, block, span, kind, usual)


_FEW = 4  # options; after fewer, a line more likely continues the last one


class _Sorted(Struct):
    """The lines of a question by kind."""

    body: list[tuple[str, bool]] = []
    """Lines of the stem and options, each with whether an empty line is before it."""
    answers: list[str] = []
    explanation: list[str] = []
    after: list[str] = []
    remarks: list[str] = []


def read_block(lines: Sequence[Line], number: Number, usual: int, kind: str, letters: str = "") -> QuestionBlock:
    """Read the lines of one question.

    Args:
            usual: how many options the neighbouring questions have; 0 if unknown.
            kind: kind stated by the heading above, as returned by `headings.kind_of`.
            letters: letters of options shared with other questions.
    """
    sorted_ = _sorted(lines, kind, bool(letters))
    body, start = _without_number_line(sorted_.body or [("", False)], lines[0], number)
    text = "\n".join(words for words, _ in body)
    block = QuestionBlock(after=sorted_.after, remarks=sorted_.remarks, explanation="\n".join(sorted_.explanation) or None)
    block = with_marked(block, sorted_.answers)
    run = find_options(text, start, usual) if kind != "words" or not block.answer else None
    stem, unambiguous = text, False
    if run and run.cuts:
        stem, options = text[: min(run.cuts)[0]].strip(), run.texts(text)
        unambiguous = run.unambiguous and "\n" not in options[-1]  # further lines may not belong to the last option
        block = _part_tail(structs.replace(block, options=options), body, usual)
    worded = bool(stem[start:].strip())
    if start and number.style not in RETAINED_STYLES:
        stem, start = stem[start:], 0
    block = structs.replace(
        block, stem=stem, rows=stem.split("\n"), worded=worded, sure_options=run is None or run.sure, unambiguous=unambiguous
    )
    return with_answer(block, start, number.verdict, kind, letters)


def _without_number_line(body: list[tuple[str, bool]], first: Line, number: Number) -> tuple[list[tuple[str, bool]], int]:
    """Return the lines of the stem and options without tags, and where the words after the number begin."""
    if not body[0][0] or not first.text.startswith(body[0][0]):
        return body, 0
    words = _without_tags(body[0][0], number)
    start = min(len(words), number.end - number.begin)
    if not words[start:].strip() and len(body) > 1 and not letter_of(body[1][0]):
        return body[1:], 0  # the number is on a separate line
    return [(words, False), *body[1:]], start


def _without_tags(text: str, number: Number) -> str:
    """Return a question's first line from its number on, without tags after the number or at the end."""
    line = flat(text)
    end = tags.end() if (tags := TAGS.match(line, number.end) or BARE_TAG.match(line, number.end)) else number.end
    at_end = TAGS_AT_END.search(line, max(end, len(text) - 40)) if "19" in line or "20" in line else None
    return text[number.begin : number.end] + text[end : at_end.start() if at_end else len(text)]


def _sorted(lines: Sequence[Line], kind_above: str, sharing: bool) -> _Sorted:
    content = _Sorted()
    state = "body"
    for line in lines:
        if state == "body" and not kinds_of(line.flat) & LISTS:  # most lines have no mark
            content.body.append((line.text.strip(), line.gap))
            continue
        parts = parts_of(line.text)
        if state == "body" and len(parts) == 1 and parts[0][0] == "text":
            content.body.append((parts[0][1], line.gap))
            continue
        plain = bool(parts) and parts[0][0] == "text" and line.text.startswith(parts[0][1])
        for index, (kind, words) in enumerate(parts):
            if kind == "text" and index == 0 and plain:
                if state == "explanation" and content.explanation and (line.gap or kind_above == "case") and tells_age(line.flat):
                    state = "after"  # the next patient, not a further line of the explanation
                if state == "explanation" and sharing and line.gap and letter_of(line.flat) == "A":
                    state = "after"  # the options of the next group
                state = _take_plain(content, state, words, line.gap, sharing)
            elif kind == "text":
                content.body.append((words, line.gap))
                state = "body"
            elif kind == "answer":
                content.answers.append(words)
                state = "answer"
            elif kind == "explanation":
                content.explanation += [words] if words else []
                state = "explanation"
            else:
                content.remarks += [words] if words else []
                state = "remark"
    return content


def _take_plain(content: _Sorted, state: str, words: str, gap: bool, sharing: bool) -> str:
    """Add a line without a mark to its part; return the part that another such line would continue."""
    if state == "answer":
        answer = content.answers[-1]
        if not answer:
            content.answers[-1] = words
        elif not WHOLE_ANSWER.fullmatch(flat(answer)):
            content.answers[-1] = f"{answer}\n{words}"
        elif (
            not (gap and sharing)
            and find_options("\n".join([words, "B."]))
            and not find_options("\n".join(line for line, _ in content.body))
        ):
            content.body.append((words, gap))
            return "body"  # an answer may be above the options
        else:
            content.after.append(words)
            return "after"
    elif state == "explanation":
        content.explanation.append(words)
    elif state == "after" or (state == "remark" and (content.answers or content.explanation)):
        content.after.append(words)
    else:
        content.body.append((words, gap))
        return "body"
    return state


def _part_tail(block: QuestionBlock, body: list[tuple[str, bool]], usual: int) -> QuestionBlock:
    """Return the question without the lines after its last option that follow an empty line or begin the next case."""
    *options, tail = block.options
    last = tail.split("\n")
    if len(block.options) < (usual or _FEW):
        return block
    gaps = [gap for _, gap in body][len(body) - len(last) :]
    for index in range(1, len(last)):
        line = flat(last[index])
        if gaps[index] or tells_patient(line) or case_heading_in(line):
            return structs.replace(block, options=[*options, "\n".join(last[:index])], after=[*last[index:], *block.after])
    return block
