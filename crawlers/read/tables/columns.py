"""Names of columns, based on the words in vocabulary/columns.yaml, and the layouts of records: which keys contain what."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile, zip_longest
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML

from atomexam.text.numerals import CIRCLED_NUMBERS, HANZI, ROMAN, STEMS, value_of
from atomexam.text.option_letters import LETTERS
from crawlers.read.containers.files.reading import CoveredCell
from crawlers.read.tables.legends import verdicts_of_name
from crawlers.read.vocabulary.numbers import TYPE

_COLUMNS = Path(__file__).parents[1] / "vocabulary/columns.yaml"
_OPTION = re.compile(
    r"(?:备选?|可)?(?:选择?项|答案|option|choice|opt|answer)?(?P<letter>[a-j])(?:选择?项|项目?|内容|(?:option|choice)(?P=letter))?"
    r"|(?:备选?|可)?(?:选择?项|项|option|choice|opt)(?P<number>\d|[一二三四五六七八九十])"
)
_AND_OPTIONS = re.compile(r"\s?(?:[/、,+&]|及|和|与|and)\s?(?:备?选项|选择项|options?|choices?)\s?$")
"""Words in the name of a stem column which mean that the options are below each stem: `题目及选项`."""
_TWO_LANGUAGES = re.compile(
    r"(?P<chinese>[\u4e00-\u9fff]{1,12})(?P<english>[a-z]{3,20})|(?P<english2>[a-z]{3,20})(?P<chinese2>[\u4e00-\u9fff]{1,12})"
)
_NOTE = re.compile(r"\s[-–—]\s.{6,120}$")
"""A template's note after a column name: `Question - max 120 characters`."""
_UNNAMED = re.compile(r"column \d+")
_LAST = r"(?:\d{1,2}|[a-j]|[一二三四五六七八九十])"
_WRONG = re.compile(
    rf"(?:错误|错|干扰|迷惑|误导|不正确|非正确)的?(?:答案|备?选项|选择项|项){_LAST}?|其[他它](?:备?选项|选择项){_LAST}?|(?:错误|错|干扰){_LAST}"
    rf"|(?:incorrect|wrong|false|fake)(?:answer|ans|option|opt|choice)s?{_LAST}?|other(?:option|opt|choice)s?{_LAST}?|(?:incorrect|wrong){_LAST}?|(?:false|fake)\d{{1,2}}"
    rf"|(?:distractor|distracter|decoy|foil)s?{_LAST}?|(?:ganrao|cuowu)(?:xiang|xuanxiang|daan|da)?{_LAST}?|cuo(?:xiang|xuanxiang|daan|\d)"
)


def named(cells: Iterable[str]) -> list[str]:
    """Return column names without duplicates; an unnamed column gets its number."""
    names: list[str] = []
    used: set[str] = set()
    for number, cell in enumerate(cells, 1):
        name = cell.strip() or f"column {number}"
        names.append(name if name not in used else f"{name} (column {number})")
        used.add(names[-1])
    while names and names[-1].startswith("column "):
        names.pop()
    return names


def whole_header(header: Sequence[str], below: Sequence[str]) -> list[str]:
    """Return the column names if the row below continues the header, as A, B, C and D do below a wide 选项; otherwise an empty list."""
    own = ["" if isinstance(cell, CoveredCell) else cell for cell in below]
    if sum(map(bool, own)) < 2 or not all(is_known_name(cell) for cell in own if cell):
        return []
    return named(lower or upper for upper, lower in zip_longest(header, own, fillvalue=""))


def is_known_name(key: str) -> bool:
    """Return whether a header's word names a field of a question, or an option: A, 选项B, Option 3."""
    word = plain(key)
    return option_number(word) is not None or any(word in known for known in columns_by_field().values())


def names_of(field: str) -> frozenset[str]:
    """Return the words by which headers name a field."""
    return frozenset(columns_by_field()[field])


def is_unnamed(key: str) -> bool:
    """Return whether a column is named by its number."""
    return _UNNAMED.fullmatch(key) is not None


