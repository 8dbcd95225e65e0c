"""Read one question with the templates of a layout: its lines and the patterns -> a draft with its doubts."""

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from msgspec import Struct, field, structs

from atomexam.text.option_letters import LETTERS
from crawlers.read.layouts.line_patterns import ALPHABETS, BEGINS, ENDS, Field, LinePattern, bare_answer, in_letters, letters_of, plain
from crawlers.read.lines.doubts.question import verified
from crawlers.read.lines.questions.draft import Draft
from crawlers.read.lines.questions.groups import Above
from crawlers.read.tables.roles.values import split_options
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat, opening_mark, shown
from crawlers.read.vocabulary.options import find_options, letter_of

_LETTER = re.compile(r"[(\[【]?\s?[A-Ja-j]\s{0,2}[)\]】.、:,]{0,2}\s{0,8}|[Ⓐ-Ⓙⓐ-ⓙ⒜-⒥]\s{0,8}")
_ALPHABET = "".join(map(re.escape, ALPHABETS))
_ODD_LETTER = re.compile(
    rf"(?:^|(?<=\s)|(?=[^\w\s]))(?P<before>[^\w\s]{{0,2}})(?P<letter>[{_ALPHABET}])\s{{0,2}}(?P<sign>[^\w\s][.．、。:：)）\]】〕>|]{{0,2}})"
)
_USUAL_SIGNS = (".", "、", "．", ":", "：", ")", "）", ",", "，")
_OPTIONS = ("option", "right_option")
_FEWEST = 2
ADD = "add its pattern to the template, a template for such questions, or the line to leave_out"
_LONG_CHARS, _TIMES_LONGER = 200, 4
Template = Sequence[LinePattern]


class Row(Struct, frozen=True):
    """One line of a paper."""

    index: int
    text: str
    flat: str
    gap: bool
    """Whether an empty line precedes it."""
    wrapped: bool = False
    """Whether the line above has full width, so that this one may continue it."""
    apart: bool = False
    """Whether dropped lines separate it from the line above, which it then continues only if that line has full width."""


