"""The lines of one question -> its stem, options, answer and explanation, and the lines after it that are no longer its own."""

import re
from collections.abc import Sequence

from msgspec import Struct, structs

from crawlers.papers.pages.page import Line
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, flat, parts_of
from crawlers.papers.signs.headings import tells_age, tells_patient
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.line_kinds import LISTS, kinds_of
from crawlers.papers.signs.numbers import BARE_TAG, RETAINED_STYLES, TAGS, TAGS_AT_END, Number
from crawlers.papers.signs.options import find_options
from crawlers.papers.signs.own_answer import QuestionBlock, with_answer, with_marked

_SPEAKS = re.compile(r"[\u4e00-\u9fff]{1,6}:\S")
_ASIDE = re.compile(
    r"(?:[(\[【*#-]|P\.?S\b).{0,30}(?:先到这|先打到|休息一|歇一|喝口水|待续|手打|打字|错别字|见谅|看不清|没拍|转载|明天再|明天继续|下次(?:再|继续)|接着[来更打写发]"
    r"|持续更新|以[上下][是为](?:第|昨|今)|有争议).{0,30}",
    re.IGNORECASE,
)
"""What a typist remarks between two questions: `（今天先到这儿，休息一下）`."""
_FEW = 4  # options: with fewer, a line after them more likely continues the last


class _Sorted(Struct):
    """The lines of a question by kind."""

    body: list[tuple[str, bool]] = []
    """Lines of stem and options, and whether an empty line is before each."""
    answers: list[str] = []
    explanation: list[str] = []
    after: list[str] = []
    remarks: list[str] = []


def read_block(lines: Sequence[Line], number: Number, usual: int, kind: str, letters: str = "") -> QuestionBlock:
    """Read the lines of one question.

    Args:
        usual: how many options the neighbouring questions have, 0 if that is unknown.
        kind: the kind stated by the heading above, as returned by headings.kind_of.
        letters: letters of the options that are shared with other questions.
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
        unambiguous = run.unambiguous and "\n" not in options[-1]  # whose further lines may not be its own
        block = _part_tail(structs.replace(block, options=options), body, usual)
    worded = bool(stem[start:].strip())
    if start and number.style not in RETAINED_STYLES:
        stem, start = stem[start:], 0
    block = structs.replace(
        block, stem=stem, rows=stem.split("\n"), worded=worded, sure_options=run is None or run.sure, unambiguous=unambiguous
    )
    return with_answer(block, start, number.verdict, kind, letters)


def _without_number_line(body: list[tuple[str, bool]], first: Line, number: Number) -> tuple[list[tuple[str, bool]], int]:
    """Return the lines of stem and options without tags, and where the words after the number begin."""
    if not body[0][0] or not first.text.startswith(body[0][0]):
        return body, 0
    words = _without_tags(body[0][0], number)
    start = min(len(words), number.end - number.begin)
    if not words[start:].strip() and len(body) > 1 and not letter_of(body[1][0]):
        return body[1:], 0  # the number is on a separate line
    return [(words, False), *body[1:]], start


def _without_tags(text: str, number: Number) -> str:
    """Return a question's first line from its number on, without tags before or after that."""
    line = flat(text)
    end = tags.end() if (tags := TAGS.match(line, number.end) or BARE_TAG.match(line, number.end)) else number.end
    at_end = TAGS_AT_END.search(line, max(end, len(text) - 40)) if "19" in line or "20" in line else None
    return text[number.begin : number.end] + text[end : at_end.start() if at_end else len(text)]


def _sorted(lines: Sequence[Line], kind_above: str, sharing: bool) -> _Sorted:
    content = _Sorted()
    state = "body"
    for line in lines:
        if state == "body" and not kinds_of(line.flat) & LISTS:  # as most lines, without a mark
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
    """Add a line without a mark where it belongs; return what a further line belongs to."""
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
    """Return the question without what follows its last option after an empty line, or describes the next patient."""
    *options, tail = block.options
    last = tail.split("\n")
    if len(block.options) < (usual or _FEW):
        return block
    if len(last) > 1 and len(block.options) >= usual > 0 and (_SPEAKS.match(flat(last[-1])) or _ASIDE.fullmatch(flat(last[-1]))):
        remarks = [*block.remarks, last.pop()]  # by a reader, `小李：我选A`, or the typist
        block = structs.replace(block, remarks=remarks, options=[*options, "\n".join(last)])
        body = body[:-1]
    gaps = [gap for _, gap in body][len(body) - len(last) :]
    for index in range(1, len(last)):
        if gaps[index] or tells_patient(flat(last[index])):
            return structs.replace(block, options=[*options, "\n".join(last[:index])], after=[*last[index:], *block.after])
    return block
