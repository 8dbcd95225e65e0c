"""Lines -> records of what they describe: a name above values under headings, 【labels】 or `label：`. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from crawlers.read.tables.columns import SECTION
from crawlers.read.tables.records.entities import NAME, is_alias, is_bare_label, keys_for, kind_words, names_entry, person_of
from crawlers.read.vocabulary.remarks import is_remark, says_maker

ABOUT = "概述"
"""Key of what stands between the name of an entry and the first label."""
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s*(\S.*)")
_MARKUP = re.compile(r"\*\*|__|`|^\s*>\s?")
_MARKED = re.compile(r"\s{0,9}[-*+•]?\s{0,3}\*\*[^*]{1,14}(?:[:：]\*\*|\*\*\s?[:：])")
"""The start of a line whose label is in bold type."""
_ORDINAL = re.compile(
    r"\s*(?:[-*+•·●◆■▪]\s*|第[\d一二三四五六七八九十百]{1,4}[节章篇条讲回部]\s*|(?:第?[（(【]?(?:\d{1,3}|[一二三四五六七八九十]{1,3})(?:[.、．)）】](?!\d)|(?<=[(（【]..)\s)\s*)|[①-⑳]\s*){0,2}"
)
_BRACKETED = re.compile(r"[【\[［〔](?P<label>[^【】\[\]［］〔〕]{1,14})[】\]］〕]\s*[:：]?\s*(?P<text>.*)", re.DOTALL)
_PARTED = re.compile(r"(?P<label>[^:：\t。，；]{1,14}?)\s*[:：\t]\s*(?P<text>.*)", re.DOTALL)
_CELLS = re.compile(r"(?P<label>[\u4e00-\u9fff]{2,8}) (?P<text>[^\s/／|].*)", re.DOTALL)
_WORD = re.compile("[\u4e00-\u9fff]{2,8}")
_NO_NAME = re.compile(r"[。；，,;:：？！?!\t=|]|\d{2}")
_FOREIGN = re.compile(r"(?<=[\u4e00-\u9fff）)])(?:\s+[A-Za-z]|\s*[（(]?《).*")
"""What follows a name: the same in Latin, or the book that it is from."""
_CHAPTER = re.compile(r"\s*第[\d一二三四五六七八九十百]{1,4}[章编篇部]分?\s*[^，。；：:]{1,20}")
_COMMENT = re.compile(r"<!--.{0,4000}?-->", re.DOTALL)
_DIVIDER = re.compile(r"\s*(?:[-=_*~#·.•—–─━═＝－＊～|:]\s{0,3}){3,}")
"""A line drawn between entries."""
HAN = re.compile("[\u4e00-\u9fff]")
_GENERIC = re.compile(r"(?:通用名称?|中文名称?|药品名称)\s*[:：]\s*([^\s；;，,、]+)")
_EDITED = re.compile(r"(?<=\S)\s?(?:播报)?\s?编辑$")
"""Links of a page beside each heading, copied with it."""
_MAX_NAME_CHARS, _RECURRING, _LEAST_LEVEL, _PAIR, _FEWEST_BELOW = 24, 3, 6, 2, 2


class Line(NamedTuple):
    label: str
    """Empty if it has none."""
    text: str
    level: int = 0
    """Of a heading; 0 for other lines."""
    is_bare: bool = False
    """Whether it is nothing but a word that may be a label."""


class _Entry(Struct):
    at: int
    name: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    recurred: int = 0
    """How many labels it has again, without a name between: many are of several entries."""
    above: str = ""
    """The heading above its own."""

    def record(self) -> dict[str, str]:
        """Return its fields under its name: that of a label, or the text above."""
        named = sorted((rank, key) for key in self.fields if (rank := _rank(key)) is not None)
        names = [generic_name("\n".join(self.fields[key])) for _, key in named]
        name = next(filter(None, [*names, self.name]), "")
        others = {key: "\n".join(texts) for key, texts in self.fields.items() if texts and _rank(key) is None}
        others |= {SECTION: self.above} if self.above and others else {}
        return {NAME: name, **others} if name and others.keys() - {ABOUT, SECTION} and self.recurred < len(others) else {}


def records_of_lines(lines: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return the entries of a document with their positions; none if no line names what it says."""
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), "\n".join(lines))
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
    _cut_title(whole)
    return [(f"line:{entry.at}", entry.record()) for entry in whole]


def _without_remarks(parts: Sequence[str], read: Sequence[Line]) -> list[Line]:
    """Return lines without notes and those that say who made a text; a note that recurs is a label."""
    lines, often, is_open = list(read), Counter(line.label for line in read if line.label), False
    for at, (part, line) in enumerate(zip(parts, read, strict=True)):
        is_note = is_remark(part) and not line.level and not _is_known(line.label) and often[line.label] < _RECURRING
        is_below = is_open and not line.label and 0 < len(part.strip()) <= _MAX_NAME_CHARS
        if says_maker(part) or is_note or is_below:
            lines[at], is_open = _NOTHING, part.rstrip().endswith((":", "："))
        elif part.strip():
            is_open = False
    return lines


def _with_chapters(parts: Sequence[str], read: Sequence[Line]) -> list[Line]:
    """Return lines in which a heading above the name of an entry is no label of one."""
    lines = list(read)
    for at, (part, line) in enumerate(zip(parts, read, strict=True)):
        is_chapter = not line.label and _CHAPTER.fullmatch(part) is not None
        if (line.level and line.label) or is_chapter:
            name, below, *_ = (*[each for each in read[at + 1 : at + 9] if each.label or each.text][:2], Line("", ""), Line("", ""))
            if not name.label and below.label and not below.level and name.level >= line.level + (not is_chapter) and bare_name(name.text):
                lines[at] = Line("", line.label, line.level) if line.level else Line("", "")
    return lines


