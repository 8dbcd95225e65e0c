"""Account of a file of records or a table: its values and the items read from them in, where each character went out.

A value is in an item if the item of its record contains it: entirely, as a part of a field, or as one of several values joined in a field.
Of equal values, the one counts whose key most often matches the field. A value that the record's item lacks is unread.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from atomexam.records.item import EntityItem, Item, QuestionItem
from crawlers.coverage.characters import CharacterAccount, folded
from crawlers.coverage.furniture import class_of_line, parts_of_stretch
from crawlers.coverage.leaves import Leaf
from crawlers.importers.files.reading import FileReading
from crawlers.importers.layouts.columns import plain

_SHARED = ("type_raw", "exam_raw", "subject_raw", "paper_raw", "section_raw", "case_raw", "shared_options_raw")
_TEXTS = ("stem_raw", "options_raw", "answer_raw", "explanation_raw", "number_raw", *_SHARED)
_LETTER = re.compile(r"[a-j][.、:)]")
_LETTERS = frozenset(("key", "label", "letter", "option", "id", "name", "code", "prefix"))
_NUMBERS = frozenset(
    ("id", "no", "index", "num", "number", "qid", "uid", "uuid", "questionid", "序号", "编号", "题号", "题目编号", "试题编号")
)
_NUMBER = re.compile(r"[a-z0-9._-]{1,64}", re.I)
_LETTERS_AND_SIGNS = re.compile(r"[\W_]|(?<![a-z])[a-j](?![a-z])")
_ONE_LETTER = re.compile("[a-j]")
_SIGNS = {"sign", "tag", "markup"}
_CODE_CHARS = 8
"""A value of a known key may be read as another word, such as 2 for C or single for 单选; a longer value may not."""
_TINY = 2
_MOST_PAIRS = 200_000
"""Values times texts of one record that are searched within each other; beyond this number, only equal ones are matched."""


class _Value(Struct):
    key: str
    text: str
    mask: bytearray
    original: str

    @property
    def is_free(self) -> bool:
        return 1 not in self.mask


class _ItemText(Struct):
    field: str
    text: str
    mask: bytearray
    """Which of its characters a value explains."""


class _SourceRecord(Struct):
    """One record or row."""

    position: str
    values: list[_Value] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    pieces: list[_ItemText] = field(default_factory=list)


def account_of_records(leaves: Iterable[Leaf], reading: FileReading, unused: Sequence[str], is_table: bool) -> CharacterAccount:
    """Return the account of a file of records.

    Args:
        unused: keys that the layout lists as unused.
        is_table: positions are those of rows.
    """
    account, records, keys = CharacterAccount(), dict[str, _SourceRecord](), Counter[str]()
    for leaf in leaves:
        if leaf.is_key:
            keys[leaf.text] += 1
        elif text := folded(leaf.text):
            account.characters += len(text)
            record = records.get(leaf.unit) or records.setdefault(leaf.unit, _SourceRecord(leaf.unit))
            record.values.append(_Value(leaf.key, text, bytearray(len(text)), leaf.text))
    if keys:
        account.furniture["label"] += (labels := sum(count * len(folded(key)) for key, count in keys.items()))
        account.characters += labels
    strays = _with_items(records, reading.items)
    votes = _votes(records.values())
    last_record: _SourceRecord | None = None
    for record in records.values():
        _mark_shared(record.values, record.pieces, votes)
        if record.items:
            last_record = record
        elif last_record is not None:
            _mark_shared(record.values, last_record.pieces, votes)
    _mark_strays([value for record in records.values() for value in record.values], strays)
    _UnclaimedValues(account, reading, records, votes, unused, is_table).count()
    return account


def _with_items(records: dict[str, _SourceRecord], items: Iterable[Item]) -> list[_ItemText]:
    """Assign the items to the units, and return the texts of items whose record is not known."""
    strays: list[_ItemText] = []
    for item in items:
        position = item.provenance.position
        while position and position not in records:
            position = position.rpartition(":")[0]
        record = records[position] if position else _SourceRecord("")
        is_doubtful = isinstance(item, QuestionItem) and item.doubt is not None
        known = {value.original: value.text for value in record.values}
        pieces = [] if is_doubtful else [_ItemText(name, text, bytearray(len(text))) for name, text in _texts_of(item, known)]
        if position:
            keys = {folded(value.key.rpartition(".")[2]) for value in record.values} if isinstance(item, EntityItem) else set[str]()
            record.items.append(item)
            record.pieces += [piece for piece in pieces if piece.field != "label" or piece.text not in keys]
        else:
            strays += pieces
    return strays


def _texts_of(item: Item, known: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return name and folded text of each field of an item; `known` has those of its record."""
    if isinstance(item, EntityItem):
        values = [(each.label, each.value) for each in item.values] + [(each.title, each.text) for each in item.sections]
        named = [("name", item.name_raw or ""), ("alias", item.alias_raw or ""), *values, *(("label", label) for label, _ in values)]
        return [(name, text) for name, value in named if (text := folded(value))]
    filled = [(name, value) for name in _TEXTS if (value := getattr(item, name))]
    texts = ((name, text) for name, value in filled for text in (value if isinstance(value, list) else [value]))
    return [(name, text) for name, each in texts if (text := known.get(each) or folded(each))]