def plain(key: str) -> str:
    """Normalize a header so that it is the same in every table: `选项 A（必填）` becomes 选项a, and
    `题干 / Stem` and `题干及选项` become 题干."""
    if verdicts_of_name(key):
        return "判断结果"
    text = re.sub(r"\(.{0,80}?\)|\[.{0,80}?\]|【.{0,80}?】", "", _NOTE.sub("", unicodedata.normalize("NFKC", key).lower()))
    word = re.sub(r"[\W_]", "", _AND_OPTIONS.sub("", text))
    both = _TWO_LANGUAGES.fullmatch(word)
    if both is None:
        return word
    english = both["english"] or both["english2"]
    return english if _OPTION.fullmatch(english) else both["chinese"] or both["chinese2"]


def option_number(word: str) -> int | None:
    """Return the number of the option named by a word in a header, counted from 0 or 1 as in that word; None if it names no option."""
    match = _OPTION.fullmatch(word)
    if match is None:
        return None
    if match["letter"]:
        return LETTERS.index(match["letter"].upper()) + 1
    return int(match["number"]) if match["number"].isascii() else value_of(match["number"])


@cache
def columns_by_field() -> dict[str, list[str]]:
    words = msgspec.convert(YAML(typ="safe").load(_COLUMNS.read_text(encoding="utf-8")), dict[str, list[str]])
    return words | {"stem_raw": words["stem_raw"] + words["term"]}


def is_wrong_name(key: str) -> bool:
    """Return whether a column's name says that it contains wrong answers: `干扰项1`, `incorrect_answers`."""
    return _WRONG.fullmatch(word_of_name(key)) is not None


def word_of_name(key: str) -> str:
    """Return a name in lower case, without blanks, punctuation or the path before it."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", key.rpartition(".")[2]).lower())


_ALPHABETS = (LETTERS, LETTERS.lower(), "0123456789", "123456789", HANZI, CIRCLED_NUMBERS, STEMS, ROMAN, "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽")
_FEWEST_NAMED = 3


def named_in_turn(columns: Sequence[str]) -> list[str]:
    """Return the first columns with consecutive names; empty if fewer than three."""
    return next(_runs(columns), [])


def _runs(columns: Sequence[str]) -> Iterator[list[str]]:
    """Yield the runs of columns with consecutive names, starting with names that differ at the end."""
    names = [key for key in columns if not key.startswith("column ")]
    for at_end in (True, False):
        for signs in _ALPHABETS:
            for before, after in dict.fromkeys(place for key in names for place in _places(key, signs[0], at_end)):
                run = list(takewhile(set(columns).__contains__, (f"{before}{sign}{after}" for sign in signs)))
                if len(run) >= _FEWEST_NAMED:
                    yield run


def _places(key: str, sign: str, at_end: bool) -> Iterator[tuple[str, str]]:
    """Yield the parts of a name before and after each occurrence of a sign."""
    if at_end:
        if key.endswith(sign):
            yield key[: -len(sign)], ""
        return
    for at, each in enumerate(key[:-1]):
        if each == sign:
            yield key[:at], key[at + 1 :]


SECTION = "(heading)"
"""Key for the heading above a row inside a table."""
CASE, SHARED_OPTIONS = "(case)", "(shared options)"
"""Keys for the case and the options that an earlier row shares with this one."""
_LETTER_OF_OPTION = re.compile(r"(?<![A-Za-zＡ-Ｊ])[A-Ja-jＡ-Ｊ](?![A-Za-z])|(?<=[a-z])[A-J](?![A-Za-z])|[\d一二三四五六七八九十]")
_NAMES_OPTION = re.compile(r"选|option|opt|choice", re.IGNORECASE)
_SHARD = re.compile(r"-\d{5}-of-\d{5}(?:-[0-9a-f]+)?$")
_SPLIT = re.compile("train|dev|val|validation|test")


class EntityLayout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: str
    name: str
    alias: str | None = None
    sections: list[str] = []
    skip: list[str] = []
    label: str | None = None
    """Key of the label for the record's only value; `value` is the key of that value."""
    value: str | None = None
    flat: bool = False
    """Whether the keys of objects inside a record are read as the record's own, `info.症状`, and a dash means no value."""
    labels: dict[str, str] = {}
    """Maps keys, or the relations under `label`, to their names in `curation/vocab/relations.yaml`."""
    type_key: str | None = None
    """Key whose values distinguish the kinds of records, if a file has several kinds."""
    types: dict[str, str] = {}
    """The kind for each of these values; for any other value, `type` applies."""
    ranges: list[str] = []
    """Keys of reference ranges, in any form."""
    unit: str | None = None
    """Key of their unit."""
    least: str | None = None
    most: str | None = None
    """Keys of the two ends of a range, if each end has its own key."""
    people: list[str] = []
    """Keys of the sex and age of the people that a record's ranges apply to."""


