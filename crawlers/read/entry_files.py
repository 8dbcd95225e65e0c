"""Entries of a file in a form that is no list of records -> its items, by the words that name what is said of each. None if it has none."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from msgspec import Struct, field, structs

from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.read.account.characters import CharacterAccount, folded
from crawlers.read.containers.documents.doc import headed_lines
from crawlers.read.containers.files.json import documents_of
from crawlers.read.containers.files.reading import Lost
from crawlers.read.containers.files.text import lines_with_headings
from crawlers.read.papers import LINE_READERS, lines_in
from crawlers.read.tables.any_rows import DATA, literals_as_json, rows_of
from crawlers.read.tables.headers import read_sheets
from crawlers.read.tables.legends import SHEETS, sheets_in
from crawlers.read.tables.records.entities import (
    SURE,
    LayoutProposal,
    flat_record,
    grouped,
    is_alias,
    is_bare_label,
    keys_for,
    kind_words,
    names_entry,
    person_of,
    plain_text,
    propose_records,
    word_of,
)
from crawlers.read.tables.records.items import entity_of
from crawlers.read.tables.records.reading import FileReading, Misfit

NAME, ABOUT = "名称", "概述"
"""Keys of the name of an entry, and of what stands between the name and the first label."""
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s*(\S.*)")
_MARKUP = re.compile(r"\*\*|__|`|^\s*>\s?")
_ORDINAL = re.compile(
    r"\s*(?:[-*+•·●◆■▪]\s*|第[\d一二三四五六七八九十百]{1,4}[节章篇条讲回部]\s*|(?:第?[（(【]?(?:\d{1,3}|[一二三四五六七八九十]{1,3})(?:[.、．)）】](?!\d)|(?<=[(（【]..)\s)\s*)|[①-⑳]\s*){0,2}"
)
_BRACKETED = re.compile(r"[【\[［〔](?P<label>[^【】\[\]［］〔〕]{1,14})[】\]］〕]\s*[:：]?\s*(?P<text>.*)", re.DOTALL)
_PARTED = re.compile(r"(?P<label>[^:：\t。，；]{1,14}?)\s*[:：\t]\s*(?P<text>.*)", re.DOTALL)
_CELLS = re.compile(r"(?P<label>[\u4e00-\u9fff]{2,8}) (?P<text>[^\s/／|].*)", re.DOTALL)
_WORD = re.compile("[\u4e00-\u9fff]{2,8}")
_NO_NAME = re.compile(r"[。；，,;:：？！?!\t=|]|\d{2}")
_FOREIGN = re.compile(r"(?<=[\u4e00-\u9fff）)])\s+[A-Za-z].*")
HAN = re.compile("[\u4e00-\u9fff]")
_GENERIC = re.compile(r"(?:通用名称?|中文名称?|药品名称)\s*[:：]\s*([^\s；;，,、]+)")
_EDITED = re.compile(r"(?<=\S)\s?(?:播报)?\s?编辑$")
"""Links of a page beside each heading, copied with it."""
_MAX_NAME_CHARS, _RECURRING, _LEAST_LEVEL, _PAIR = 24, 3, 6, 2


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

    def record(self) -> dict[str, str]:
        """Return its fields under its name: that of a label, or the text above."""
        named = sorted((rank, key) for key in self.fields if (rank := _rank(key)) is not None)
        names = [generic_name("\n".join(self.fields[key])) for _, key in named]
        name = next(filter(None, [*names, self.name]), "")
        others = {key: "\n".join(texts) for key, texts in self.fields.items() if texts and _rank(key) is None}
        return {NAME: name, **others} if name and others.keys() - {ABOUT} and self.recurred < len(others) else {}


def records_of_lines(lines: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return the entries of a document with their positions; none if no line names what it says."""
    read = [parsed(part) for line in lines for part in parts_of(line)]
    levels = Counter(line.level for line in read if line.label and line.level)
    level = max(levels, key=lambda each: (levels[each], -each), default=0)
    known = Counter(line.label for line in read if line.label)
    entries = [*_entries([_settled(line, level, known) for line in read], level, bool(levels))]
    whole = [entry for entry in entries if entry.record()]
    _cut_footer(whole)
    return [(f"line:{entry.at}", entry.record()) for entry in whole]