def _variants(piece: _ItemText) -> list[str]:
    """Return the forms that a text may have in its record: unchanged, and without the letter that an option was given."""
    letter = _LETTER.match(piece.text) if piece.field in ("options_raw", "shared_options_raw") else None
    return [piece.text, piece.text[letter.end() :]] if letter and len(piece.text) > letter.end() else [piece.text]


def _votes(records: Iterable[_SourceRecord]) -> Counter[tuple[str, str]]:
    """Count by key and field how often only that key matches the field."""
    votes: Counter[tuple[str, str]] = Counter()
    for record in records:
        keys: dict[str, list[str]] = defaultdict(list)
        for value in record.values:
            keys[value.text].append(value.key)
        for piece in record.pieces:
            matching_keys = next((keys[text] for text in _variants(piece) if text in keys), [])
            if len(matching_keys) == 1:
                votes[matching_keys[0], piece.field] += 1
    return votes


def _mark_shared(values: Sequence[_Value], pieces: Sequence[_ItemText], votes: Counter[tuple[str, str]]) -> None:
    """Mark what values and pieces have in common, each character once."""
    by_text: dict[str, list[_Value]] = defaultdict(list)
    for value in values:
        by_text[value.text].append(value)
    open_pieces = [piece for piece in pieces if 1 not in piece.mask and not _mark_equal(piece, by_text, votes)]
    if not open_pieces or len(values) * len(open_pieces) > _MOST_PAIRS:
        return
    for piece in sorted(open_pieces, key=lambda one: -len(one.text)):
        for text in _variants(piece):
            if _mark_part(piece, text, values):
                break
    left = [piece for piece in open_pieces if 0 in piece.mask]
    for value in values if left else ():
        if value.is_free:
            for piece in left:
                start = _find_free(piece.text, piece.mask, value.text)
                if start >= 0:
                    piece.mask[start : start + len(value.text)] = b"\1" * len(value.text)
                    value.mask[:] = b"\1" * len(value.text)
                    break


def _mark_equal(piece: _ItemText, by_text: dict[str, list[_Value]], votes: Counter[tuple[str, str]]) -> bool:
    for text in _variants(piece):
        if free := [value for value in by_text.get(text, ()) if value.is_free]:
            best = max(free, key=lambda value: votes[value.key, piece.field])
            best.mask[:] = b"\1" * len(text)
            piece.mask[:] = b"\1" * len(piece.text)
            return True
    return False


def _mark_part(piece: _ItemText, text: str, values: Sequence[_Value]) -> bool:
    """Mark a text that is a part of a value; a text of one or two characters only if more of the value is read."""
    for value in values:
        if len(value.text) <= len(text) or (len(text) <= _TINY and value.is_free):
            continue
        start = _find_free(value.text, value.mask, text)
        if start >= 0:
            value.mask[start : start + len(text)] = b"\1" * len(text)
            piece.mask[:] = b"\1" * len(piece.text)
            return True
    return False


def _find_free(text: str, mask: bytearray, part: str) -> int:
    """Return the first position of a part among the unmarked characters; -1 if there is none."""
    start = text.find(part)
    while start >= 0 and any(mask[start : start + len(part)]):
        start = text.find(part, start + len(part))
    return start


def _mark_strays(values: Iterable[_Value], strays: Sequence[_ItemText]) -> None:
    """Mark the values found in items whose record is not known."""
    left: Counter[str] = Counter(text for piece in strays for text in _variants(piece))
    for value in values if left else ():
        if value.is_free and left[value.text]:
            left[value.text] -= 1
            value.mask[:] = b"\1" * len(value.text)


