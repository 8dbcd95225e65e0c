"""A paper -> the text of a layout that a person confirms or corrects: patterns made from the questions that were read for certain."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from msgspec import structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.numerals import HANZI
from atomexam.text.refusal import Refusal
from crawlers.coverage.papers import PaperAccount
from crawlers.importers.files.reading import FileReading, Text
from crawlers.importers.layouts.paper_layout import PaperLayout
from crawlers.importers.papers import paper_in, questions_by_layout
from crawlers.importers.question_templates import bare_answer
from crawlers.importers.records.record_proposals import UNCONFIRMED
from crawlers.papers.questions.draft import Draft
from crawlers.papers.signs.answer_marks import flat, marks_in, trimmed, visible
from crawlers.papers.signs.entries import ANSWER, is_title, listed_in
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of
from crawlers.papers.signs.options import find_options

_MOST_ROWS, _MOST_CHARS, _FIRST_LINES = 5, 60, 10
_MOST_TEMPLATES, _MOST_LINES, _OFTEN = 6, 12, 3
_HERE = Provenance(source="proposal", url="file:proposal", snapshot="2026-01-01", page_id="page-0", position="")
_SKELETON = "{number}. {stem}\n{letter}. {option}\n答案：{answer}\n解析：{explanation}"
_VALUE = re.compile(rf"\d{{1,6}}|[①-⑳㉑-㉟⑴-⒇⒈-⒛]|[{HANZI}]{{1,3}}")
_LETTER = re.compile(r"[(\[【]?\s?(?P<letter>[A-Ja-jⒶ-Ⓙⓐ-ⓙ⒜-⒥])\s?[)\]】]?\s?[.、:)]?")
_IN_BRACKETS = re.compile(r"[(\[【<]\s{0,9}(?P<answer>[^()\[\]【】<>]{1,40}?)\s{0,9}[)\]】>]")
_ENTRY = re.compile(
    rf"(?P<before>\D{{0,4}}?)(?P<first>\d{{1,5}})(?P<middle>\s{{0,3}}[-_]{{1,3}}\s{{0,3}}(?:第\s?)?)(?P<last>\d{{1,5}})(?P<sign>[^\dA-Ja-j]{{0,6}}?)[A-Ja-j√×对错TF]"
    rf"|(?P<opens>\D{{0,4}}?)(?P<number>\d{{1,5}})(?P<joint>[^\dA-J√×]{{0,8}}?)(?P<answer>{ANSWER})(?P<closes>[)\]】]?)"
)
_NUMBERED_HEADING = re.compile(rf"(?P<before>第?[(\[]?)[{HANZI}\d]{{1,3}}(?P<after>[)\]]?[章节篇编讲课卷套部分单元大题]{{0,2}}[、.:)]?)")


def propose_paper(name: str, text: Text) -> str:
    """Return the text of a layout of a paper; a skeleton if none of its questions can be read."""
    lines = [trimmed(visible(line)) for line in text.lines]
    try:
        drafts = paper_in(name, text).drafts
    except Refusal:  # notes, records: a person knows better
        drafts = []
    layout = _layout_of(lines, drafts)
    if layout is None:
        shown = [f"# {_cut(line)}" for line in filter(None, lines)][:_FIRST_LINES]
        notes = ["# no question was read; write the patterns from the first lines of the file:", *shown]
        return _written(name, PaperLayout(question=_SKELETON), False, notes)
    own = questions_by_layout(name, text, layout, _HERE)
    if unread := _recurring(_unread(own)):
        layout = structs.replace(layout, leave_out=unread)
        own = questions_by_layout(name, text, layout, _HERE)
    count, usual = len(_read(own)), sum(not draft.doubts for draft in drafts)
    left = [*own.faults, *(f"unread: {line}" for line in _unread(own))]
    notes = [
        f"# {count} questions by these patterns, {usual} without; {len(own.faults)} rejected, {len(left) - len(own.faults)} lines unread",
        *(f"# {_cut(line)}" for line in left[:_MOST_ROWS]),
        *(f"# {_row(item)}" for item in _read(own)[:_MOST_ROWS]),
    ]
    return _written(name, layout, count >= usual and not left, notes)


def _read(reading: FileReading) -> list[QuestionItem]:
    return [item for item in reading.items if isinstance(item, QuestionItem) and item.doubt is None]


def _unread(reading: FileReading) -> list[str]:
    """Return the lines of which anything is unread."""
    account = PaperAccount(reading.source or Text([]), reading.items).result()
    return [one.text for one in account.unread]


def _layout_of(lines: Sequence[str], drafts: Sequence[Draft]) -> PaperLayout | None:
    """Return the layout by which the questions read for certain are read again; None if there are none."""
    templates: Counter[tuple[str, ...]] = Counter()
    is_listed = False
    for draft, end in zip(drafts, [*(draft.line for draft in drafts[1:]), len(lines)], strict=False):
        if draft.doubts:
            continue
        template = tuple(dict.fromkeys(_template(lines[draft.line : end], draft)))
        is_listed |= bool(draft.answer) and not any("{answer}" in line or "right_option" in line for line in template)
        if template and "{stem}" in "".join(template):
            templates[template] += 1
    if not templates:
        return None
    headings = dict.fromkeys(_heading(draft.above.heading) for draft in drafts if draft.above.heading)
    answers = _answers(lines) if is_listed else []
    return PaperLayout(question=_merged(templates), heading=[*headings][:_MOST_LINES], answers=answers)


def _merged(templates: Counter[tuple[str, ...]]) -> list[str]:
    """Return one template for each first line, with all lines that questions with this first line have."""
    often = [template for template, _ in templates.most_common(_MOST_LINES)]
    merged: dict[str, dict[str, None]] = {}
    for first, *rest in often:
        merged.setdefault(first, {}).update(dict.fromkeys(rest))
    return ["\n".join([first, *[*rest][:_MOST_LINES]]) for first, rest in merged.items()][:_MOST_TEMPLATES]


def _template(lines: Sequence[str], draft: Draft) -> Iterator[str]:
    """Yield the lines of a question with names for the texts that it has in them."""
    number = number_of(flat(lines[0]))
    opening, start = "", 0
    if number and (value := _VALUE.search(flat(lines[0]), number.begin, number.end)):
        opening = _fixed(lines[0][: value.start()]) + "{number}" + _fixed(lines[0][value.end() : number.end])
        start = number.end
    for at, line in enumerate(lines):
        text = line if at else line[start:]
        if pattern := _pattern(text.strip(), draft, is_first=not at) if text.strip() else "":
            yield pattern if at else opening + pattern
        elif not at and opening:
            yield opening


def _pattern(text: str, draft: Draft, is_first: bool) -> str:
    """Return a line with names for the texts that a question has in it; nothing if it continues a text or is no part of it."""
    marks = [(kind, start, start + len(words)) for kind, words, start in marks_in(text)]
    if marks:
        named = [_before_marks(text[: marks[0][1]].strip(), draft, is_first)] if text[: marks[0][1]].strip() else []
        ends = [*(start for _, start, _ in marks[1:]), len(text)]
        for (kind, start, end), stop in zip(marks, ends, strict=True):
            name = {"answer": "{answer}", "explanation": "{explanation}", "text": "{stem}"}.get(kind, "{}")
            named.append(_fixed(text[start:end]) + (name if text[end:stop].strip() else ""))
        return " ".join(named)
    if bare_answer(text) == bare_answer(draft.answer or "?") and not is_first:
        return "{answer}"
    return _before_marks(text, draft, is_first)


def _before_marks(text: str, draft: Draft, is_first: bool) -> str:
    run = find_options(text)
    starts = [start for start, _ in run.cuts] if run and run.cuts else []
    if not starts and draft.options and letter_of(text):
        starts = [0]
    if starts and draft.options:
        ends = [*sorted(starts)[1:], len(text)]
        options = [_option(text[start:end].strip(), draft, len(starts) > 1) for start, end in zip(sorted(starts), ends, strict=True)]
        stem = text[: min(starts)].strip()
        return " ".join([*([_stem(stem, draft)] if stem else []), *options])
    if draft.options and any(_squeezed(option).endswith(_squeezed(text)) and _squeezed(text) for option in draft.options) and not is_first:
        return "{option}" if _squeezed(text) in map(_squeezed, draft.options) else ""
    if is_first or _squeezed(text) == _squeezed(draft.stem):
        return _stem(text, draft)
    return ""


def _option(text: str, draft: Draft, is_fixed: bool) -> str:
    """Return an option with its mark, if it has one."""
    sign = _LETTER.match(flat(text))
    if sign is None:
        return "{option}"
    letter = sign["letter"] if is_fixed else "{letter}"
    opening = _fixed(text[: sign.start("letter")]) + letter + _fixed(text[sign.end("letter") : sign.end()])
    return f"{opening} {{option}}"


def _stem(text: str, draft: Draft) -> str:
    """Return a line of the stem, which may have a tag before it, and the answer in it."""
    stem = draft.stem.split("\n")[0].strip()
    number = number_of(flat(stem))
    stem = stem[number.end :] if number and number.value == draft.number else stem
    if draft.type and (at := text.find(draft.type)) >= 0 and (found := text.find(stem, at)) > 0:
        tag = text[at + len(draft.type) : found]
        return f"{_fixed(text[:at])}{{type}}{_loose(tag)}" + _stem(text[found:], draft)
    for match in _IN_BRACKETS.finditer(flat(text)):
        if draft.answer and bare_answer(match["answer"]) == bare_answer(draft.answer) and _squeezed(match[0]) not in _squeezed(stem):
            opening, closing = text[match.start() : match.start("answer")], text[match.end("answer") : match.end()]
            before = "{stem}" if text[: match.start()].strip() else ""
            return f"{before}{_fixed(opening)}{{answer}}{_fixed(closing)}" + ("" if before else "{stem}")
    if draft.answer and text.endswith(draft.answer) and not stem.endswith(draft.answer):
        return "{stem} {answer}"
    return "{stem}"


def _fixed(text: str) -> str:
    """Return signs as a pattern has them."""
    return " ".join(text.strip().split()).replace("{", "{{").replace("}", "}}")


def _loose(text: str) -> str:
    """Return signs as a pattern has them, with {} for numbers."""
    return re.sub(r"\d{1,9}(?:\.\d{1,2})?", "{}", _fixed(text))


def _squeezed(text: str) -> str:
    return re.sub(r"\s", "", flat(text))


def _heading(text: str) -> str:
    match = _NUMBERED_HEADING.match(flat(text))
    if match is None or not match["after"] or not text[match.end() :].strip():
        return _fixed(text[:_MOST_CHARS])
    return f"{_fixed(text[: match.end('before')])}{{numeral}}{_fixed(text[match.start('after') : match.end()])}{{heading}}"


def _answers(lines: Iterable[str]) -> list[str]:
    """Return the patterns of the entries of a list of answers, after its title."""
    entries: Counter[str] = Counter()
    titles: dict[str, None] = {}
    for line in lines:
        if is_title(flat(line)):
            titles[_fixed(line)] = None
        elif listed_in(line).entries and (match := _ENTRY.match(flat(line))):
            if match["last"]:
                signs = [_fixed(line[slice(*match.span(part))]) for part in ("before", "middle", "sign")]
                entries["{}{{first}}{}{{last}}{} {{answer}}".format(*signs)] += 1
            else:
                signs = [_fixed(line[slice(*match.span(part))]) for part in ("opens", "joint", "closes")]
                entries["{}{{number}}{}{{answer}}{}".format(*signs)] += 1
    return [*titles, *(entry for entry, _ in entries.most_common(_MOST_LINES))] if entries else []


def _recurring(unread: Iterable[str]) -> list[str]:
    """Return the patterns of lines that recur but for their numbers."""
    often = Counter(_loose(line.removesuffix("…")) + "{}" * line.endswith("…") for line in unread)
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
    for key in ("heading", "answers", "leave_out"):
        if patterns := getattr(layout, key):
            lines += [f"    {key}:", *(f"      - {json.dumps(pattern, ensure_ascii=False)}" for pattern in patterns)]
    return "\n".join(lines) + "\n"


def _row(item: QuestionItem) -> str:
    options = " | ".join(map(_cut, item.options_raw or []))
    return " => ".join(filter(None, (_cut(item.stem_raw or ""), options, _cut(item.answer_raw or "no answer"))))


def _cut(text: str) -> str:
    line = "".join(sign for sign in " ".join(text.split()) if sign.isprintable())
    return line[:_MOST_CHARS] + ("…" if len(line) > _MOST_CHARS else "")