def _cut_footer(entries: Sequence[_Entry]) -> None:
    """Cut what is below the last value if that label has one line in each other entry: the page goes on below its entries."""
    label, texts = [*entries[-1].fields.items()][-1] if entries else ("", [])
    others = [entry.fields[label] for entry in entries[:-1] if label in entry.fields]
    if len(others) > 1 and all(len(each) == 1 for each in others):
        del texts[1:]


def generic_name(text: str) -> str:
    """Return the name in the value of a name's label, which may list several: 通用名称：…"""
    found = _GENERIC.search(text)
    return _FOREIGN.sub("", found[1] if found else text.strip().split("\n")[0]).strip()


def _rank(key: str) -> int | None:
    return None if kind_words(key) else names_entry(key)


def _is_known(label: str) -> bool:
    return bool(kind_words(label)) or names_entry(label) is not None or is_alias(label)


def parsed(line: str) -> Line:
    """Return what a line names and says."""
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
    openers = set[str]()
    for number, line in enumerate(lines, 1):
        if line.level and not line.label and (line.level < level or not level):
            yield current
            current, label, above = _Entry(number, bare_name(line.text)), "", []
        elif line.label and _rank(line.label) is not None:
            first_name = first_name or line.label
            if line.label == first_name and current.fields:
                yield current
                current = _Entry(number, "")
            label = line.label
            current.fields.setdefault(label, []).extend(filter(None, [line.text]))
        elif line.label:
            below, recurs = current.fields.get(label, above), line.label in current.fields
            opens = not is_headed and not first_name and (recurs or (not current.name and (not current.fields or line.label in openers)))
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


Located = tuple[str, dict[str, Any]]
_IDS = ("id", "uid", "key", "identity", "nodeid", "编号")
_FEWEST = 2
_DEEPEST = 5


def records_in(document: Any) -> Iterator[list[Located]]:
    """Yield what a document may list: the sources of a graph, records with lists of title and text in them, its texts as lines."""
    if graph := _of_graph(document):
        yield graph
    found = list[tuple[Any, list[tuple[str, str]]]]()
    _find_pairs(document, found, 0)
    merged = [_with_fields(owner, dict(pairs)) for owner, pairs in found if sum(bool(kind_words(title)) for title, _ in pairs) >= _FEWEST]
    if merged:
        yield [(f"entry:{number}", record) for number, record in enumerate(merged, 1)]
    elif found:
        yield records_of_lines([line for owner, pairs in found for line in _lines_of(_own_name(owner) or pairs[0][0], pairs)])