class TableLayout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The columns or paths of a table that contain each part of a question; written by `--propose`."""

    under: list[str] = []
    """Keys, or the name of the sheet, that lead to its rows."""
    header: int = 0
    """Number of the row of a sheet that names the columns; 0 to search for it."""
    stem: str
    options: list[str] = []
    """One column with all options, or one column per option; the stem's column if the options are below the stem."""
    divider: str = ""
    """The separator between options in one column, if it is unusual."""
    answer: str | None = None
    form: str = "letters"
    """The form of the answer: letters, text, from 0, from 1, marked, verdict, words."""
    explanation: str | None = None
    others: dict[str, str] = {}
    """Further fields, such as 题型 or 章节, mapped to their columns."""
    type: str | None = None
    """The type of the questions for which no column states one."""


class RecordLayout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of the keys of records or the columns of tables: exactly one of `questions`, `tables` and `entity`."""

    confirmed: bool | Literal["yes", "no"] = True
    """Whether a person has checked it; an uncertain proposal says `no` and is not used until somebody changes it to yes."""
    known_by: list[list[str]] = []
    """Keys that only records of this layout have; any one of the lists suffices."""
    array: list[str] = []
    """Keys that lead from a JSON document to its records."""
    split_on: str | None = None
    """Key that contains several questions of one record, if it is a list."""
    shared: str | None = None
    """Key of the case text or the options that those questions share."""
    options_in_stem: bool = False
    """Whether options are the last lines of the stem: `A．…`."""
    option_keys: list[str] = []
    """Keys with one option each, in order."""
    labelled_options: tuple[str, str] | None = None
    """Keys for the letter and text of an option, if options are objects."""
    zero_based_answer: bool = False
    """Whether the answer is the index of an option, counted from 0."""
    subject_from_file: str | None = None
    """Pattern of the file's name without suffix, with a group `subject`."""
    subjects: dict[str, str] = {}
    """Names for those subjects; any other subject keeps its name from the file."""
    unread: list[str] = []
    """Known keys that are not needed."""
    by_words: bool = False
    """Whether it is inferred from a header: the table was then made by hand and may have rows between questions, and options in any cell.
    """
    questions: dict[str, str | list[str]] | None = None
    entity: EntityLayout | None = None
    tables: list[TableLayout] = []

    @property
    def is_confirmed(self) -> bool:
        """Return whether the layout may be used to read files."""
        return self.confirmed in (True, "yes")

    def required(self) -> set[str]:
        """Return the keys that a header must have, all of them."""
        keys = [self.questions[field] for field in self.questions] if self.questions else [self.entity.name] if self.entity else []
        return {key for key in keys if isinstance(key, str) and not key.endswith("?")} | set(self.option_keys[:2])

    def used(self) -> set[str]:
        """Return the keys that are read or known to be unneeded."""
        keys = [key for value in (self.questions or {}).values() for key in ([value] if isinstance(value, str) else value)]
        extra = [self.split_on, self.shared, SECTION, CASE, SHARED_OPTIONS]
        return {key.rstrip("?") for key in [*keys, *extra, *self.option_keys, *self.unread] if key}

    def keys_of(self, field: str) -> list[str]:
        """Return the keys of a field of `questions`, without the `?` that shows that they may be missing."""
        keys = (self.questions or {}).get(field, [])
        return [key.rstrip("?") for key in ([keys] if isinstance(keys, str) else keys)]

    def columns_of(self, present: Collection[str]) -> dict[str, str]:
        """Return the keys that are present and read for each field of a question; for entries, all keys."""
        if self.entity:
            return {key: key for key in present}
        keys = {field: self.keys_of(field) for field in self.questions or {}}
        keys["options_raw"] = [*keys.get("options_raw", []), *self.option_keys]
        keys["shared_stem"] = [self.shared] if self.shared else []
        by_field = {field.removesuffix("_raw"): [key for key in some if key in present] for field, some in keys.items()}
        return {field: ", ".join(dict.fromkeys(some)) for field, some in by_field.items() if some}

    def columns_needed(self, header: Sequence[str]) -> int:
        """Return how many cells a row needs for stem, options and answer to be where the header says."""
        fields = ("stem_raw", "options_raw", "answer_raw")
        needed = {*self.option_keys, *(key for field in fields for key in self.keys_of(field))}
        return len(header) if self.entity else max((number for number, key in enumerate(header, 1) if key in needed), default=0)

    def subject_of(self, name: str) -> str | None:
        """Return the subject from a file's name, or from its folder if the file is named after a split: `anatomy/test-00000-of-00001`."""
        path = PurePosixPath(name)
        stem = _SHARD.sub("", path.stem)
        file_word = path.parent.name if _SPLIT.fullmatch(stem) and path.parent.name else stem
        subject = re.match(self.subject_from_file, file_word) if self.subject_from_file else None
        return self.subjects.get(subject["subject"], subject["subject"].replace("_", " ")) if subject else None


