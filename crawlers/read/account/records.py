"""Account of a file of records or a table: its values and the items made from them -> where each character went.

The values are compared with the items like the lines of a paper. Of several equal short values, one under a key that is read counts first.
A value that is in no item is unread, unless its column identifies, numbers, flags or dates the questions, or gives their source.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby

from msgspec import Struct, field

from atomexam.records.item import EntityItem, Item, QuestionItem, answer_form
from crawlers.read.account.characters import CharacterAccount, folded
from crawlers.read.account.comparison import (
    SHARED_FIELDS,
    ItemTexts,
    MarkedLines,
    Stretch,
    class_of_line,
    known_ngrams,
    mark_known,
    parts_of_stretch,
    texts_of,
    without_tags,
    words_of,
)
from crawlers.read.account.leaves import LETTER, Leaf
from crawlers.read.tables.columns import plain
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.tables.roles.answer_columns import IDENTIFIER
from crawlers.read.vocabulary.remarks import is_remark

_LETTER_NAMES = frozenset(("key", "label", "letter", "option", "id", "name", "code", "prefix"))
_NUMBER_NAMES = frozenset(("no", "index", "num", "number", "序号", "编号", "题号", "题目编号", "试题编号"))
_CODES = re.compile(r"[A-Za-z0-9_.:/+\-,;|=&?%#@ ]{1,300}")
_NAMES_FILE = re.compile(
    r"[\w.\- ]{1,200}\.[a-z]{3,4}|(?:19|20)\d\d(?:[-/.年T:]?\d{1,2}){2,5}.{0,8}|(?:19|20)\d\d年?|https?://.{1,300}", re.I
)
"""A value without Chinese that identifies, numbers, flags or dates a question, or a file, date or address, which is never an answer."""
_SOURCES = re.compile(r"user|author|source|time|date|url|img|image|path|来源|出处|教材|时间|日期|作者|章|节|chapter|section", re.I)
LETTER_IN_NAME = re.compile(r"(?<![a-z])[a-j](?![a-z])", re.IGNORECASE)
"""A column name for an option that nobody chose: `D 选支`."""
_TIMES, _NEARLY_ALL = 3, 0.9
"""Minimum average number of repetitions of a value in a column of categories; share of questions that must have an answer."""
_MOST_SEARCHED = 10**9
"""Limit on the characters searched per record; it is reached only by more than 1,000 values in texts of a megabyte."""
_CODE_CHARS = 8
"""Maximum length of a code: a short value of a known key may be read as a different word, such as 2 as C, or single as 单选."""
_AT_ONCE = 50_000
"""Number of values to mark together, which takes some 30 bytes per character."""
_TINY = 2
"""Up to this many characters under an unread key may be in an item by coincidence."""
_SIGNS = {"sign", "tag", "markup"}
_OTHERS, _UNLIKE_WORDS = ("type_raw", "number_raw"), frozenset("<√×")
"""Fields whose values recur; characters that matter when texts are compared but not when their words are."""


class _Value(Struct, gc=False):
    key: str
    text: str
    size: int = 0
    """Number of characters, without tags."""
    parts: Sequence[Stretch] | None = ()
    """The parts not found in an item's texts; None for the entire value, as for most short values, to save memory."""

    @property
    def is_free(self) -> bool:
        """Return whether no part of the value is in an item."""
        return self.parts is None

    @property
    def left(self) -> Sequence[Stretch]:
        """Return the parts not found in an item's texts."""
        if self.parts is None:
            return [Stretch(0, 0, self.size, without_tags(self.text), is_first=True, is_last=True)]
        return self.parts


class _SourceRecord(Struct, gc=False):
    """One record or row."""

    position: str
    values: list[_Value] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)

    @property
    def questions(self) -> list[QuestionItem]:
        """Return its questions."""
        return [item for item in self.items if isinstance(item, QuestionItem)]

    @property
    def sheet(self) -> str:
        """Return the sheet of a row."""
        return self.position.rpartition(":")[0]