def _lines_of(name: str, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield a name, titles and texts as lines; a line within a text that is a word for a label is a title, too."""
    yield f"# {name}"
    for title, text in pairs:
        yield from [f"## {title}"] if title and title != name else []
        yield from (f"## {line}" if is_bare_label(line) else line for line in text.split("\n"))


def _find_pairs(value: Any, found: list[tuple[Any, list[tuple[str, str]]]], depth: int, owner: Any = None) -> None:
    """Collect each list of title and text with the record that has it."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for inner in value.values():
            _find_pairs(inner, found, depth + 1, value)
    elif isinstance(value, list):
        pairs = [_pair(each) for each in value]
        if len(pairs) >= _FEWEST and all(pairs):
            found.append((owner, [pair for pair in pairs if pair]))
            return
        for inner in value:
            _find_pairs(inner, found, depth + 1)


def _pair(value: Any) -> tuple[str, str] | None:
    """Return title and text of an object that has no more; lists of texts as lines."""
    if not isinstance(value, dict):
        return None
    titles = [key for key in keys_for("title", value) if isinstance(value[key], str)]
    texts = [key for key in keys_for("text", value) if key not in titles[:1]]
    if len(titles) < 1 or len(texts) != 1:
        return None
    own = value[texts[0]]
    lines = [text for each in own if (text := plain_text(each))] if isinstance(own, list) else [plain_text(own) or ""]
    return value[titles[0]].strip("【】:： "), "\n".join(lines)


def _with_fields(owner: Any, fields: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a list under the name that they or their owner have."""
    titles = [title for title in fields if names_entry(title) is not None and not kind_words(title)]
    name = next(filter(None, [*(generic_name(fields[title]) for title in titles), _own_name(owner)]), None)
    return {NAME: name} | {title: text for title, text in fields.items() if text and title and title not in titles}


def _own_name(owner: Any) -> str:
    """Return the name that a record states itself."""
    keys = [key for key, value in (owner or {}).items() if names_entry(key) is not None and isinstance(value, str) and value.strip()]
    return str(owner[min(keys, key=lambda key: names_entry(key) or 0)]).strip() if keys else ""


def _of_graph(document: Any) -> list[Located]:
    """Return the nodes of a graph from which edges go out, each with its own fields and its targets under the relations."""
    lists = [value for value in _lists_in(document, 0) if all(isinstance(each, dict) for each in value)]
    edges = next((value for value in lists if len(value) >= _FEWEST and all(map(_is_edge, value))), None)
    if edges is None:
        return []
    nodes = dict[str, dict[str, Any]]()
    for each in (flat_record(node) for value in lists if value is not edges for node in value):
        nodes |= {str(each[key]): each for key in each if word_of(key) in _IDS and isinstance(each[key], str | int)}
    keys = dict.fromkeys(key for edge in edges for key in keys_for("relation", edge))
    said = {key: sum(bool(kind_words(str(edge.get(key)))) for edge in edges) for key in keys}
    records = dict[str, dict[str, Any]]()
    for edge in edges:
        (start, *_), (end, *_) = (keys_for(part, edge) for part in ("start", "end"))
        relation = str(edge.get(max(said, key=said.__getitem__, default="")) or "")
        head, tail = _name_of(edge[start], nodes), _name_of(edge[end], nodes)
        if head and tail and relation:
            own = {
                key: value for key, value in nodes.get(str(edge[start]), {}).items() if kind_words(key) and not keys_for("relation", [key])
            }
            records.setdefault(head, {NAME: head} | own).setdefault(relation, []).append(tail)
    return [(f"entry:{number}", record) for number, record in enumerate(records.values(), 1)]


def _is_edge(value: Mapping[str, Any]) -> bool:
    return bool(keys_for("start", value) and keys_for("end", value))


def _lists_in(value: Any, depth: int) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    elif isinstance(value, dict) and depth < _DEEPEST:
        for inner in value.values():
            yield from _lists_in(inner, depth + 1)


def _name_of(end: Any, nodes: Mapping[str, Mapping[str, Any]]) -> str | None:
    node = flat_record(end) if isinstance(end, dict) else nodes.get(str(end))
    if node is None:
        return str(end) if nodes == {} or not str(end).isascii() else None
    keys = sorted((key for key in node if names_entry(key) is not None or word_of(key) == "label"), key=lambda key: names_entry(key) or 99)
    return next((text for key in keys if (text := plain_text(node[key]))), None)


_DOCUMENTS, _TRIPLE = (".json", ".jsonl", ".ndjson"), ("head", "relation", "tail")
_SURE_ALONE = 0.7
"""Confidence from which a file describes one thing."""


class Entries(NamedTuple):
    """Records of entries with their layout."""

    proposal: LayoutProposal
    records: list[Located]


def entries_in(name: str, body: bytes) -> Entries | None:
    """Return the entries of a file, in whichever form they certainly are."""
    found: list[Entries] = []
    for records in _forms(name, body):
        proposal = propose_records([record for _, record in records], name, least=1)
        if proposal and proposal.confidence >= (SURE if len(records) > 1 else _SURE_ALONE):
            found.append(Entries(proposal, records))
    return max(found, key=lambda each: (len(each.records) > 1, each.proposal.confidence), default=None)


def read_entries(name: str, body: bytes, provenance: Provenance) -> FileReading:
    """Return the reading of a file of entries.

    Raises:
        ValueError: it has none.
    """
    found = entries_in(name, body)
    if found is None:
        raise Refusal(f"{name}: no entries of diseases, medicines, examinations or foods under names and labels such as 症状 or 功效")
    entity = found.proposal.layout.entity
    assert entity is not None
    reading = FileReading(shape=structs.replace(found.proposal.layout, array=[]), rows=found.records)
    for position, record in found.records:
        own = structs.replace(provenance, position=position)
        try:
            reading.items.append(entity_of(record, entity, own))
        except Misfit as error:
            reading.give_up(Lost(position, error.reason, str(error)), provenance)
    reading.record_count = len(reading.items)
    return reading


def _forms(name: str, body: bytes) -> Iterator[list[Located]]:
    """Yield the records of a file in each form that it may have."""
    suffix = PurePosixPath(name.lower()).suffix
    with suppress(ValueError, RecursionError):
        if suffix in (*_DOCUMENTS, *DATA):
            yield from records_in(_whole(name, literals_as_json(name, body) if suffix in DATA else body))
        elif suffix in SHEETS:
            for sheet in read_sheets(name, sheets_in(name, body), _names_entries):
                yield grouped([(position, dict(zip(sheet.header, cells, strict=False))) for position, cells in sheet.rows if any(cells)])
        else:
            if suffix in LINE_READERS:
                yield records_of_lines(_lines(name, body, suffix))
            for table in rows_of(name, body):
                yield table.rows
                yield grouped(table.rows)


def _whole(name: str, body: bytes) -> Any:
    """Return what a file states, the records of several lines as a list; a list of three texts is a triple."""
    documents = [document for _, document in documents_of(name, body) if not isinstance(document, Lost)]
    whole = documents[0] if len(documents) == 1 else documents
    if isinstance(whole, list) and all(isinstance(each, list) and list(map(type, each)) == [str] * len(_TRIPLE) for each in whole):
        return [dict(zip(_TRIPLE, each, strict=True)) for each in whole]
    return whole


def _names_entries(keys: Any) -> bool:
    return len(keys) > 1 and (any(names_entry(key) is not None for key in keys) or bool(keys_for("start", keys)))


def _lines(name: str, body: bytes, suffix: str) -> list[str]:
    if suffix in (".html", ".htm"):
        return lines_with_headings(name, body)
    return headed_lines(name, body) if suffix == ".docx" else lines_in(name, body, suffix).lines


_BETWEEN = re.compile(r"[\n\t|｜]")
"""Between lines, and cells of a line."""


def account_of_entries(texts: Iterable[tuple[str, str, bool]], records: Iterable[Mapping[str, Any]]) -> CharacterAccount:
    """Return the account: a value counts as often as it is stated, as rows repeat their head and graphs their nodes.

    Args:
        texts: position, text, and whether it is a key.
    """
    said = {folded(part) for record in records for key, value in record.items() for part in (key, *_parts_in(value))}
    account = CharacterAccount()
    for position, text, is_key in texts:
        account.characters += len(folded(text))
        for part in _BETWEEN.split(text):
            line, size = parsed(part), len(folded(part))
            value = folded(line.text)
            if is_key:
                account.furniture["label"] += size
            elif folded(part) in said:
                account.in_items += size
            elif not HAN.search(part):
                account.furniture["code"] += size
            elif not value or value in said or folded(bare_name(line.text)) in said:
                account.in_items += len(value)
                account.furniture["label"] += size - len(value)
            else:
                account.add_unread(position, "unread_words", part)
    account.furniture["sign"] += account.difference  # between the parts of a line
    return account


def _parts_in(value: Any) -> Iterable[str]:
    if isinstance(value, list | dict):
        return [part for each in (value.values() if isinstance(value, dict) else value) for part in _parts_in(each)]
    return [] if value is None else [str(value), *str(value).split("\n")]
