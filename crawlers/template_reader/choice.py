"""Which reading of a paper counts: that of the passes, which know many forms, or that by the form which its questions repeat."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from msgspec import structs

from atomexam.text.option_letters import LETTERS, are_in_turn
from crawlers.papers.doubts.found import shown
from crawlers.papers.doubts.whole_paper import accounted
from crawlers.papers.questions.draft import Draft, ParsedPaper
from crawlers.papers.signs.letters import letter_of
from crawlers.template_reader.answers import right_letters
from crawlers.template_reader.form import is_kind, untagged
from crawlers.template_reader.reader import MOST_LINES, read_lines

_MOSTLY, _NEARLY_WHOLE, _FEW = 0.8, 0.95, 0.2
"""Shares of questions: those of the form that the passes answer unless they misunderstand the paper; those of a form that holds; those in
which both readings may differ unless the passes misunderstand the paper.
"""
_LETTER = re.compile(r"^\W*(?:[A-Ja-jＡ-Ｊ]|[Ⓐ-Ⓙⓐ-ⓙ⒜-⒥①-⑩])")
_AROUND = " 　\t()（）[]【】。.;；,，"
_SIGNS = re.compile(r"[\W_]+")


def better_by_form(lines: Sequence[str], paper: ParsedPaper) -> ParsedPaper:
    """Return the better reading of a paper, with doubts at questions that both read and in which they differ.

    The repeating form shows less of a paper than the passes: no cases, no shared options. But it holds for nearly all questions or for
    none, so what it contradicts is uncertain. Of two answers to one question neither is believed, however often they differ.
    """
    paper = structs.replace(paper, questions=[*map(_untagged, paper.questions)])
    if len(lines) > MOST_LINES or (other := read_lines(lines)) is None:
        return paper
    other = accounted(lines, other)  # what the paper says elsewhere may contradict its form, too
    answered, others = _answered(paper), _answered(other)
    if not others:
        return other if not answered and len(other.questions) > len(paper.questions) else paper
    if answered <= _MOSTLY * others:
        return other
    if len(other.questions) < _NEARLY_WHOLE * other.numbers:
        return paper
    pairs = _paired(paper, other)
    differing = {draft.line: _in_words(draft, its) for draft, its in pairs if _content(its) not in map(_content, _without_signs(draft))}
    contradicting = {
        its.line: _in_words(draft, its) for draft, its in pairs if any(_contradicts(each, its) for each in _without_signs(draft))
    }
    if len(differing) > _FEW * len(pairs) and others >= answered:
        return _doubted(other, contradicting)
    if not differing and len(pairs) == len(paper.questions) and others > answered and not _has_more(paper):
        return other  # it has these and further ones
    return _doubted(paper, differing)


def _paired(paper: ParsedPaper, other: ParsedPaper) -> list[tuple[Draft, Draft]]:
    """Return each question with its other reading: those that begin on the same line, or all in order if few do and these are as many."""
    by_line = {draft.line: draft for draft in other.questions}
    pairs = [(draft, by_line[draft.line]) for draft in paper.questions if draft.line in by_line]
    if len(pairs) * 2 > len(paper.questions) or len(paper.questions) != len(other.questions):
        return pairs
    return list(zip(paper.questions, other.questions, strict=True))


def _doubted(paper: ParsedPaper, words: Mapping[int, str]) -> ParsedPaper:
    """Return a paper in which the questions on some lines are rejected, since they can be read in two ways, which `words` states."""
    rejected = [draft.doubted("read_in_two_ways", words[draft.line]) for draft in paper.questions if draft.line in words]
    questions = [draft for draft in paper.questions if draft.line not in words]
    return structs.replace(paper, questions=questions, rejected=[*paper.rejected, *rejected])


def _in_words(draft: Draft, other: Draft) -> str:
    """Return in what two readings of one question differ."""
    readings = list(zip(_content(draft), _content(other), ("stem", "options", "answer"), strict=True))
    name = next((name for one, its, name in reversed(readings) if one != its), "stem")
    one, its = ("; ".join(each.options) if name == "options" else getattr(each, name) or "" for each in (draft, other))
    return (
        f"by its words its {name} reads {shown(one)}, by the form that the paper's questions repeat {shown(its)}; a layout can state which"
    )


def _has_more(paper: ParsedPaper) -> bool:
    """Return whether a paper has what the form does not show: doubted questions, cases, shared options."""
    return bool(paper.rejected) or any(draft.above.case or draft.above.shared_options for draft in paper.questions)


def _untagged(draft: Draft) -> Draft:
    """Return a question without the tags around its stem, of which the first that says so is its type."""
    stem, tags = untagged(draft.stem)
    kinds = [tag for tag in tags if is_kind(tag)]
    return structs.replace(draft, stem=stem, type=draft.type or kinds[0]) if kinds else draft


def _answered(paper: ParsedPaper) -> int:
    return sum(draft.answer is not None for draft in paper.questions)


def _without_signs(draft: Draft) -> list[Draft]:
    """Return a question as the passes read it without the letters of its options, as the form's are, with and without its number."""
    lettered = are_in_turn(map(letter_of, draft.options)) and "" not in map(letter_of, draft.options)
    options = [_LETTER.sub("", option, count=1) for option in draft.options] if lettered else draft.options
    numbered = rf"^(?:\W{{0,9}}|[^\d。]{{1,9}}?)0{{0,3}}{draft.number}(?!\d)\s?[题问]?"
    return [structs.replace(draft, stem=stem, options=options) for stem in (draft.stem, re.sub(numbered, "", draft.stem))]


def _content(draft: Draft) -> tuple[object, ...]:
    """Return what a question says, signs and tags aside."""
    answer = (draft.answer or "").strip(_AROUND)
    said = right_letters(answer, "", 0) if not draft.options else ""  # √, 对 and 正确 are one
    return _plain(untagged(draft.stem)[0]), [*map(_plain, draft.options)], _plain(said or answer)


def _asks(draft: Draft) -> tuple[object, ...]:
    """Return what a question asks; the two verdicts may be its options, or nowhere."""
    stem, options, _ = _content(draft)
    return stem, [] if _verdicts(draft) else options


def _contradicts(draft: Draft, other: Draft) -> bool:
    """Return whether two readings of one question have answers that exclude each other."""
    answers = {_answer(each) for each in (draft, other)}
    return len(answers) == 2 and "" not in answers and _asks(draft) == _asks(other)


def _answer(draft: Draft) -> str:
    """Return the letters of an answer or its verdict; nothing if it is other words."""
    said, verdicts = (draft.answer or "").strip(_AROUND), _verdicts(draft)
    letters = right_letters(said, LETTERS, len(draft.options)) if draft.options else ""
    if verdicts:
        return verdicts[LETTERS.index(letters)] if len(letters) == 1 else right_letters(said, "", 0)
    return letters or right_letters(said, "", 0)


def _verdicts(draft: Draft) -> list[str]:
    """Return 正确 and 错误 in the order of the options if these are the two verdicts."""
    verdicts = [right_letters(option.strip(_AROUND), "", 0) for option in draft.options]
    return verdicts if len(verdicts) == 2 and all(verdicts) else []


def _plain(text: str) -> str:
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text)).casefold()