def account_of_records(leaves: Iterable[Leaf], reading: FileReading, unused: Sequence[str], is_table: bool) -> CharacterAccount:
    """Return the account of a file of records.

    Args:
        unused: keys that the layout lists as unused.
        is_table: positions are those of rows.
    """
    account, records, labels, values = CharacterAccount(), dict[str, _SourceRecord](), 0, list[_Value]()
    known = known_ngrams(filter(_is_sound, reading.items))  # before the values, since it briefly takes much memory
    for leaf in leaves:
        if leaf.is_key:
            labels += len(folded(leaf.text))
        elif leaf.text[:1].isalnum() or folded(leaf.text):
            record = records.get(leaf.unit) or records.setdefault(leaf.unit, _SourceRecord(leaf.unit))
            record.values.append(_Value(leaf.key, leaf.text))
            values.append(record.values[-1])
    account.furniture["label"] += labels
    account.characters += labels
    strays = list[Item]()
    for item in reading.items:
        position = item.provenance.position
        while position and position not in records:
            position = position.rpartition(":")[0]
        (records[position].items if position else strays).append(item)
    for start in range(0, len(values), _AT_ONCE):
        some = values[start : start + _AT_ONCE]
        lines = MarkedLines([value.text for value in some], are_parted=True)
        mark_known(lines, known)
        account.characters += lines.markup + len(lines.text)
        account.furniture["markup"] += lines.markup
        for at, value in enumerate(some):
            value.size = lines.size_of(at)
        for at, stretches in groupby(lines.free(), lambda stretch: stretch.line):
            parts = [*stretches]
            some[at].parts = None if parts[0].is_whole else parts
    _Values(account, reading, [*records.values()], unused, is_table).count(strays)
    return account


def _is_sound(item: Item) -> bool:
    return not isinstance(item, QuestionItem) or item.doubt is None