class Filled(Struct):
    """The fields of a question as read with one template. It is filled line by line."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    options: list[tuple[str, str, bool]] = field(default_factory=list)
    """For each option: its letter, its text, and whether it is marked as right."""
    unread: list[Row] = field(default_factory=list)
    further: list[Row] = field(default_factory=list)
    """Lines that match no pattern and continue the text above."""
    kept: dict[int, list[Field]] = field(default_factory=dict)
    """For each line, the fields that the patterns matched."""
    last: str = ""
    """Name of the field that the next line may continue."""
    letter: str = ""
    """The letter of an option whose text is on the next line."""
    torn: bool = False
    """Whether options given in one text could not be divided, or an option continues on a line that was not wrapped."""
    unsigned: bool = False
    """Whether some options have no label of their own, so that only their count shows whether one is missing."""
    missing: int = 0
    """Difference between its number of options and its template's, if the template has a line for each option."""
    is_exact: bool = False
    """Whether its template has a line for each of its options, so that none is missing."""
    unsure: bool = False
    """Whether its lines may belong to another question, since they are assigned by position alone."""

    def may_take(self, row: Row, fields: Sequence[Field]) -> bool:
        """Return whether an option's letter is of the same kind as those above it; 1. after A. and B. is a point in a list."""
        letter = next((row.text[one.start : one.end] for one in fields if one.name == "letter"), "")
        first = self.options[0][0] if self.options else ""
        return not letter or not first or any(plain(first) in one and plain(letter) in one for one in ALPHABETS)

    def take(self, row: Row, pattern: LinePattern, fields: Sequence[Field]) -> None:
        """Add the fields of a line that matches a pattern."""
        known = {bare_answer(text) for text in self.texts.get("answer", [])}
        again = [one.name == "answer" and bare_answer(row.text[one.start : one.end]) in known for one in fields]
        self.kept[row.index] = [one for one, is_again in zip(fields, again, strict=True) if not is_again]
        letter, self.letter = self.letter, ""
        answer = next((one for one in fields if one.name == "answer"), None)
        for one in fields:
            text = row.text[one.start : one.end]
            if one.name == "letter":
                letter = text
            elif one.name in _OPTIONS:
                self.options.append((one.letter or letter, text, one.name == "right_option"))
                self.unsigned |= pattern.is_open
                letter = ""
            elif one.name and not (pattern.in_blank and one.name == "stem"):
                self.texts.setdefault(one.name, []).append(text)
        self.letter = letter
        if pattern.in_blank:
            stem, start, end = _with_blank(row, fields)
            self.texts.setdefault("stem", []).append(stem)
            outside = [one for one in self.kept[row.index] if not start <= one.start < end]
            self.kept[row.index] = sorted([*outside, Field("stem", start, end)], key=lambda one: one.start)
        names = [one.name for one in fields if one.name not in ("number", "numeral", "letter", "type")]
        ends_in_blank = pattern.in_blank and names[-1:] in (["stem"], ["answer"])
        self.last = "stem" if ends_in_blank else names[-1] if names else self.last
        if self.last == "answer" and answer and WHOLE_ANSWER.fullmatch(row.flat[answer.start : answer.end]):
            self.last = ""  # complete: another line is not part of it

    def go_on(self, row: Row) -> None:
        """Add a line that matches no pattern to the text above, or to the unread lines."""
        if row.gap or (row.apart and not row.wrapped) or (self.last == "" and not self.options):
            self.unread.append(row)
        elif self.last in _OPTIONS and self.options:
            letter, text, right = self.options[-1]
            self.options[-1] = (letter, f"{text}\n{row.text}", right)
            self.torn |= not row.wrapped
            self.further.append(row)
        elif self.last in self.texts:
            self.texts[self.last][-1] += f"\n{row.text}"
            self.further.append(row)
        else:
            self.unread.append(row)

    def divide(self, template: Template) -> None:
        """Divide options given in one text; those that match a pattern of right options are marked as right."""
        text = "\n".join(self.texts.get("options", []))
        parts = [(one.letter, text[one.start : one.end], text[one.words : one.end].strip()) for one in odd_options(text)]
        parts = parts or [(letter_of(part), part, _without_letter(part)) for part in _usual_options(text)]
        self.torn |= bool(text) and len(parts) < _FEWEST
        self.unsigned |= bool(text)
        patterns = [one for one in template if "right_option" in one.names]
        for letter, whole, bare in parts:
            fields = next((fields for one in patterns if (fields := one.fields(flat(whole))) is not None), [])
            right = next((whole[one.start : one.end] for one in fields if one.name == "right_option"), None)
            self.options.append((letter, bare if right is None else right, right is not None))


def _usual_options(text: str) -> list[str]:
    run = find_options(text)
    return run.texts(text) if run and run.sure and run.cuts and not min(run.cuts)[0] else split_options(text) if text else []


