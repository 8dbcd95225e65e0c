"""Text formats of quiz programs -> lines of a paper: text2qti, Respondus, ExamView, 问卷星. Numbered lines in and out.

They have what papers do not have: a sign before or after the correct options, feedback for a learner who answers, print marks. Each is
recognised by its own signs, several times in a file, and described in its program's documentation.
"""

import re
from collections.abc import Iterator, Sequence

from atomexam.text.option_letters import LETTERS
from crawlers.papers.passes.steps import Step
from crawlers.papers.signs.answer_marks import Numbered, flat
from crawlers.papers.signs.numbers import TYPE

_FEWEST, _SHARE = 3, 0.8
_STARRED = re.compile(r"\s{0,9}(?:\*[a-jA-J]\s?[.)]|\[\*\])\s{1,9}\S")
_BOX = re.compile(r"(?P<indent>\s{0,9})\[(?P<sign>[ *])\](?=\s{1,9}\S)")
_CHOICE = re.compile(r"\s{0,9}(?:\*?[a-jA-J]\s?[.)]|\[[ *]\])\s{1,9}\S")
_FEEDBACK = re.compile(r"\s{0,9}(?:(?P<all>\.\.\.)|(?P<right>[+~])|(?P<wrong>[-@]))\s{1,9}(?P<words>\S.*)$")
"""Feedback: `...` and `~` for any answer, `+` for a correct answer, `-` and `@` for a wrong one."""
_EMPTY_BEFORE = re.compile(r"\s{0,9}_{2,12}\s{1,9}(?=\d{1,4}\s?[.)、]\s{0,9}\S)")
_PRINTED = re.compile(r"\s{0,9}ANS:\s{0,9}(?P<answer>[A-Ja-j](?:[\s,]{0,3}[A-Ja-j]){0,9}|T(?:rue)?|F(?:alse)?)(?=\s|$)", re.IGNORECASE)
_PRINTED_ASIDE = re.compile(r"\s{0,9}(?:PTS|DIF|REF|OBJ|TOP|KEY|NAT|STA|MSC|BLM|LOC):\s")
_QUESTION = re.compile(r"\s{0,9}Q\s?\d{0,4}\s?[:.)]\s{0,4}\S")
_ANSWER_LINE = re.compile(r"\s{0,9}A\s?:\s{0,4}(?P<answer>[A-J](?:[\s,]{0,2}[A-J]){0,9})\s{0,4}$")
_FIRST = re.compile(r"\s{0,9}A\s?:\s{0,4}(?![A-J](?:[\s,]{0,2}[A-J]){0,9}\s{0,4}$)\S")
"""The first option of a question, or an answer in words, if `A:` is not always above letters."""
_QUESTION_LINE = re.compile(
    rf"(?P<stem>.{{2,4000}}?)\s{{0,4}}[\[【]\s?(?P<type>{TYPE})\s?[\]】](?:\s?[\[【(]\s?(?:分值\s?:?\s?)?\d{{1,3}}\s?分?\s?[\])】])?[\s*]{{0,4}}$"
)
_CLOSES = (")", "]", "】")
"""One of them ends the line of such a question."""
_RIGHT = re.compile(r"\s{0,4}[(\[【]\s?正确(?:答案|选项)\s?[)\]】]\s{0,4}$")
_LETTER = re.compile(r"\s{0,9}(?:[○◯〇□☐]\s{0,3})?(?:[(\[]?[A-J]\s?[.、:)\]]\s{0,4})?")
"""What is before the words of an option: an empty circle or box, a letter."""
_NUMBER = re.compile(r"\s{0,9}(?:第\s?)?\d{1,4}\s?[题.、:)]\s{0,4}")
_BEHIND = re.compile(r"\s{0,9}[【\[]?(?:答案)?(?:解析|详解)|\s{0,9}(?:正确|参考)?答案\s?:")