def layout_of_keys(keys: Sequence[str]) -> RecordLayout | None:
    """Return the layout inferred from a header with a stem, and options or an answer; None for any other header."""
    words = [plain(key) for key in keys]
    key_of_field: dict[str, str] = {}
    for field, known in columns_by_field().items():
        key = next((keys[words.index(word)] for word in known if word in words), None)
        if key is not None and field != "term" and key not in key_of_field.values():
            key_of_field[field] = key
    kinds = [key for key, word in zip(keys, words, strict=True) if word.endswith("题") and re.fullmatch(TYPE, word)]
    if "stem_raw" not in key_of_field and len(kinds) == 1:  # several may be counts of the questions of each kind
        key_of_field["stem_raw"] = kinds[0]
    is_term = plain(key_of_field.get("stem_raw", "")) in names_of("term")
    if is_term and "answer_raw" not in key_of_field and "explanation_raw" in key_of_field:
        key_of_field["answer_raw"] = key_of_field.pop("explanation_raw")
    number_of_option = {key: number for key, word in zip(keys, words, strict=True) if (number := option_number(word)) is not None}
    options = sorted(_of_one_kind(number_of_option), key=number_of_option.__getitem__)
    options = options if len(options) > 1 else _beside(keys, key_of_field.get("options_raw"))
    if not options and not {"options_raw", "answer_raw"} & key_of_field.keys():
        in_turn = named_in_turn(keys)
        options = in_turn if all(len(key.strip()) == 1 for key in in_turn) else []  # `甲` `乙` `丙`, one of which is marked in each row
    if "stem_raw" not in key_of_field or not (options or "options_raw" in key_of_field or "answer_raw" in key_of_field):
        return None
    fields: dict[str, str | list[str]] = {field: f"{key}?" for field, key in key_of_field.items()}
    for field, key in (("section_raw", SECTION), ("case_raw", CASE), ("shared_options_raw", SHARED_OPTIONS)):
        fields[field] = [f"{key_of_field[field]}?", f"{key}?"] if field in key_of_field else [f"{key}?"]
    in_stem = not options and "options_raw" not in key_of_field
    if in_stem and any(map(is_wrong_name, words)):
        return None  # the right option is the answer, the wrong ones are elsewhere
    return RecordLayout(questions=fields, option_keys=options, options_in_stem=in_stem, by_words=True)


def _of_one_kind(number_of_option: dict[str, int]) -> list[str]:
    """Return the option columns; if several columns are for one option, `A` and `%A`, the one named as an option, otherwise the first."""
    if len(set(number_of_option.values())) == len(number_of_option):
        return [*number_of_option]
    kinds: dict[str, list[str]] = {}
    for key in number_of_option:
        kinds.setdefault(_LETTER_OF_OPTION.sub("", key), []).append(key)
    several = {kind: keys for kind, keys in kinds.items() if len(keys) > 1} or {"": [*number_of_option]}
    return next((keys for kind, keys in several.items() if _NAMES_OPTION.search(kind)), next(iter(several.values())))


def _beside(keys: Sequence[str], options: str | None) -> list[str]:
    """Return the column 选项 and the unnamed columns after it that its merged cell covers; empty if there are none."""
    start = keys.index(options) if options else len(keys)
    end = next((after for after in range(start + 1, len(keys)) if not is_unnamed(keys[after])), len(keys))
    return [*keys[start:end]] if end > start + 1 else []
