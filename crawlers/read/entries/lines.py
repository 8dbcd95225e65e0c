"""Lines -> records of entries: a name above values that are under headings, 【labels】 or `label：`. Pure."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from crawlers.read.tables.columns import SECTION
from crawlers.read.tables.records.entities import NAME, is_alias, is_bare_label, keys_for, kind_words, looks_named, names_entry, person_of
from crawlers.read.vocabulary.remarks import PERSON, is_boilerplate, is_remark

ABOUT = "概述"
"""Key for the text between an entry's name and its first label."""
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s*(\S.*)")
_MARKUP = re.compile(r"\*\*|__|`|^\s*>\s?")
_MARKED = re.compile(r"\s{0,9}[-*+•]?\s{0,3}\*\*[^*]{1,14}(?:[:：]\*\*|\*\*\s?[:：])")
"""The start of a line with a label in bold type."""
_ORDINAL = re.compile(
    r"\s*(?:[-*+•·●◆■▪]\s*|第[\d一二三四五六七八九十百]{1,4}[节章篇条讲回部]\s*|(?:第?[（(【]?(?:\d{1,3}|[一二三四五六七八九十]{1,3})(?:[.、．)）】](?!\d)|(?<=[(（【]..)\s)\s*)|[①-⑳]\s*){0,2}"
)
_BRACKETED = re.compile(r"[【\[［〔](?P<label>[^【】\[\]［］〔〕]{1,14})[】\]］〕]\s*[:：]?\s*(?P<text>.*)", re.DOTALL)
_PARTED = re.compile(r"(?P<label>[^:：\t。，；]{1,14}?)\s*[:：\t]\s*(?P<text>.*)", re.DOTALL)
_CELLS = re.compile(r"(?P<label>[\u4e00-\u9fff]{2,8}) (?P<text>[^\s/／|].*)", re.DOTALL)
_WORD = re.compile("[\u4e00-\u9fff]{2,8}")
_NO_NAME = re.compile(
    r"[。；，;:：？！?!\t=|]|,(?!\d)|\d{4}[-/.]\d|\d{5}|(?<![A-Za-z\d])\d{2}[\d.]{0,9}(?:\s?[-~～–—至]\s?\d[\d.]{0,9})?\s?"
    r"(?:[年月日号页条种例味项个次岁版元粒克]|分钟|毫[克升米]|(?:[mkμ]?g|m?[lL]|[cm]?m|IU|U)(?![A-Za-z])|%$)"
)
"""Marks of a sentence, a date or a quantity. Other numbers may be part of a name: 碳13呼气试验."""
_BEHIND_NAME = re.compile(
    r"(?:(?<=[\u4e00-\u9fff）)])|(?<=[\u4e00-\u9fff][A-Z\d])|(?<=[\u4e00-\u9fff][A-Z\d]{2}))"
    r"(?:\s+(?P<foreign>[A-Za-z][^\u4e00-\u9fff《（(]*|[A-Z]?[a-z]{3}[^《]*))?(?P<book>\s*[（(]?《.*)?$"
)
"""Text after a name: the Latin name, and the source book."""
_TITLE = re.compile(r"(?:药品|使用){0,2}(?<![见读阅按照据的])说明书$")
"""The end of a leaflet's title, which follows a name."""
_LISTED = re.compile(r"\n|[\s；;]\s{0,9}(?=[^\s:：]{2,6}\s?[:：])")
"""Separator between the names in a value."""
_ORIGIN, _FOREIGN_NAME, _DESCRIPTION = "出处", "外文名", "desc"
_CHAPTER = re.compile(r"\s*第[\d一二三四五六七八九十百]{1,4}[章编篇部]分?\s*[^，。；：:]{1,20}")
_COMMENT = re.compile(r"<!--.{0,4000}?-->", re.DOTALL)
_NO_BREAK = re.compile(r"[^\n\0]+")
_DIVIDER = re.compile(r"\s*(?:[-=_*~#·.•—–─━═＝－＊～|:]\s{0,3}){3,}")
"""A dividing line between entries."""
HAN = re.compile("[\u4e00-\u9fff]")
_GENERIC = re.compile(r"(?:通用名称?|中文名称?|药品名称)\s*[:：]\s*([^\s；;，,、]+)")
_EDITED = re.compile(r"(?<=\S)\s?(?:播报)?\s?编辑$")
"""Edit links after headings, copied from a page."""
_MAX_NAME_CHARS, _MAX_LINE_CHARS, _RECURRING, _LEAST_LEVEL, _PAIR, _FEWEST_BELOW = 24, 200, 3, 6, 2, 2
_NOWHERE = sys.maxsize
"""Index that stands for something not in the lines."""


