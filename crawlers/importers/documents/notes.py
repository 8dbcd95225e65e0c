"""Footnotes, endnotes and comments that state answers: lines with notes in them in, lines with the answers below their questions out.

A note belongs to the place that it is anchored to. Notes of a kind are read only if most of them are answers; remarks of a reviewer and
sources stay out of the text.
"""

import html
import re
from collections.abc import Iterable, Sequence

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import VERDICT
from crawlers.papers.signs.answer_marks import LETTERS as LETTERS_OF_ANSWER
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, flat, parts_of
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

BEGIN, END, _ROW = "\ue0fa", "\ue0fb", "\ue0fc"
"""Enclose a note in a line, at the place of its anchor; the sign between its own lines."""
_NOTE = re.compile(f"{BEGIN}(?P<text>[^{BEGIN}{END}]*){END}")
_TAG = re.compile(r"<[^<>\n]{1,200}>")
_NUMBER = re.compile(r"(?:第\s?\d{1,4}\s?题|\(?\d{1,4}\s?[.、):])\s{0,3}")
_FLAGS = re.compile(
    r"[(\[【]?\s?(?:(?:这是?|此|该|本)?(?:项|选项)?(?:是|为)?(?:正确|本题|参考|标准)?的?(?:答案|选项)|正确|对|√|(?i:correct|right|answer|key))\s?[)\]】]?[。.!]?"
)
"""What a note on an option says of a correct one."""
_STATES = re.compile(
    rf"(?:参考|正确|标准)?答案(?:应?[为是选]\s?:?\s{{0,3}}|\s{{1,3}})(?=[(\[“\"]?(?:{LETTERS_OF_ANSWER}|{VERDICT})[)\]”\"]?(?:[。.;,]|$))"
)
"""How a note states its answer before further words; in a text, the name would need a colon."""
_RIGHT = "（正确答案）"
_FEWEST, _SHARE, _MOST_ROWS = 2, 0.6, 20


def note_of(rows: Iterable[str]) -> str:
    """Return a note by its lines, as it is put into the line of its anchor; nothing for an empty one."""
    words = [words for row in rows if (words := row.strip(f" \t\r\n{BEGIN}{END}{_ROW}"))]
    return f"{BEGIN}{_ROW.join(words)}{END}" if words else ""


def are_answers(notes: Sequence[str]) -> bool:
    """Return whether most notes of a kind are answers."""
    texts = [text for note in notes for text in _NOTE.findall(note)]
    return sum(_is_flag(text) or bool(_answer(text)) for text in texts) >= max(_FEWEST, _SHARE * len(texts))


def without_notes(text: str) -> str:
    """Return a text without the notes in it."""
    return _NOTE.sub("", text)


def with_answers_of_notes(lines: Sequence[str], form: str = "{}") -> list[str]:
    """Return the lines with the answers that the notes in them state, each below the options that follow its anchor.

    Args:
        lines: text, or paragraphs of a page with tags in them.
        form: what encloses a line.
    """
    plain = [flat(_plain(line)) if BEGIN in line else "" for line in lines]
    below: dict[int, list[str]] = {}
    done = list(lines)
    for at, line in enumerate(lines):
        if BEGIN not in line:
            continue
        is_option = bool(letter_of(plain[at]))
        done[at] = _NOTE.sub(_mark_of if is_option else "", line)
        rows = [row for text in _NOTE.findall(line) if not (is_option and _is_flag(text)) for row in _answer(text)]
        if rows:
            below.setdefault(_place(lines, at), []).extend(form.format(row) for row in rows)
    return [each for at, line in enumerate(done) for each in (line, *below.get(at, []))]


def _mark_of(note: re.Match[str]) -> str:
    return _RIGHT if _is_flag(note["text"]) else ""


def _plain(line: str) -> str:
    return html.unescape(_TAG.sub("", without_notes(line))).strip()


def _is_flag(text: str) -> bool:
    return _FLAGS.fullmatch(flat(text).strip()) is not None


def _answer(text: str) -> list[str]:
    """Return the lines of a note that states an answer, with a label; nothing if it does not."""
    first, *rest = text.split(_ROW)
    number = _NUMBER.match(flat(first))
    first = first[number.end() :] if number else first
    if WHOLE_ANSWER.fullmatch(flat(first).strip()):
        return [f"答案：{first}", *rest]
    if states := _STATES.match(flat(first)):
        first = f"答案：{first[states.end() :]}"
    (kind, words), *_ = parts_of(first) or (("text", ""),)
    return [first, *rest] if kind == "answer" and words else []


def _place(lines: Sequence[str], anchor: int) -> int:
    """Return the line below which the answer of a question is: its last option, or its only line."""
    line = flat(_plain(lines[anchor]))
    last_letter, last = letter_of(line), anchor
    numbered = number_of(line) is not None
    for at in range(anchor + 1, min(anchor + _MOST_ROWS, len(lines))):
        line = flat(_plain(lines[at]))
        letter = letter_of(line)
        if letter and (letter > last_letter if last_letter else letter == LETTERS[0]):
            last_letter, last = letter, at
        elif last_letter or not numbered or not line or (BEGIN in lines[at]) or number_of(line) or heads(line):
            break
    return last