def places_of_options(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each option in a text, without its letter if unusual punctuation follows it, otherwise with it."""
    places, end = [(one.words, one.end) for one in odd_options(text)], 0
    for part in [] if places else _usual_options(text):
        if (start := text.find(part, end)) >= 0:
            end = start + len(part)
            places.append((start, end))
    return places or [(0, len(text))]


class OddOption(NamedTuple):
    """An option with unusual punctuation after its letter, and the index where its text begins."""

    letter: str
    start: int
    words: int
    end: int


def odd_options(text: str) -> list[OddOption]:
    """Return the options of a text whose letters are consecutive in an alphabet and have the same unusual punctuation: `甲﹚… 乙﹚…`."""
    first = _ODD_LETTER.match(text)
    alphabet = next((one for one in ALPHABETS if first and one.startswith(plain(first["letter"]))), "")
    if first is None or not alphabet or first["sign"] in _USUAL_SIGNS:
        return []
    marks = [match for match in _ODD_LETTER.finditer(text) if match.group("before", "sign") == first.group("before", "sign")]
    letters = "".join(plain(match["letter"]) for match in marks)
    if len(marks) < _FEWEST or not alphabet.startswith(letters):
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [OddOption(mark["letter"], mark.start(), mark.end(), end) for mark, end in zip(marks, ends, strict=True)]


def _with_blank(row: Row, fields: Sequence[Field]) -> tuple[str, int, int]:
    """Return a stem with the brackets of its answer emptied, and the stem's start and end in the line."""
    stems = [one for one in fields if one.name == "stem"]
    answer = next((one for one in fields if one.name == "answer"), None)
    start, end = stems[0].start, len(row.text)
    if answer is None:
        after = [
            one.start for one in fields if one.name not in ("stem", "number", "numeral", "letter", "type") and one.start > stems[-1].start
        ]
        return row.text[start : min([end, *after])].strip(), start, min([end, *after])
    if answer.start < start:
        start = max(row.flat.rfind(sign, 0, answer.start) for sign in BEGINS)
    if any(one.name != "stem" for one in fields if one.start > answer.start):
        closed = next((at for at in range(answer.end, end) if row.flat[at] in ENDS), answer.end) + 1
        end = max([closed, *(one.end for one in stems)])
    return f"{row.text[start : answer.start]}{row.text[answer.end : end]}".strip(), start, end


def _without_letter(option: str) -> str:
    sign = _LETTER.match(flat(option)) if letter_of(option) else None
    return option[sign.end() :] if sign else option


def fixed_length(templates: Sequence[Template]) -> int:
    """Return the number of lines per question if there is only one template and the number is fixed; otherwise 0."""
    [first, *others] = templates
    of_options = [one for one in first if "option" in one.names]
    recurs = any(not one.is_open and not any(letter for _, letter in one.strict.open) for one in of_options)
    is_any = [one.names.count("option") for one in of_options] == [1] or recurs or any("options" in one.names for one in first)
    return 0 if others or is_any else len(first)


def filled(template: Template, rows: Sequence[Row]) -> Filled:
    """Return the fields of a question as read with a template; lines that match none of its patterns continue a text or are left unread.

    Only the first line may match the first pattern: any later line with a number is a point in a list.
    """
    read, at = Filled(), -1
    divided = any("options" in one.names for one in template)
    lines = [(index, one) for index, one in enumerate(template) if not one.is_open and not (divided and "right_option" in one.names)]
    for row in rows:
        fits = [(index, fields) for index, one in lines if (fields := one.fields(row.flat)) is not None]
        fits = [(index, fields) for index, fields in fits if (index == 0) == (at < 0) and read.may_take(row, fields)]
        if not fits:
            due = _due(template, at, row)
            fields = template[due].fields(row.flat) if due is not None and _may_be(template[due], row) else None
            if due is not None and fields is not None:
                fits = [(due, fields)]
        if not fits:
            read.go_on(row)
            continue
        at, fields = max(fits, key=lambda fit: (template[fit[0]].weight, fit[0] > at, -fit[0]))
        read.take(row, template[at], fields)
    read.divide(template)
    of_options = sum(one.is_open and "option" in one.names for one in template)
    read.missing = abs(of_options - len(read.options)) if of_options > 1 else 0
    read.is_exact = of_options > 1 and not read.missing
    return read


def _due(template: Template, at: int, row: Row) -> int | None:
    """Return the index of the next pattern without fixed text, or again that of the options, which may repeat."""
    in_turn = [index for index, pattern in enumerate(template) if pattern.is_open]
    of_options = [index for index in in_turn if "option" in template[index].names]
    above = template[at].names if at >= 0 else ()
    if not row.gap or letter_of(row.text):
        if len(of_options) == 1 and not set(_OPTIONS).isdisjoint(above):
            return of_options[0]
        is_apart = row.apart and not row.wrapped and not letter_of(row.text)
        if at in in_turn and "options" in above and not is_apart:
            return at
    return next((index for index in in_turn if index > at), None)


def _may_be(pattern: LinePattern, row: Row) -> bool:
    """Return whether a line has what a pattern without fixed text requires: several options, if the pattern names them."""
    return "options" not in pattern.names or bool(letter_of(row.text) or odd_options(row.text)) or len(split_options(row.text)) >= _FEWEST


def draft_of(read: Filled, rows: Sequence[Row], above: Above, number: int | None, ordinal: int) -> Draft:
    """Return a question with its first doubt."""
    options = [text for _, text, _ in read.options]
    letters, _ = letters_of([letter for letter, _, _ in read.options])
    answers = [in_letters(text, read.options) for text in read.texts.get("answer", [])]
    right = "".join(letter for letter, (_, _, is_right) in zip(letters, read.options, strict=False) if is_right)
    answers += [right] if right else []
    draft = Draft(
        line=rows[0].index,
        ordinal=ordinal,
        number=ordinal if number is None else number,
        type=next(iter(read.texts.get("type", [])), None),
        above=above,
        stem="\n".join(read.texts.get("stem", [])),
        options=[f"{letter}. {text}" for letter, text in zip(letters, options, strict=True)] if len(letters) == len(options) else options,
        answer=answers[0] if answers else None,
        explanation="\n".join(read.texts.get("explanation", [])) or None,
    )
    loose = [*read.further, *read.unread]
    after = LETTERS[len(letters) : len(letters) + 1] if options else ""
    if not draft.stem.strip():
        return draft.doubted("stem_unreadable", "no line of it fits a pattern with {stem}")
    if cause := _fault_of_options(read, letters, loose):
        return draft.doubted("options_unreadable", cause)
    if lettered := next((row for row in loose if after and letter_of(row.text) == after), None):
        return draft.doubted("options_unreadable", f"{at_line(lettered)} may be its option {after}, but fits no pattern; {ADD}")
    if {"A", "B"} <= {letter_of(row.text) for row in loose} and not options:
        return draft.doubted("options_unreadable", f"it has no options, but A and B in lines from {at_line(loose[0])} on; {ADD}")
    if answer := next((row for row in loose if opening_mark(row.flat) == "answer"), None):
        cause = f"{at_line(answer)} may be its answer, but fits no pattern; {ADD}"
        return draft.doubted("options_unreadable" if options else "stem_unreadable", cause)
    if len({bare_answer(answer) for answer in answers}) > 1:
        return draft.doubted("two_answers", f"its answers are {' and '.join(map(shown, answers))}; expected the same at each {{answer}}")
    if read.unsure:
        cause = "the lines above it are not a whole question, or it has more lines than the pattern; so it may begin elsewhere"
        return draft.doubted("options_unreadable" if options else "stem_unreadable", f"{cause}; {ADD}")
    for option in _with_next(draft.options):
        if (run := find_options(option)) is not None and len(run.cuts) > 1:
            cause = f"option {shown(option[3:])} has a further letter in it; expected {{options}} where several are on a line"
            return draft.doubted("options_unreadable", cause)
    return verified(draft) if read.further else draft


def at_line(row: Row) -> str:
    """Return a line's number and its beginning."""
    return f"line {row.index + 1}, {shown(row.text)},"


def _fault_of_options(read: Filled, letters: str, loose: Sequence[Row]) -> str:
    """Return why the options of a question are uncertain, with the line and what to do; empty if they are certain."""
    texts, signs = [text for _, text, _ in read.options], [letter or "no letter" for letter, _, _ in read.options]
    beside = f"; {at_line(loose[0])} fits no pattern" if loose else ""
    if len(texts) == 1:
        return f"it has the option {shown(texts[0])} alone{beside}; expected two or more; {ADD}"
    if texts and not letters:
        wanted = f"letters of one kind, each once and in order{beside}"
        return f"its options are lettered {', '.join(signs)}; expected {wanted}; correct the file, or {ADD}"
    if read.torn and not texts:
        text = "\n".join(read.texts.get("options", []))
        return f"{{options}} has {shown(text)}, which cannot be divided; expected letters in order, or one sign between options"
    if read.torn:
        row = next((row for row in loose if any(row.text in text.split("\n")[1:] for text in texts)), None)
        where = at_line(row) if row else f"a further line of {shown(next((text for text in texts if chr(10) in text), texts[-1]))}"
        return f"{where} is below an option and fits no pattern; {ADD}"
    return ""


def _with_next(options: Sequence[str]) -> list[str]:
    """Return each option relettered as A, with the letter of the next option inside it changed to B."""
    return [f"A. {option[3:]}".replace(f" {after}", " B") for option, after in zip(options, LETTERS[1:], strict=False)]


def with_letters(draft: Draft, read: Filled) -> Draft:
    """Return a question with its answer as option letters, and with a doubt if the answer names no option or a nonexistent one."""
    if not draft.answer:
        return draft
    draft = structs.replace(draft, answer=in_letters(draft.answer, read.options))
    signs = bare_answer(draft.answer or "")
    is_named = WHOLE_ANSWER.fullmatch(flat(draft.answer or "")) and not set(signs) & set(LETTERS[len(read.options) :])
    if is_named or not read.options:
        return draft
    names = ", ".join(LETTERS[: len(read.options)])
    wanted = f"expected letters among {names}, the text of an option, or both"
    return draft.doubted("options_unreadable", f"its answer {shown(draft.answer or '')} names none of its options {names}; {wanted}")


def with_odd_numbers_doubted(drafts: Sequence[Draft], reads: Sequence[Filled]) -> list[Draft]:
    """Return the questions, with a doubt on each whose number of unlabelled options differs from that of most questions in its section."""
    is_counted = [read.unsigned and bool(read.options) and not read.options[0][0] and not _are_verdicts(read) for read in reads]
    counts: dict[str | None, Counter[int]] = {}
    for draft, counted in zip(drafts, is_counted, strict=True):
        if counted:
            counts.setdefault(draft.above.heading, Counter())[len(draft.options)] += 1
    doubted = []
    for draft, read, counted in zip(drafts, reads, is_counted, strict=True):
        sizes = counts[draft.above.heading] if counted else Counter[int]()
        usual = next((size for size, times in sizes.items() if size != len(draft.options) and times * 2 > sizes.total()), 0)
        wanted = f"expected {usual}, as most of its section; if it is right, give a template with as many lines {{option}}"
        cause = f"it has {len(draft.options)} options; {wanted}"
        doubted.append(draft.doubted("options_unreadable", cause) if usual and not read.is_exact else draft)
    return doubted


def with_swallowed_doubted(drafts: Sequence[Draft], reads: Sequence[Filled]) -> list[Draft]:
    """Return the questions, with a doubt on each that unmatched lines make several times longer than usual; they may be questions."""
    sizes = [sum(map(len, (draft.stem, *draft.options, draft.explanation or ""))) for draft in drafts]
    most = max(_LONG_CHARS, _TIMES_LONGER * median(sizes or [0]))
    return [
        draft.doubted("options_unreadable" if draft.options else "stem_unreadable", _swallowed(read))
        if size > most and 2 * sum(len(row.text) for row in read.further) > size
        else draft
        for draft, read, size in zip(drafts, reads, sizes, strict=True)
    ]


def _swallowed(read: Filled) -> str:
    lines = f"{len(read.further)} lines from {at_line(read.further[0])} on" if read.further else "its lines"
    return f"{lines} fit no pattern and make it very long; {ADD}"


def _are_verdicts(read: Filled) -> bool:
    return all(WHOLE_ANSWER.fullmatch(flat(text)) for _, text, _ in read.options)