class Line(NamedTuple):
    label: str
    """The label; empty if the line has none."""
    text: str
    level: int = 0
    """Level of a heading; 0 for other lines."""
    is_bare: bool = False
    """Whether the line is only a word that may be a label."""
    divides: bool = False
    """Whether the line is a dividing line between entries."""


class _Entry(Struct):
    at: int
    name: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    recurred: int = 0
    """Number of labels that repeat without a name between them; a large number means that there are several entries."""
    above: str = ""
    """The heading above the entry's own heading."""

    def record(self) -> dict[str, str]:
        """Return the entry's fields, with its name taken from a label or from the text above."""
        named = sorted((rank, key) for key in self.fields if (rank := _rank(key)) is not None)
        names = [generic_name(text) for text in (*("\n".join(self.fields[key]) for _, key in named), self.name)]
        name, behind = next((each for each in names if each[0]), ("", {}))
        others = {key: "\n".join(texts) for key, texts in self.fields.items() if texts and _rank(key) is None}
        is_whole = name and others.keys() - {ABOUT} and self.recurred < len(others)
        return {NAME: name, **others} | ({SECTION: self.above} if self.above else {}) | behind | others if is_whole else {}


def records_of_lines(lines: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return the entries of a document with their positions; empty if no line has a label."""
    text = without_comments("\n".join(lines))
    parts = [part for line in text.split("\n") for part in parts_of(line)]
    read = _with_chapters(parts, _without_remarks(parts, [*map(parsed, parts)]))
    levels = Counter(line.level for line in read if line.label and line.level)
    level = max(levels, key=lambda each: (levels[each], -each), default=0)
    known = Counter(line.label for line in read if line.label)
    marked = {line.label for part, line in zip(parts, read, strict=True) if line.label and _MARKED.match(part)}
    if sum(map(_is_known, marked)) >= _RECURRING:
        known.update(dict.fromkeys(marked, _RECURRING))
    entries = [*_entries([_settled(line, level, known) for line in read], level, bool(levels))]
    whole = [entry for entry in entries if entry.record()]
    _cut_footer(whole)
    if not levels:
        _cut_title(whole)
    return [(f"line:{entry.at}", entry.record()) for entry in whole]


def without_comments(text: str) -> str:
    """Return a text without HTML comments, keeping their line breaks and `\\0`; an unclosed comment is text."""
    return _COMMENT.sub(lambda comment: _NO_BREAK.sub("", comment[0]), text)


def _without_remarks(parts: Sequence[str], read: Sequence[Line]) -> list[Line]:
    """Return the lines with notes and credits blanked out; a line that recurs is a label, unless it contains a person's name."""
    lines, often, is_open = list(read), Counter(line.label for line in read if line.label), False
    for at, (part, line) in enumerate(zip(parts, read, strict=True)):
        is_rare = often[line.label] < _RECURRING or PERSON.fullmatch(line.text)
        is_note = is_remark(part) and not line.level and not _is_known(line.label) and is_rare
        is_below = is_open and bool(line.text) and not (line.label or line.level) and len(part.strip()) <= _MAX_NAME_CHARS
        is_open = bool(is_note) and part.rstrip().endswith((":", "："))
        if is_boilerplate(part) or is_note or is_below:
            lines[at] = _NOTHING
    return lines


def _with_chapters(parts: Sequence[str], read: Sequence[Line]) -> list[Line]:
    """Return the lines with chapter headings above an entry's name not treated as labels."""
    lines = list(read)
    for at, (part, line) in enumerate(zip(parts, read, strict=True)):
        is_chapter = not line.label and _CHAPTER.fullmatch(part) is not None
        if (line.level and line.label) or is_chapter:
            name, below, *_ = (*[each for each in read[at + 1 : at + 9] if each.label or each.text][:2], Line("", ""), Line("", ""))
            if not name.label and below.label and not below.level and name.level >= line.level + (not is_chapter) and bare_name(name.text):
                lines[at] = Line("", line.label, line.level) if line.level else Line("", "")
    return lines


def _cut_footer(entries: Sequence[_Entry]) -> None:
    """Cut the last value to one line if it has one line in all other entries; the lines after it belong to the page below the entries."""
    label, texts = [*entries[-1].fields.items()][-1] if entries else ("", [])
    others = [entry.fields[label] for entry in entries[:-1] if label in entry.fields]
    if len(others) > 1 and all(len(each) == 1 for each in others):
        del texts[1:]


def _cut_title(entries: Sequence[_Entry]) -> None:
    """Correct the name of the first entry if the title and preface of a document were read as its name and description; the real name is
    below them."""
    first, *others = entries or [_Entry(1, "")]
    label, below = [*first.fields, "", ""][:2]
    texts = first.fields.get(label, [""])
    is_alone = all(label not in each.fields and next(iter(each.fields)) == below for each in others)
    is_preface = is_alone and texts[0] and any(of == _DESCRIPTION for _, of, _ in kind_words(label)) and not looks_named(first.name)
    if len(others) >= _FEWEST_BELOW and is_preface and bare_name(texts[-1]) and looks_named(texts[-1]):
        first.name = texts[-1]
        del first.fields[label]


def generic_name(text: str) -> tuple[str, dict[str, str]]:
    """Return a name and the fields written after it; the value of a name label may contain several names: 通用名称：…"""
    found = _GENERIC.search(text)
    first, *rest = _LISTED.split(f"{found[1]}\n{text[: found.start()]}\n{text[found.end() :]}" if found else text.strip())
    behind = _BEHIND_NAME.search(first) if len(first) <= _MAX_LINE_CHARS else None
    name = first[: behind.start()] if behind else first
    fields = {_FOREIGN_NAME: behind["foreign"] or "", _ORIGIN: (behind["book"] or "").strip()} if behind else {}
    if fields.get(_ORIGIN, "")[:1] in ("（", "("):
        fields[_ORIGIN] = fields[_ORIGIN][1:].rstrip("）)")
    for line in map(parsed, rest):
        key = line.label or (ABOUT if HAN.search(line.text) else _FOREIGN_NAME)
        fields[key] = "\n".join(filter(None, [fields.get(key), line.text]))
    name = (_TITLE.sub("", name) or name).strip().strip("【】[]《》 ")
    return name, {key: text.strip() for key, text in fields.items() if text.strip() and _rank(key) is None}


def _rank(key: str) -> int | None:
    return None if kind_words(key) else names_entry(key)


def _is_known(label: str) -> bool:
    return bool(kind_words(label)) or names_entry(label) is not None or is_alias(label)


_NOTHING, _DIVIDING = Line("", ""), Line("", "", divides=True)
"""Shared by all blank lines, because a file may have millions."""


def parsed(line: str) -> Line:
    """Return the label and the text of a line."""
    if not line or line.isspace() or _DIVIDER.fullmatch(line):
        return _DIVIDING if line.strip() and "|" not in line else _NOTHING
    heading = _HEADING.fullmatch(line)
    text = _MARKUP.sub("", heading[2] if heading else line).strip()
    edited = _EDITED.search(text)
    text = text[: edited.start()] if edited else text
    level = len(heading[1]) if heading else _LEAST_LEVEL if edited else 0
    bare = text[_ORDINAL.match(text).end() :].strip()  # type: ignore[union-attr]
    if bracketed := _BRACKETED.fullmatch(bare):
        return Line(bracketed["label"].strip(), bracketed["text"], level)
    parted = _PARTED.fullmatch(bare)
    if parted and not (_is_known(parted["label"]) or (_WORD.fullmatch(parted["label"]) and not person_of(parted["label"]))):
        parted = None
    if parted is None and (cells := _CELLS.fullmatch(bare)) and is_bare_label(cells["label"]):
        parted = cells
    if parted:
        return Line(parted["label"].strip(), parted["text"], level)
    if len(bare) <= _MAX_NAME_CHARS and (kind_words(bare) if level else is_bare_label(bare)):
        return Line(bare, "", level, not level)
    return Line("", bare, level)


def parts_of(line: str) -> list[str]:
    """Return the parts of a line if each has a label, as in `疾病：… | 症状：…`; otherwise the line itself."""
    parts = [part.strip() for part in re.split(r"[|｜\t]", line.strip("| "))]
    if len(parts) == _PAIR and keys_for("title", parts[:1]) and keys_for("text", parts[1:]):
        return []  # the header of a table
    if len(parts) == _PAIR and kind_words(parts[0]):
        return ["：".join(parts)]
    return parts if len(parts) > 1 and all((each := _PARTED.fullmatch(part)) and _is_known(each["label"]) for part in parts) else [line]


def _settled(line: Line, level: int, labels: Counter[str]) -> Line:
    """Return a line with a label that is certain: a known word, a word that recurs in brackets, or any heading if headings are labels."""
    if line.label and not _is_known(line.label) and labels[line.label] < _RECURRING:
        return Line("", f"{line.label}：{line.text}".rstrip("："), line.level)
    if line.is_bare and level:  # among headings, a bare 药物治疗 is a value
        return Line("", line.label)
    if not line.label and line.level == level > 0:
        return Line(line.text, "", level)
    return line


def _entries(lines: Sequence[Line], level: int, is_headed: bool) -> Iterator[_Entry]:
    """Yield entries; an entry begins below a heading that is not a label, at a name label, or at a label that repeats below a name.

    Text between a dividing line and the next entry does not belong to the values of either entry.
    """
    current, label, above, first_name = _Entry(1, ""), "", list[str](), ""
    openers, headings, drawn = set[str](), dict[int, str](), _NOWHERE
    start = 0  # of the lines below the last label
    for number, line in enumerate(lines, 1):
        if line.divides:
            drawn = min(drawn, len(current.fields[label]) or _NOWHERE) if label and not is_headed else drawn
        elif line.level and not line.label and (line.level < level or not level):
            del current.fields.get(label, [])[drawn:]
            yield current
            drawn = _NOWHERE
            headings = {each: text for each, text in headings.items() if each < line.level}
            name = line.text if bare_name(line.text) else ""
            current, label, above = _Entry(number, name, above=next(reversed(headings.values()), "")), "", []
            headings[line.level] = line.text
        elif line.label and _rank(line.label) is not None:
            first_name = first_name or line.label
            name = generic_name(line.text or "".join(each.text for each in lines[number : number + 1]))[0]
            is_titled = name and name in current.name and first_name not in current.fields  # title and warning are above its name label
            if line.label == first_name and current.fields and not is_titled:
                del (texts := current.fields.get(label, []))[min(drawn, _title_at(texts, start, name)) :]
                yield current
                current = _Entry(number, "")
            label, drawn = line.label, _NOWHERE
            current.fields.setdefault(label, []).extend(filter(None, [line.text]))
            start = len(current.fields[label])
        elif line.label:
            texts = current.fields.get(label, [])
            if first_name in current.fields and (title_at := _title_at(texts, start)) < len(texts):
                title = texts[title_at]
                del texts[min(drawn, title_at) :]
                yield current
                current, label = _Entry(number, title), ""
            below, recurs = current.fields.get(label, above), line.label in current.fields
            opens = not is_headed and not first_name and (recurs or line.label in openers or not (current.name or current.fields))
            if opens and (found := _name_in(below, start if label else 0, drawn)):
                if recurs and ABOUT in current.fields and (own := _name_in(current.fields[ABOUT])):
                    current.name = own[0]  # the heading above it belongs to all entries
                yield current
                current, recurs = _Entry(number, found[0], {ABOUT: found[1]} if found[1] else {}), False
                openers.add(line.label)
            elif above and not current.fields:
                current.fields[ABOUT] = above
            current.recurred += recurs
            label, above, drawn = line.label, [], _NOWHERE
            current.fields.setdefault(label, []).extend([line.text] if line.text or not is_headed else [])
            start = len(current.fields[label])
        elif line.text:
            (current.fields[label] if label else above).append(line.text)
    del current.fields.get(label, [])[drawn:]
    yield current


def _title_at(texts: Sequence[str], start: int, name: str = "") -> int:
    """Return where the title of the next entry begins in the lines below a value; such a title contains the name or is that of a
    leaflet."""
    below = enumerate(texts[max(start, 1) :], max(start, 1))
    titles = (at for at, text in below if bare_name(text) and ((name and name in text) or _TITLE.search(text)))
    return next(titles, _NOWHERE)


def _name_in(texts: list[str], start: int = 0, drawn: int = _NOWHERE) -> tuple[str, list[str]] | None:
    """Remove the name of the next entry, and the lines after it, from the end of the lines below a label, and return them."""
    for at in range(len(texts) - 1, start - 1, -1):
        if bare_name(texts[at]):
            name, below = texts[at], texts[at + 1 :]
            del texts[min(at, drawn) :]
            return name, below
    return None


def bare_name(text: str) -> str:
    """Return a text as a name, without what follows the name; empty if it cannot be a name."""
    name = generic_name(text)[0] if len(text) <= _MAX_LINE_CHARS and not (_LISTED.search(text.strip()) or _GENERIC.search(text)) else ""
    return name if 0 < len(name) <= _MAX_NAME_CHARS and HAN.search(name) and not _NO_NAME.search(name) else ""