def _cut_footer(entries: Sequence[_Entry]) -> None:
    """Cut what is below the last value if that label has one line in each other entry: the page goes on below its entries."""
    label, texts = [*entries[-1].fields.items()][-1] if entries else ("", [])
    others = [entry.fields[label] for entry in entries[:-1] if label in entry.fields]
    if len(others) > 1 and all(len(each) == 1 for each in others):
        del texts[1:]


def _cut_title(entries: Sequence[_Entry]) -> None:
    """Take the first name from below a label that no other entry has: what is above it is the title and preface of all."""
    first, *others = entries or [_Entry(1, "")]
    label, below = [*first.fields, "", ""][:2]
    is_alone = all(label not in each.fields and next(iter(each.fields)) == below for each in others)
    if len(others) >= _FEWEST_BELOW and is_alone and _is_known(label) and (name := _name_in(first.fields[label], label)):
        first.name = name[0]
        del first.fields[label]


def generic_name(text: str) -> str:
    """Return the name in the value of a name's label, which may list several: 通用名称：…"""
    found = _GENERIC.search(text)
    return _FOREIGN.sub("", found[1] if found else text.strip().split("\n")[0]).strip()


def _rank(key: str) -> int | None:
    return None if kind_words(key) else names_entry(key)


def _is_known(label: str) -> bool:
    return bool(kind_words(label)) or names_entry(label) is not None or is_alias(label)


_NOTHING = Line("", "")
"""One for all blank lines: a file may have millions."""


def parsed(line: str) -> Line:
    """Return what a line names and says."""
    if not line or line.isspace() or _DIVIDER.fullmatch(line):
        return _NOTHING
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
    """Return the parts of a line that each have a label, `疾病：… | 症状：…`, or the line itself."""
    parts = [part.strip() for part in re.split(r"[|｜\t]", line.strip("| "))]
    if len(parts) == _PAIR and keys_for("title", parts[:1]) and keys_for("text", parts[1:]):
        return []  # the header of a table
    if len(parts) == _PAIR and kind_words(parts[0]):
        return ["：".join(parts)]
    return parts if len(parts) > 1 and all((each := _PARTED.fullmatch(part)) and _is_known(each["label"]) for part in parts) else [line]


def _settled(line: Line, level: int, labels: Counter[str]) -> Line:
    """Return a line whose label is certain: a word that is known or recurs in brackets, or any heading beside those that are labels."""
    if line.label and not _is_known(line.label) and labels[line.label] < _RECURRING:
        return Line("", f"{line.label}：{line.text}".rstrip("："), line.level)
    if line.is_bare and level:  # beside headings, 药物治疗 is a value
        return Line("", line.label)
    if not line.label and line.level == level > 0:
        return Line(line.text, "", level)
    return line


def _entries(lines: Sequence[Line], level: int, is_headed: bool) -> Iterator[_Entry]:
    """Yield entries: one begins below a heading that is no label, at the label of a name, or at a label that recurs below a name."""
    current, label, above, first_name = _Entry(1, ""), "", list[str](), ""
    openers, headings = set[str](), dict[int, str]()
    for number, line in enumerate(lines, 1):
        if line.level and not line.label and (line.level < level or not level):
            yield current
            headings = {each: text for each, text in headings.items() if each < line.level}
            current, label, above = _Entry(number, bare_name(line.text), above=next(reversed(headings.values()), "")), "", []
            headings[line.level] = line.text
        elif line.label and _rank(line.label) is not None:
            first_name = first_name or line.label
            if line.label == first_name and current.fields:
                yield current
                current = _Entry(number, "")
            label = line.label
            current.fields.setdefault(label, []).extend(filter(None, [line.text]))
        elif line.label:
            below, recurs = current.fields.get(label, above), line.label in current.fields
            opens = not is_headed and not first_name and (recurs or line.label in openers or not (current.name or current.fields))
            if opens and (found := _name_in(below, label)):
                if recurs and ABOUT in current.fields and (own := _name_in(current.fields[ABOUT], "")):
                    current.name = own[0]  # its heading is that of all
                yield current
                current, recurs = _Entry(number, found[0], {ABOUT: found[1]} if found[1] else {}), False
                openers.add(line.label)
            elif above and not current.fields:
                current.fields[ABOUT] = above
            current.recurred += recurs
            label, above = line.label, []
            current.fields.setdefault(label, []).extend([line.text] if line.text or not is_headed else [])
        elif line.text:
            (current.fields[label] if label else above).append(line.text)
    yield current


def _name_in(texts: list[str], label: str) -> tuple[str, list[str]] | None:
    """Take the name of the next entry, and what is below it, from the end of the lines below a label."""
    for at in range(len(texts) - 1, 0 if label else -1, -1):
        if bare_name(texts[at]):
            name, below = bare_name(texts[at]), texts[at + 1 :]
            del texts[at:]
            return name, below
    return None


def bare_name(text: str) -> str:
    """Return a text as a name, without what follows it in Latin; empty if it can be none."""
    name = _FOREIGN.sub("", text.strip()).strip("【】[]《》 ")
    return name if 0 < len(name) <= _MAX_NAME_CHARS and HAN.search(name) and not _NO_NAME.search(name) else ""
