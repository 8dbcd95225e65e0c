"""The second reader of papers: a paper in lines of text -> its questions. It decides the roles of all lines at once.

It returns what `crawlers.papers.paper.read_paper` returns, and uses the same modules for letters, answers and doubts.
docs/decisions/0020-one-decoder-for-papers.md explains where it is used.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from atomexam.text.option_letters import LETTERS, are_in_turn, letters_in, names_no_option
from crawlers.papers.paper import labelled_lines
from crawlers.papers.passes.unnumbered import has_numbers
from crawlers.papers.questions.draft import Draft, ParsedPaper
from crawlers.papers.questions.groups import Above
from crawlers.papers.sections.signals import inquires
from crawlers.papers.signs.answer_marks import LETTERS as ANSWER_LETTERS
from crawlers.papers.signs.answer_marks import VERDICT, flat
from crawlers.papers.signs.entries import is_title, listed_in
from crawlers.papers.signs.headings import kind_of
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.own_answer import QuestionBlock, with_answer, with_marked
from crawlers.second_reader.roles import ROLES, Weights, best_roles, parse_weights
from crawlers.second_reader.segments import LABEL, Segment, segments_of

_WEIGHTS = Path(__file__).with_name("weights.tsv")
_BULLET = re.compile(r"[-*•·◦▪○●#□☐]\s{0,3}(?=\S)")
_HAN = re.compile("[\u4e00-\u9fff]")
_SAYS = re.compile(rf"(?:故?本?题?(?:应|正确)?选(?:择|项)?\s?:?\s?|[(\[【]\s?)?(?P<words>{ANSWER_LETTERS}|{VERDICT})\s?[)\]】]?[。.]?")
_CLOSED = re.compile(r"[。?!]$|[(\[【]\s{0,12}[)\]】][。.]?$|_[。.]?$")
_PAGES = re.compile(r"[\W\d_]*|第?\s?\d{1,4}\s?[页/].{0,12}")
_MOST_ROWS, _LONGEST = 8, 1500
_MOST_LINES = 20_000
"""Maximum size of a decoded paper: a longer one takes minutes, and memory for the features of each segment."""
_FEWEST, _MOSTLY = 6, 0.8
_MUCH_UNREAD, _LITTLE_UNREAD, _MANY_ROWS = 0.3, 0.15, 0.2
_LEAST_MARGIN = 100
"""By how much a role must exceed the next best one for its segment."""


class _DecodedQuestion(Struct):
    """The segments of one question."""

    first: Segment
    heading: str | None
    case: bool
    stem: list[str]
    options: list[str] = []
    answers: list[str] = []
    explanation: list[str] = []
    unsure: str | None = None


class _DecodedPaper(Struct):
    """A paper divided by the roles of its segments."""

    questions: list[_DecodedQuestion] = []
    unread: list[str] = []
    key: list[str] = []
    heading: str | None = None
    case: bool = False


@cache
def _weights() -> Weights:
    return parse_weights(_WEIGHTS.read_text(encoding="utf-8"))


def decode_paper(lines: Iterable[str]) -> ParsedPaper:
    """Return the questions of a paper in their order."""
    segments = segments_of(labelled_lines(lines))
    roles, margins = best_roles([one.features for one in segments], _weights())
    often = Counter(re.sub(r"[\d\s]", "", one.text) for one in segments)
    paper = _DecodedPaper()
    for one, role, margin in zip(segments, (ROLES[at] for at in roles), margins, strict=True):
        _add_segment(paper, one, role, often)
        if paper.questions and margin < _LEAST_MARGIN:  # an uncertain start of a question makes the one above uncertain, too
            for question in paper.questions[-2:] if role == "stem" else paper.questions[-1:]:
                question.unsure = question.unsure or "stem_unreadable"
    key_answers = _answers_of_key(paper)
    questions = [one for one in paper.questions if _is_question(one)]
    for dropped in paper.questions:
        if not _is_question(dropped):
            answer = key_answers.get(id(dropped))
            paper.unread += [*dropped.stem, *dropped.explanation, *([answer] if answer else [])]
    usual = Counter(len(one.options) for one in questions if one.options).most_common(1)
    drafts = [_draft(one, index, usual[0][0] if usual else 0, key_answers.get(id(one))) for index, one in enumerate(questions, 1)]
    doubtful = [draft for draft in drafts if draft.doubt]
    return ParsedPaper([draft for draft in drafts if not draft.doubt], paper.unread, doubtful, len(drafts))


def better_read(lines: Sequence[str], passes: ParsedPaper) -> ParsedPaper:
    """Return what the passes read of a paper, or what the decoder reads if that is plainly better.

    The decoder runs if no line begins with the number of a question, or if the passes leave much unread. Its reading counts only if its
    questions have one form, as in a bank without numbers and unlike in prose.
    """
    if len(lines) > _MOST_LINES:
        return passes
    count = sum(len(line.strip()) for line in lines)
    much = sum(map(len, passes.unread)) > _MUCH_UNREAD * count or not passes.drafts
    unnumbered = not has_numbers(list(enumerate(lines))) and not has_numbers(labelled_lines(lines))
    if not (much or unnumbered):
        return passes
    decoded = decode_paper(lines)
    gain = len(decoded.questions) - len(passes.questions)
    if not gain and unnumbered:  # lines that belong elsewhere were read into stems
        gain = _rows(passes) > _MANY_ROWS * len(passes.questions) and _rows(decoded) * 2 <= _rows(passes)
    return decoded if gain > 0 and _is_regular(decoded, count) else passes


def _rows(reading: ParsedPaper) -> int:
    """Return how many lines stems have beyond their first."""
    return sum(draft.stem.count("\n") for draft in reading.questions)


def _is_regular(reading: ParsedPaper, count: int) -> bool:
    """Return whether nearly all of a paper is questions of one form."""
    read = reading.questions
    if len(read) < _FEWEST or len(read) < _MOSTLY * reading.numbers or sum(map(len, reading.unread)) > _LITTLE_UNREAD * count:
        return False
    sizes = Counter(len(draft.options) for draft in read)
    answered = sum(draft.answer is not None for draft in read)
    shaped = sizes.most_common(1)[0][1] >= _MOSTLY * len(read)
    return shaped and (answered >= _MOSTLY * len(read) or (answered == 0 and not sizes[0]))


def _add_segment(paper: _DecodedPaper, one: Segment, role: str, often: Counter[str]) -> None:
    """Add a segment to the question or list that its role names."""
    last = paper.questions[-1] if paper.questions else None
    if role == "stem":
        paper.questions.append(_DecodedQuestion(one, paper.heading, paper.case, [one.text]))
    elif role == "heading":
        paper.heading, paper.case = one.text, False
        paper.unread.append(one.text)
    elif role == "case":
        paper.case = True
        paper.unread.append(one.text)
    elif role == "key":
        paper.key.append(one.text)
    elif last is None or role == "furniture":
        paper.unread.append(one.text)
        if last and one.mark == "text" and not _is_of_pages(one, often):
            last.unsure = last.unsure or ("options_unreadable" if last.options else "stem_unreadable")
    elif role == "stem+":
        last.unsure = last.unsure or ("stem_unreadable" if one.gap and _CLOSED.search(flat(last.stem[-1])) else None)
        last.stem.append(one.text)
    elif role == "option":
        last.options.append(one.text)
    elif role == "option+" and last.options:
        last.options[-1] += f"\n{one.text}"
    elif role == "answer":
        last.answers.append(_answer(one))
    else:
        last.explanation.append(_without_label(one) if role == "explanation" else one.text)


def _is_of_pages(one: Segment, often: Counter[str]) -> bool:
    """Return whether dropping a segment loses nothing of a question: it is a number or rule, or recurs in the paper."""
    return bool(_PAGES.fullmatch(flat(one.text))) or bool(one.label) or often[re.sub(r"[\d\s]", "", one.text)] > 2


def _without_label(one: Segment) -> str:
    label = LABEL.match(flat(one.text)) if one.label else None
    return one.text[label.end() :] if label else one.text


def _answer(one: Segment) -> str:
    words = _without_label(one)
    match = _SAYS.fullmatch(flat(words))
    return words[match.start("words") : match.end("words")] if match else words


def _answers_of_key(paper: _DecodedPaper) -> dict[int, str]:
    """Return the answers of the answer list by the id() of their question; none if the list does not fit the questions."""
    listed = [listed_in(text) for text in paper.key]
    entries = [entry for one in listed for entry in one.entries]
    open_ones = [one for one in paper.questions if not one.answers]
    numbers = [one.first.number.value for one in open_ones if one.first.number]
    fits = len(entries) == len(open_ones) == len({entry.number for entry in entries}) > 0
    if not fits or (len(numbers) == len(open_ones) and numbers != [entry.number for entry in entries]):
        paper.unread += paper.key
        return {}
    for text, one in zip(paper.key, listed, strict=True):
        paper.unread += [text] if is_title(flat(text)) or not one.entries else [one.rest] if one.rest.strip() else []
    return {id(one): entry.answer for one, entry in zip(open_ones, entries, strict=True) if entry.answer}


def _is_question(one: _DecodedQuestion) -> bool:
    """Return whether a stem belongs to a question: it has options or an answer, or asks something."""
    return bool(one.options or one.answers) or inquires(flat(one.stem[-1]))


def _draft(one: _DecodedQuestion, index: int, usual: int, key_answer: str | None) -> Draft:
    number = one.first.number if one.first.number and one.first.number.style != "hanzi" else None
    lettered = [letter_of(option) for option in one.options]
    options = (
        one.options
        if any(lettered)
        else [option[bullet.end() :] if (bullet := _BULLET.match(flat(option))) else option for option in one.options]
    )
    block = QuestionBlock(stem="\n".join(one.stem), options=options, explanation="\n".join(one.explanation) or None)
    block = with_marked(block, [*one.answers, *([key_answer] if key_answer else [])])
    block = with_answer(block, number.end if number else 0, "", kind_of(flat(one.heading or "")), "")
    draft = Draft(
        line=one.first.line,
        ordinal=index,
        number=number.value if number else index,
        above=Above(heading=one.heading),
        stem=block.stem,
        options=block.options,
        answer=block.answer,
        explanation=block.explanation,
    )
    return draft.doubted(_doubt(one, block, lettered, usual))


def _doubt(one: _DecodedQuestion, block: QuestionBlock, lettered: list[str], usual: int) -> str | None:
    """Return the reason to reject a question, None if it is read."""
    if one.case:
        return "case_unsure"
    if not block.sure_answer:
        return "two_answers"
    if len(_HAN.findall(block.stem)) < 3 or len(block.stem) > _LONGEST or len(one.stem) > _MOST_ROWS:
        return "stem_unreadable"
    if one.unsure:
        return one.unsure
    count = len(block.options)
    if any(lettered) and not are_in_turn(lettered):
        return "options_unreadable"
    if count == 1 or (count and not any(lettered) and count != usual) or any(option.count("\n") > _MOST_ROWS for option in block.options):
        return "options_unreadable"
    answer = flat(block.answer or "").strip(" ()[]【】。.;,")
    is_letters = re.fullmatch(ANSWER_LETTERS, answer) is not None
    if is_letters and names_no_option(letters_in(answer), count or len(LETTERS)):
        return "options_unreadable"
    return "options_unreadable" if is_letters and not count else None