class _UnclaimedValues:
    """Values, or parts of them, that are in no item: furniture, rejected or unread."""

    def __init__(
        self,
        account: CharacterAccount,
        reading: FileReading,
        records: dict[str, _SourceRecord],
        votes: Counter[tuple[str, str]],
        unused: Sequence[str],
        is_table: bool,
    ) -> None:
        self._account, self._records, self._unused, self._is_table = account, records, frozenset(unused), is_table
        self._columns = {name: field for field, names in reading.columns.items() for name in names.split(", ")}
        shared = {line for item in reading.items for name, text in _whole_texts(item) if name in _SHARED for line in text}
        self._shared = shared
        labels = {name for record in records.values() for item in record.items if isinstance(item, EntityItem) for name in _labels_of(item)}
        self._names = {folded(name) for name in {*self._columns, *labels}}
        self._header: dict[str, str] = {}
        self._read_keys = {key for key, _ in votes}
        self._sheets = {sheet_of(record.position) for record in records.values() if record.items}

    def count(self) -> None:
        """Count every value."""
        for record in self._records.values():
            if not record.items and self._is_header(record):
                self._header |= {value.key: value.original for value in record.values}
                self._account.furniture["label"] += sum(len(value.text) for value in record.values)
                continue
            doubt = next((item.doubt for item in record.items if isinstance(item, QuestionItem) and item.doubt), None)
            left = [value for value in record.values if not self._count_known(value, record)]
            if not record.items and left and record.position:
                is_heading = len(record.values) == 1 and class_of_line(record.values[0].original)
                self._account.questions_unread += not is_heading and (len(record.values) > 1 or not self._is_table)
            for value in left:
                if doubt:
                    self._account.in_items += sum(value.mask)
                    self._account.rejected[doubt] += len(value.text) - sum(value.mask)
                else:
                    self._count_unread(value, record)

    def _is_header(self, record: _SourceRecord) -> bool:
        return self._is_table and sheet_of(record.position) in self._sheets and any(value.text in self._names for value in record.values)

    def _count_known(self, value: _Value, record: _SourceRecord) -> bool:
        """Count a value that is entirely in an item or known furniture; return whether it is."""
        account, count = self._account, len(value.text)
        if 0 not in value.mask:
            account.in_items += count
            return True
        name = self._name_of(value)
        if value.is_free and (value.text in self._shared or self._is_code(value, record, name)):
            account.in_items += count
        elif value.is_free and not self._unused.isdisjoint([name, *value.key.split(".")]):
            account.furniture["unused_key"] += count
        elif value.is_free and record.items and plain(name) in _NUMBERS and _NUMBER.fullmatch(value.text):
            account.furniture["number"] += count
        elif value.is_free and record.items and plain(name) in _LETTERS and _ONE_LETTER.fullmatch(value.text):
            account.furniture["letter"] += count
        elif value.is_free and (kind := _kind_of_furniture(value, record)):
            account.furniture[kind] += count
        elif value.is_free and _is_repeated(value, record):
            account.furniture["repeated"] += count
        else:
            return False
        return True

    def _is_code(self, value: _Value, record: _SourceRecord, name: str) -> bool:
        """Return whether a value is a short one of a known key, and the item has the field in other words."""
        field_of_it = f"{self._columns.get(name)}_raw"
        has = any(getattr(item, field_of_it, None) is not None for item in record.items if isinstance(item, QuestionItem))
        return len(value.text) <= _CODE_CHARS and has

    def _count_unread(self, value: _Value, record: _SourceRecord) -> None:
        name, account = self._name_of(value), self._account
        position = f"{record.position}:{name}" if record.position else name
        if value.is_free:
            account.add_unread(position, self._reason_of(value, record), value.original)
            return
        account.in_items += sum(value.mask)
        for match in re.finditer(rb"\x00+", bytes(value.mask)):
            text = value.text[match.start() : match.end()]
            parts = parts_of_stretch(text, match.start() == 0, match.end() < len(value.text))
            for kind, part in parts:
                account.furniture[kind] += len(folded(part))
            if not parts:
                account.add_unread(position, "unread_words", text)

    def _reason_of(self, value: _Value, record: _SourceRecord) -> str:
        if not record.items:
            if not self._is_table:
                return "record_unread" if record.position else "beside_records"
            return "row_unread" if sheet_of(record.position) in self._sheets else "sheet_unread"
        if value.key in self._read_keys or self._name_of(value) in self._columns:
            return "value_unread"
        return "unknown_column" if self._is_table else "unknown_key"

    def _name_of(self, value: _Value) -> str:
        return self._header.get(value.key) or value.key.rpartition(".")[2].rpartition(":")[2]


def _kind_of_furniture(value: _Value, record: _SourceRecord) -> str | None:
    """Return the class of a heading alone in its row, or of signs, points and remarks, `2分`, beside questions that have their answers: a
    tick beside others may be the answer.
    """
    if not record.items:
        return class_of_line(value.original) if len(record.values) == 1 else None
    if not all(isinstance(item, QuestionItem) and item.answer_raw for item in record.items):
        return None
    kinds = {kind for kind, _ in parts_of_stretch(value.original, False, False)}
    return min(kinds) if kinds and kinds <= _SIGNS else None


def _is_repeated(value: _Value, record: _SourceRecord) -> bool:
    """Return whether a value repeats what the items of its record have: `A.甲B.乙` beside a list of options."""
    if len(value.text) <= _TINY or len(record.values) * len(record.pieces) > _MOST_PAIRS:
        return False
    if any(value.text in piece.text for piece in record.pieces):
        return True
    rest = value.text
    for piece in sorted(record.pieces, key=lambda one: -len(one.text)):
        for text in _variants(piece):
            rest = rest.replace(text, "\n") if len(text) > 1 else rest
    return not _LETTERS_AND_SIGNS.sub("", rest)


def sheet_of(position: str) -> str:
    """Return the sheet of a row's position."""
    return position.rpartition(":")[0]


def _labels_of(item: EntityItem) -> list[str]:
    return [*(each.label for each in item.values), *(each.title for each in item.sections)]


def _whole_texts(item: Item) -> list[tuple[str, list[str]]]:
    """Return the fields that items share, each in full and line by line."""
    if isinstance(item, EntityItem):
        return []
    values = ((name, getattr(item, name)) for name in _SHARED)
    return [
        (name, [folded(text) for each in (value if isinstance(value, list) else [value]) for text in (each, *each.split("\n"))])
        for name, value in values
        if value
    ]