def _without_feedback(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines without feedback, `[*]` as a ticked box; feedback to any answer becomes the explanation."""
    if sum("*" in text and _STARRED.match(text) is not None for _, text in lines) < _FEWEST:
        yield from lines
        return
    feedback = [_FEEDBACK.match(text) for _, text in lines]
    has_explanations = any(match and (match["all"] or match["right"]) for match in feedback)
    pending: list[Numbered] = []
    below_choice = False
    for (index, text), match in zip(lines, feedback, strict=True):
        if match and has_explanations:
            if not below_choice and (match["all"] or match["right"] == "~"):
                pending.append((index, f"解析：{match['words']}"))
            continue
        if not text.strip() and below_choice:
            yield from pending
            pending = []
        below_choice = bool(_CHOICE.match(text)) or (below_choice and bool(text.strip()))
        yield index, _BOX.sub(lambda box: f"{box['indent']}[{'x' if box['sign'] == '*' else ' '}]", text, count=1)
    yield from pending


def _as_printed(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines without the place for an answer before each number, and with `ANS: C` as an answer."""
    flats = [flat(text) for _, text in lines]
    printed = [_PRINTED.match(line) if ":" in line else None for line in flats]
    if sum(map(bool, printed)) < _FEWEST:
        yield from lines
        return
    for (index, text), line, answer in zip(lines, flats, printed, strict=True):
        if answer:
            yield index, f"答案：{answer['answer'].upper() if len(answer['answer']) < len('True') else answer['answer']}"
        elif not _PRINTED_ASIDE.match(line):
            empty = _EMPTY_BEFORE.match(line)
            yield index, text[empty.end() :] if empty else text


def _label_answer_lines(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines whose `A: C` below `Q: …` is an answer, as no option is only letters."""
    flats = [flat(text) for _, text in lines]
    question_count = sum("Q" in line and _QUESTION.match(line) is not None for line in flats)
    answers = [_ANSWER_LINE.match(line) for line in flats] if question_count >= _FEWEST else []
    if question_count < _FEWEST or sum(map(bool, answers)) < _SHARE * question_count or any(map(_FIRST.match, flats)):
        yield from lines
        return
    for (index, text), answer in zip(lines, answers, strict=True):
        yield index, f"答案：{answer['answer']}" if answer else text


def _with_marked_options(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return questions with their kind after the stem, `……[单选题]`, with letters before the options and the marked ones as answer."""
    flats = [flat(text) for _, text in lines]
    question_lines = [_QUESTION_LINE.match(line) if line.rstrip(" *")[-1:] in _CLOSES else None for line in flats]
    starts = [position for position, match in enumerate(question_lines) if match]
    blocks = [(start, _options_below(flats, question_lines, start)) for start in starts]
    marked = sum(any(_RIGHT.search(flats[at]) for at in options) for _, options in blocks)
    if len(starts) < _FEWEST or marked < _SHARE * sum(bool(options) for _, options in blocks) or not marked:
        yield from lines
        return
    number, options_at = 0, {at: (position, options) for _, options in blocks for position, at in enumerate(options)}
    for position, (index, text) in enumerate(lines):
        if match := question_lines[position]:
            number += 1
            stem = text[: match.end("stem")]
            own = _NUMBER.match(flats[position])
            yield index, f"{number}. 【{match['type']}】{stem[own.end() :] if own else stem}"
        elif position in options_at:
            at, options = options_at[position]
            right, letter = _RIGHT.search(flats[position]), _LETTER.match(flats[position])
            yield index, f"{LETTERS[at]}. {text[letter.end() if letter else 0 : right.start() if right else len(text)].strip()}"
            if position == options[-1]:
                yield index, f"答案：{''.join(LETTERS[n] for n, option in enumerate(options) if _RIGHT.search(flats[option]))}"
        else:
            yield index, text


def _options_below(flats: Sequence[str], question_lines: Sequence[re.Match[str] | None], start: int) -> list[int]:
    """Return the places of the options below a stem: all lines to the next empty line, stem, answer or explanation."""
    indices: list[int] = []
    for index in range(start + 1, len(flats)):
        if not flats[index].strip() or question_lines[index] or _BEHIND.match(flats[index]):
            break
        indices.append(index)
    return indices if 2 <= len(indices) <= len(LETTERS) else []


QUIZ_STEPS = (
    Step(_without_feedback, ["*"]),
    Step(_as_printed, [re.compile(":(?<=[Aa][Nn][Ss]:)")]),
    Step(_label_answer_lines, ["Q"]),
    Step(_with_marked_options, ["正确答案", "正确选项"]),
)
