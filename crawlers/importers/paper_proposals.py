"""A paper -> the text of a layout that a person confirms or corrects: patterns made from the questions that were read for certain."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath

from msgspec import structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.numerals import HANZI
from atomexam.text.option_letters import LETTERS
from atomexam.text.refusal import Refusal
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.importers.answer_letters import bare_answer
from crawlers.importers.example_lines import rejected_lines, shortened, spread
from crawlers.importers.files.reading import FileReading, Text
from crawlers.importers.layouts.line_patterns import compiled
from crawlers.importers.layouts.paper_layout import PaperLayout
from crawlers.importers.papers import paper_in, questions_by_layout
from crawlers.importers.records.record_proposals import UNCONFIRMED
from crawlers.papers.questions.draft import Draft, ParsedPaper
from crawlers.papers.signs.answer_marks import flat, marks_in, trimmed, visible
from crawlers.papers.signs.entries import is_title, title_in
from crawlers.papers.signs.headings import case_heading_in, note_in
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of
from crawlers.papers.signs.options import find_options

_MOST_ROWS, _MOST_CHARS, _FIRST_LINES = 5, 60, 10
_MOST_TEMPLATES, _MOST_LINES, _OFTEN = 6, 12, 3
PROPOSAL = Provenance(source="proposal", url="file:proposal", snapshot="2026-01-01", page_id="page-0", position="")
_SKELETON = "{number}. {stem}\n{letter}. {option}\n答案：{answer}\n解析：{explanation}"
_TICK = re.compile(r"[(（【\[]\s?(?:正确)?答案\s?[)）】\]]")
_VALUE = re.compile(rf"\d{{1,6}}|[①-⑳㉑-㉟⑴-⒇⒈-⒛]|[{HANZI}]{{1,3}}")
_LETTER = re.compile(r"[(\[【]?\s?(?P<letter>[A-Ja-jⒶ-Ⓙⓐ-ⓙ⒜-⒥])\s?[)\]】]?\s?[.、:)]?")
_IN_BRACKETS = re.compile(r"[(\[【<_]{1,9}\s{0,9}(?P<answer>[^()\[\]【】<>_]{1,40}?)\s{0,9}[)\]】>_]{1,9}")
_ANNOUNCED = re.compile(rf"(?:答案|正解|answer|key)\s?[:是为]?\s?(?P<answer>[A-J]{{1,10}}|{SURE_VERDICT})(?![A-Za-z])", re.IGNORECASE)
"""An answer in the middle of a remark: `今日正确答案：B，大家记一下`."""
_NUMBERS = re.compile(r"(?P<first>\d{1,5})\s?题?\s?[-_]{1,3}\s?(?:第\s?)?(?P<last>\d{1,5})")
_DIGITS, _BLANK = re.compile(r"\d{1,9}(?:\.\d{1,2})?"), re.compile(r"\s")
_OPENS = "([【（ "
_WORDS, _NAME = re.compile(r"[^\W\d_]{2,}"), re.compile(r"\{\w*\}")
_WORD, _NAME_OR_WORD = re.compile(r"[^\W\d_]+"), re.compile(r"\{\w*\}|[^\W\d_]+")
_MOST_ABOVE, _MOST_TAG, _MOST_MARK = 30, 3, 8
_TAG_END = re.compile(r"[^)\]】]{0,12}[)\]】]\s{0,3}")
_NUMBERED_HEADING = re.compile(rf"(?P<before>第?[(\[]?)[{HANZI}\d]{{1,3}}(?P<after>[)\]]?[章节篇编讲课卷套部分单元大题]{{0,2}}[、.:)]?)")


def propose_paper(name: str, text: Text) -> str | None:
    """Return the text of a layout of a paper; None if none of its questions can be read."""
    lines = [trimmed(visible(line)) for line in text.lines]
    try:
        paper = paper_in(name, text)
    except Refusal:  # notes, records: a person knows better
        paper = ParsedPaper([], [])
    layout = _layout_of(lines, paper.drafts)
    if layout is None:
        return None
    own = questions_by_layout(name, text, layout, PROPOSAL)
    texts = _squeezed("\n".join(text for draft in paper.drafts for text in (draft.stem, *draft.options)))
    if unread := _recurring(line for line in _unread(own) if _squeezed(line) not in texts):
        layout = structs.replace(layout, leave_out=unread)
        own = questions_by_layout(name, text, layout, PROPOSAL)
    unread = _unread(own)
    notes = [
        *rejected_lines(lines, paper),
        *(f"# unread: {shortened(line)}" for line in unread[:_MOST_ROWS]),
        *(f"# {_row(item)}" for item in spread(_read(own), _MOST_ROWS)),
    ]
    return _written(name, layout, not unread, notes)


def skeleton(name: str, text: Text) -> str:
    """Return the text of a layout to be written from the first lines of a paper of which no question can be read.

    Raises:
        ValueError: it has no lines.
    """
    shown = [f"# {shortened(line)}" for line in text.lines if line.strip()][:_FIRST_LINES]
    if not shown:
        raise Refusal(f"{name}: no line of text; expected a paper")
    notes = ["# no question was read; write the patterns from the first lines of the file:", *shown]
    return _written(name, PaperLayout(question=_SKELETON), False, notes)


def question_key(item: QuestionItem) -> tuple[str, ...]:
    """Return what must be equal in two readings of a question: its stem without its number, its options without letters, its answer."""
    options = [_squeezed(_bare(option)) for option in item.options_raw or item.shared_options_raw or []]
    stem = _squeezed(_without_number(item.stem_raw or "")).replace("()", "")  # the brackets of its answer may be left or not
    return (stem, *options, bare_answer(item.answer_raw or ""), _squeezed(item.case_raw or ""))


def _read(reading: FileReading) -> list[QuestionItem]:
    return [item for item in reading.items if isinstance(item, QuestionItem) and item.doubt is None]


def _unread(reading: FileReading) -> list[str]:
    """Return the unread lines that are no title."""
    dropped = {line.strip() for line in reading.source.dropped} if reading.source else set()
    titles = "\n".join({item.paper_raw or "" for item in reading.items if isinstance(item, QuestionItem)})
    return [line for line in reading.unread if line.strip() not in dropped and line.strip() not in titles]


def _without_number(line: str) -> str:
    number = number_of(flat(line))
    return line[number.end :] if number else line


def _layout_of(lines: Sequence[str], drafts: Sequence[Draft]) -> PaperLayout | None:
    """Return the layout by which the questions read for certain are read again; None if there are none."""
    every: list[tuple[str, ...]] = []
    is_listed = False
    for draft, end in zip(drafts, [*(draft.line for draft in drafts[1:]), len(lines)], strict=False):
        if draft.doubts:
            continue
        template = _without_marks_of_all(dict.fromkeys(_template(lines[draft.line : end], draft)))
        is_listed |= bool(draft.answer) and not any("{answer}" in line or "right_option" in line for line in template)
        if template and "{stem}" in "".join(template):
            every.append(template)
    if not every:
        return None
    templates = Counter(_with_recurring_signs(every))
    above = (lines[max(0, draft.line - _MOST_ABOVE) : draft.line] for draft in drafts if draft.above.group)
    cases = [*filter(None, dict.fromkeys(map(_case, above)))][:_MOST_LINES]
    headings = dict.fromkeys(
        _heading(draft.above.heading) for draft in drafts if draft.above.heading and not case_heading_in(flat(draft.above.heading))
    )
    stems = _squeezed("".join(draft.stem for draft in drafts))
    titles = dict.fromkeys(filter(None, (_answers(line) for line in lines if _squeezed(line) not in stems))) if is_listed else {}
    return PaperLayout(question=_merged(templates), case=cases, heading=[*headings][:_MOST_LINES], answers=[*titles][:_MOST_LINES])


def _without_marks_of_all(template: Iterable[str]) -> tuple[str, ...]:
    """Return the lines of a question without those that mark right options as wrong ones are marked: a bullet."""
    lines = [*template]
    plain = {line for line in lines if "{option}" in line}
    return tuple(line for line in lines if line.replace("{right_option}", "{option}") not in plain or line in plain)


def _with_recurring_signs(templates: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the templates of all questions without the words of single ones: a sign recurs in most of those with a line of its shape."""
    counts, of_shape = Counter[str](), Counter[str]()
    for template in templates:
        counts.update({word for line in template for word in _WORD.findall(_NAME.sub(" ", line))})
        of_shape.update({_with_words(line, lambda _: False) for line in template})
    least = min(2, (len(templates) + 1) // 2)

    def own(line: str) -> str:
        most = max(least, of_shape[_with_words(line, lambda _: False)] / 2)
        return _with_words(line, lambda word: counts[word] >= most or any(marks_in(f"{word}：")))

    return [tuple(loose for at, line in enumerate(each) if (loose := _loosened(line, own(line), not at))) for each in templates]


def _with_words(line: str, are_signs: Callable[[str], bool]) -> str:
    """Return a pattern with {} for the words that are no signs."""
    return _NAME_OR_WORD.sub(lambda match: match[0] if match[0].startswith("{") or are_signs(match[0]) else "{}", line)


def _loosened(line: str, loose: str, is_first: bool) -> str:
    """Return a pattern with {} for its words; nothing if no sign would be left in it, unless it is that of a first line."""
    if line == loose:
        return line
    try:
        is_open = compiled(loose, "").is_open
    except ValueError:
        return line if is_first else ""
    return loose if is_first or not is_open else ""


def _merged(templates: Counter[tuple[str, ...]]) -> list[str]:
    """Return one template for each first line, with all lines that questions with this first line have."""
    often = [template for template, _ in templates.most_common(_MOST_LINES)]
    merged: dict[str, dict[str, None]] = {}
    for first, *below in often:
        merged.setdefault(first, {}).update(dict.fromkeys(below))
    for rest in merged.values():
        if "{options}" in rest:
            for line in [line for line in rest if "{letter}" in line and line.endswith("{option}")]:
                del rest[line]  # those on lines of their own are options in one text, too
    return ["\n".join([first, *[*rest][:_MOST_LINES]]) for first, rest in merged.items()][:_MOST_TEMPLATES]


def _template(lines: Sequence[str], draft: Draft) -> Iterator[str]:
    """Yield the lines of a question with names for the texts that it has in them."""
    number = number_of(flat(lines[0])) if lines else None
    opening, start = "", 0
    if number and (value := _VALUE.search(flat(lines[0]), number.begin, number.end)):
        opening = _fixed(lines[0][: value.start()]) + "{number}" + _fixed(lines[0][value.end() : number.end])
        start = number.end
    for at, line in enumerate(lines):
        text = line if at else line[start:]
        if pattern := _pattern(text.strip(), draft, is_first=not at) if text.strip() else "":
            yield from (pattern if at else opening + pattern).split("\n")
        elif not at and opening:
            yield opening


def _pattern(text: str, draft: Draft, is_first: bool) -> str:
    """Return a line with names for the texts that a question has in it; nothing if it continues a text or is no part of it."""
    if not is_first and (option := _marked_option(text, draft)):
        return option
    marks = [(kind, start, start + len(words)) for kind, words, start in marks_in(text)]
    if marks and not (find_options(text) and _TICK.search(text)) and (text[marks[-1][2] :].strip() or not find_options(text)):
        before = text[: marks[0][1]].strip()
        is_stem = not is_first and _squeezed(before) in _squeezed(draft.stem)
        other = "{stem}" if is_stem else _fixed(before) if len(before) <= _MOST_MARK else ""
        named = [_before_marks(before, draft, is_first) or other] if before else []
        ends = [*(start for _, start, _ in marks[1:]), len(text)]
        for (kind, start, end), stop in zip(marks, ends, strict=True):
            name = {"answer": "{answer}", "explanation": "{explanation}", "text": "{stem}"}.get(kind, "{}")
            value = text[end:stop].strip()
            after = value.removeprefix(draft.answer) if kind == "answer" and draft.answer and len(draft.answer) < len(value) else value
            after = _fixed(after) if after != value and len(after) <= _MOST_MARK and letter_of(after) is None else ""
            named.append(_fixed(text[start:end]) + (name + after if value else ""))
        return " ".join(named) if any("{" in part for part in named) else ""
    if not is_first and (found := _ANNOUNCED.search(flat(text))) and bare_answer(found["answer"]) == bare_answer(draft.answer or ""):
        return _fixed(text[: found.start("answer")]) + "{answer}" + _fixed(text[found.end("answer") :])
    if bare_answer(text) == bare_answer(draft.answer or "?") and not is_first:
        return "{answer}"
    return _before_marks(text, draft, is_first)


def _before_marks(text: str, draft: Draft, is_first: bool) -> str:
    run = find_options(text)
    starts = sorted(start for start, _ in run.cuts) if run and run.cuts else []
    starts = ([] if len(starts) == 1 else starts) if is_first else [0] if not starts and letter_of(text) else starts
    if starts and draft.options:
        stem = text[: starts[0]].strip()
        if stem and not is_first and _squeezed(stem) not in _squeezed(draft.stem):
            return ""
        options = _option(text, draft) if len(starts) == 1 and not stem else "{options}" + _ticked(text[starts[0] :])
        return " ".join([*([_stem(stem, draft)] if stem else []), options])
    own = [_squeezed(_bare(option)) for option in draft.options]
    if not is_first and any(_squeezed(text) in option for option in own):
        return "{option}" if _squeezed(text) in own else ""
    if is_first or _squeezed(text) == _squeezed(draft.stem):
        return _stem(text, draft)
    return ""


def _option(text: str, draft: Draft) -> str:
    """Return an option on a line of its own; {options} if more than it is on the line."""
    sign = _LETTER.match(flat(text))
    if sign is None or _bare(text) not in [_bare(option).split("\n")[0].strip() for option in draft.options]:
        return "{options}" + _ticked(text)
    return f"{_fixed(text[: sign.start('letter')])}{{letter}}{_fixed(text[sign.end('letter') : sign.end()])} {{option}}"


def _bare(option: str) -> str:
    """Return an option without its letter."""
    sign = _LETTER.match(flat(option))
    return option[sign.end() if sign else 0 :].strip()


def _marked_option(text: str, draft: Draft) -> str:
    """Return an option on a line of its own with its mark, `★B. 乙`, `乙(正确答案)` or `- 乙`; nothing if the line is none."""
    for at, option in enumerate(draft.options[: len(LETTERS)]):
        bare, is_right = _bare(option), LETTERS[at] in bare_answer(draft.answer or "")
        start = text.find(bare) if bare else -1
        if any(not is_right or mark_start < start for *_, mark_start in marks_in(text)):
            continue
        before, after = (text[:start], text[start + len(bare) :].strip()) if start >= 0 else ("", "")
        letter = flat(before).upper().find(LETTERS[at])
        if letter < 0 and letter_of(text):
            continue
        mark = before[: max(letter, 0)].strip(_OPENS) if letter >= 0 else before.strip()
        if (
            (mark or after)
            and len(mark) + len(after) <= _MOST_MARK
            and not (letter_of(mark) or letter_of(after) or _are_texts(mark, after, draft))
        ):
            named = f"{_fixed(before[:letter])}{{letter}}{_fixed(before[letter + 1 :])}" if letter >= 0 else _fixed(before)
            return f"{named} {{{'right_option' if is_right else 'option'}}} {_fixed(after)}".strip()
    return ""


def _are_texts(before: str, after: str, draft: Draft) -> bool:
    """Return whether what is beside an option is in another text of its question: two options on a line, or a stem that goes on."""
    words = [word for text in (before, after) for word in _WORDS.findall(text)]
    return any(word in text for word in words for text in (draft.stem, *draft.options))


def _ticked(options: str) -> str:
    """Return a further line with the pattern of the option that is marked as right among those of one text, if one is."""
    tick, sign = _TICK.search(options), _LETTER.match(flat(options))
    if tick is None or sign is None:
        return ""
    before, after = options[: sign.start("letter")], options[sign.end("letter") : sign.end()]
    return f"\n{_fixed(before)}{{letter}}{_fixed(after)} {{right_option}} {_fixed(tick[0])}"


def _stem(text: str, draft: Draft) -> str:
    """Return a line of the stem, which may have a tag before it, and the answer in it."""
    stem = draft.stem.split("\n")[0].strip()
    number = number_of(flat(stem))
    stem = stem[number.end :] if number and number.value == draft.number else stem
    if draft.type and 0 <= (at := text.find(draft.type)) < _MOST_TAG and (end := _TAG_END.match(text, at + len(draft.type))):
        return f"{_fixed(text[:at])}{{type}}{_loose(end[0])}" + _stem(text[end.end() :], draft)
    for match in _IN_BRACKETS.finditer(flat(text)):
        if draft.answer and bare_answer(match["answer"]) == bare_answer(draft.answer) and _squeezed(match[0]) not in _squeezed(stem):
            opening, closing = text[match.start() : match.start("answer")], text[match.end("answer") : match.end()]
            before = "{stem}" if text[: match.start()].strip() else ""
            after = "{stem}" if not before or len(text[match.end() :].strip()) > 1 else ""
            return f"{before}{_fixed(opening)}{{answer}}{_fixed(closing)}{after}"
    if draft.answer and text.endswith(draft.answer) and not stem.endswith(draft.answer):
        return "{stem} {answer}"
    before = text[: text.find(stem)] if stem and stem in text else ""
    return (_fixed(before) if len(before) <= _MOST_MARK else "") + "{stem}"


def _fixed(text: str) -> str:
    """Return signs as a pattern has them."""
    return " ".join(text.strip().split()).replace("{", "{{").replace("}", "}}")


def _loose(text: str) -> str:
    """Return signs as a pattern has them, with {} for numbers."""
    return _DIGITS.sub("{}", _fixed(text))


def _squeezed(text: str) -> str:
    return _BLANK.sub("", flat(text))


def _heading(text: str) -> str:
    match = _NUMBERED_HEADING.match(flat(text))
    if match is None or not match["after"] or not text[match.end() :].strip():
        return _fixed(text[:_MOST_CHARS])
    return f"{_fixed(text[: match.end('before')])}{{numeral}}{_fixed(text[match.start('after') : match.end()])}{{heading}}"


def _answers(line: str) -> str:
    """Return the pattern of a title of a list of answers, which may have them behind it, `第一章答案：1.B 2.C`; nothing if it is none."""
    if is_title(flat(line)):
        return _fixed(line)
    title = title_in(flat(line))
    return f"{_VALUE.sub('{}', _fixed(line[: title.end]))}{{answer}}" if title and line[title.end :].strip() else ""


def _case(above: Sequence[str]) -> str:
    """Return the pattern of the note or title above questions that share a text."""
    for line in reversed(above):
        if (numbers := _NUMBERS.search(flat(line))) and note_in(flat(line)):
            low, high = numbers.span()
            middle = line[numbers.end("first") : numbers.start("last")]
            return f"{_fixed(line[:low])}{{first}}{_fixed(middle)}{{last}}{_loose(line[high:])}"
        if title := case_heading_in(flat(line)):
            words, rest = line[: title[1]], line[title[1] :]
            value = _VALUE.search(flat(words))
            named = f"{_fixed(words[: value.start()])}{{}}{_fixed(words[value.end() :])}" if value else _fixed(words)
            return named + ("{case}" if rest.strip() else "")
    return ""


def _recurring(unread: Iterable[str]) -> list[str]:
    """Return the patterns of lines that recur but for their numbers."""
    often = Counter(_loose(line[:_MOST_CHARS]) + "{}" * (len(line) > _MOST_CHARS) for line in unread)
    return [line for line, times in often.most_common(_MOST_LINES) if times >= _OFTEN and line.replace("{}", "").strip()]


def _written(name: str, layout: PaperLayout, is_sure: bool, notes: Iterable[str]) -> str:
    lines = [
        "# Proposed from the questions of the file. Correct what is wrong; docs/papers.md has the names in braces. The next read uses it:",
        f"{json.dumps(PurePath(name).stem, ensure_ascii=False)}:",
        *([] if is_sure else [UNCONFIRMED]),
        "  paper:",
        *(f"    {note}" for note in notes),
    ]
    templates = [layout.question] if isinstance(layout.question, str) else layout.question
    lines.append("    question:")
    for template in templates:
        lines += ["      - |", *(f"        {line}" for line in template.split("\n"))]
    for key in ("case", "heading", "answers", "leave_out"):
        if patterns := getattr(layout, key):
            lines += [f"    {key}:", *(f"      - {json.dumps(pattern, ensure_ascii=False)}" for pattern in patterns)]
    return "\n".join(lines) + "\n"


def _row(item: QuestionItem) -> str:
    options = " | ".join(map(shortened, item.options_raw or []))
    return " => ".join(filter(None, (shortened(item.stem_raw or ""), options, shortened(item.answer_raw or "no answer"))))