class _Texts:
    """The texts of a record's items, which are searched as one text and, if that does not decide, compared one by one."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = [*filter(_is_sound, items)]
        self._found: list[str] | None = []
        """Values found in the joined text before texts were compared one by one."""
        texts = [words_of(text) for item in self._items for text in texts_of(item)]
        others = [words_of(getattr(item, name, None) or "") for item in self._items for name in _OTHERS]
        self._words = "\n".join([*texts, "".join(texts)])
        self._all = "\n".join([self._words, *others])
        self._searched = 0

    def _is_in(self, words: str, row: str) -> bool:
        """Return whether the words are in the joined text; once too much has been searched, only whether they equal one of its texts."""
        self._searched += len(row)
        return words in (row if self._searched < _MOST_SEARCHED else self._apart)

    def has(self, value: _Value, least: int) -> bool:
        """Return whether each remaining part of a value either is furniture or is longer than `least` and in the joined text."""
        found = all(len(own := words_of(one.text)) > least and self._is_in(own, self._words) for one in value.left if not _is_beside(one))
        if found and self._found is not None:
            self._found.append(value.text)
        elif found:
            self._one_by_one.take(value.text)
        return found

    def take(self, text: str) -> bool:
        """Take a text once; return whether the items still had an occurrence of it."""
        may_be = self._is_in(words_of(text).lstrip("abcdefghij"), self._all) or not _UNLIKE_WORDS.isdisjoint(text)
        return may_be and self._one_by_one.take(text) is not None

    @cached_property
    def _apart(self) -> frozenset[str]:
        return frozenset(self._all.split("\n"))

    @cached_property
    def _one_by_one(self) -> ItemTexts:
        texts = ItemTexts(self._items, shared=(*SHARED_FIELDS, *_OTHERS))
        for text in self._found or ():
            texts.take(text)
        self._found = None
        return texts


class _Values:
    """Values, or parts of values, that n-grams did not find in items: short item texts, furniture, rejected or unread text."""

    def __init__(
        self, account: CharacterAccount, reading: FileReading, records: Sequence[_SourceRecord], unused: Sequence[str], is_table: bool
    ) -> None:
        self._account, self._records = account, records
        self._unused, self._is_table = frozenset(unused), is_table
        self._columns = {name: field for field, names in reading.columns.items() for name in names.split(", ")}
        labels = {name for item in reading.items if isinstance(item, EntityItem) for name in _labels_of(item)}
        self._has_entries = bool(labels)
        self._names = {folded(name) for name in {*self._columns, *labels}}
        self._header: dict[str, str] = {}
        self._known: dict[str, bool] = {}
        self._read: Counter[str] = Counter()
        """For each key, the number of values in items minus the number of values not in items."""
        self._sheets = {record.sheet for record in records if record.items}
        self._below: dict[str, list[Item]] = {record.position: [] for record in records if record.position and not record.items}
        """For each record that has no items of its own, the items of the records inside it."""
        for record in records:
            position = record.position if record.items else ""
            while position := position.rpartition(":")[0]:
                if (below := self._below.get(position)) is not None:
                    below += record.items

    def count(self, strays: Sequence[Item]) -> None:
        """Count every value; `strays` are items whose record is unknown."""
        unknown, above = _Texts(strays), _Texts([])
        left: list[tuple[_Value, _SourceRecord]] = []
        for record in self._records:
            if not record.items and self._is_header(record):
                self._header |= {value.key: value.text for value in record.values}
                self._known.clear()
                self._account.furniture["label"] += sum(value.size for value in record.values)
                continue
            own = record.items or self._below.get(record.position)
            above = _Texts(own) if own else above  # a record without items may continue the previous one
            for value in sorted(record.values, key=self._is_known, reverse=True):
                if self._is_taken(value, record, above, unknown):
                    self._read[value.key] += 1
                else:
                    self._read[value.key] -= 1
                    left.append((value, record))
        beside = dict(self._columns_beside(left))
        lost = {id(record) for value, record in left if not self._is_furniture(value, record, beside) and self._is_lost(record)}
        self._account.questions_unread += len(lost)

    def _is_header(self, record: _SourceRecord) -> bool:
        return self._is_table and record.sheet in self._sheets and any(folded(value.text) in self._names for value in record.values)

    def _is_lost(self, record: _SourceRecord) -> bool:
        """Return whether a record without items may be a question that was missed."""
        is_heading = len(record.values) == 1 and class_of_line(record.values[0].text)
        return not record.items and bool(record.position) and not is_heading and (len(record.values) > 1 or not self._is_table)

    def _is_known(self, value: _Value) -> bool:
        if value.key not in self._known:
            self._known[value.key] = not self._columns.keys().isdisjoint([self._name_of(value), *value.key.split(".")])
        return self._known[value.key]

    def _is_taken(self, value: _Value, record: _SourceRecord, above: _Texts, unknown: _Texts) -> bool:
        """Count a value if it is in a text of its record's items, entirely or in part; return whether all of it is.

        A value of an unread key is in an item entirely or not at all.
        """
        is_known = bool(record.items) and (self._is_known(value) or len(record.questions) < len(record.items))
        if not is_known:
            value.parts = None
        is_own = (bool(record.items) or self._is_table) and above.has(value, 0 if is_known else _TINY)
        if is_own or above.take(value.text) or unknown.take(value.text) or (is_known and self._is_code(value, record)):
            self._account.in_items += value.size
            return True
        self._account.in_items += value.size - sum(one.size for one in value.left)
        return False

    def _is_code(self, value: _Value, record: _SourceRecord) -> bool:
        """Return whether a short value of a known key is one that the item expresses in another way."""
        field_of_it = f"{self._columns.get(self._name_of(value))}_raw"
        return len(value.text) <= _CODE_CHARS and any(getattr(item, field_of_it, None) is not None for item in record.questions)

    def _columns_beside(self, left: Iterable[tuple[_Value, _SourceRecord]]) -> Iterator[tuple[str, str]]:
        """Yield the keys that identify, number, flag or date questions or give their source, and the class of each.

        Possible second answers are excluded. While questions lack answers, only files, dates and constant values are included.
        """
        questions = [one for record in self._records for one in record.questions if one.doubt is None]
        are_answered = sum(bool(one.answer_raw) for one in questions) >= max(1, _NEARLY_ALL * len(questions))
        is_answered_choice = are_answered and all(one.options_raw or one.shared_options_raw for one in questions)
        columns: dict[str, list[str]] = defaultdict(list)
        known = set[str]()
        for value, record in left:
            is_beside = len(record.questions) == len(record.items) > 0 or self._below.get(record.position)
            if value.is_free and is_beside:
                columns[value.key].append(value.text.strip())
                known |= {value.key} if self._read[value.key] > 0 or self._name_of(value) in self._columns else set()
        for key, texts in columns.items():
            forms, different, header = Counter(answer_form(text) for text in texts), len(set(texts)), self._header.get(key, key)
            name = plain(re.split("[.:]", header)[-1])
            is_flag = forms["verdict"] >= _NEARLY_ALL * len(texts)
            if name in _LETTER_NAMES and all(map(LETTER.fullmatch, texts)):
                yield key, "letter"
            elif (name in _NUMBER_NAMES or IDENTIFIER.search(header)) and all(map(_CODES.fullmatch, texts)):
                yield key, "number"
            elif key in known or forms["letters"] >= _NEARLY_ALL * len(texts) or (is_flag and different > 1 and not is_answered_choice):
                continue
            elif is_flag or all(map(_NAMES_FILE.fullmatch, texts)) or (are_answered and all(map(_CODES.fullmatch, texts))):
                yield key, "code"
            elif LETTER_IN_NAME.search(name):
                continue
            elif (_TIMES * different <= len(texts) and (different == 1 or is_answered_choice)) or (
                are_answered and _SOURCES.search(header)
            ):
                yield key, "kind"

    def _is_furniture(self, value: _Value, record: _SourceRecord, beside: dict[str, str]) -> bool:
        """Count the rest of a value as furniture, rejected or unread; return whether it is furniture."""
        name, account = self._name_of(value), self._account
        doubt = next((item.doubt for item in record.questions if item.doubt), None)
        kind = None
        if value.is_free:
            is_unused = not self._unused.isdisjoint([name, *value.key.split(".")])
            is_beside = record.items or self._below.get(record.position)
            is_note = self._has_entries and not record.items and is_remark(value.text)
            own_kind = "remark" if is_note else _kind_of_furniture(value, record)
            kind = "unused_key" if is_unused else own_kind or (is_beside and beside.get(value.key))
        for stretch in value.left:
            parts = [] if value.is_free else parts_of_stretch(stretch.text, stretch.is_first, not stretch.is_last)
            for part_kind, part in [(kind, stretch.text)] if kind else parts:
                account.furniture[part_kind] += len(folded(part))
            if not kind and not parts and doubt:
                account.rejected[doubt] += stretch.size
            elif not kind and not parts:
                reason = self._reason_of(value, record) if value.is_free else "unread_words"
                account.add_unread(f"{record.position}:{name}" if record.position else name, reason, stretch.text)
        return bool(kind)

    def _reason_of(self, value: _Value, record: _SourceRecord) -> str:
        if not record.items:
            if not self._is_table:
                return "record_unread" if record.position else "beside_records"
            return "row_unread" if record.sheet in self._sheets else "sheet_unread"
        if self._read[value.key] > 0 or self._name_of(value) in self._columns:
            return "value_unread"
        return "unknown_column" if self._is_table else "unknown_key"

    def _name_of(self, value: _Value) -> str:
        return self._header.get(value.key) or value.key.rpartition(".")[2].rpartition(":")[2]


def _is_beside(stretch: Stretch) -> bool:
    """Return whether a part of a value is furniture, such as a note, a letter or a symbol."""
    return not stretch.is_whole and bool(
        class_of_line(stretch.text) or parts_of_stretch(stretch.text, stretch.is_first, not stretch.is_last)
    )


def _kind_of_furniture(value: _Value, record: _SourceRecord) -> str | None:
    """Return the class of a heading alone in its row, or of symbols, points and remarks (`2分`) if the questions have answers; otherwise a
    tick may be the answer.
    """
    if not record.items:
        return class_of_line(value.text) if len(record.values) == 1 else None
    if any(not item.answer_raw for item in record.questions):
        return None
    kinds = {kind for kind, _ in parts_of_stretch(value.text, False, False)}
    return min(kinds) if kinds and kinds <= _SIGNS else None


def _labels_of(item: EntityItem) -> list[str]:
    return [*(each.label for each in item.values), *(each.title for each in item.sections)]
