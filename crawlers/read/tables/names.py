"""Names of columns: what a header's word means, by the words of vocabulary/columns.yaml, and names that count on."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile, zip_longest
from pathlib import Path

import msgspec
from ruamel.yaml import YAML

from atomexam.text.numerals import CIRCLED_NUMBERS, HANZI, ROMAN, STEMS, value_of
from atomexam.text.option_letters import LETTERS
from crawlers.read.containers.files.reading import CoveredCell
from crawlers.read.tables.legends import verdicts_of_name

_COLUMNS = Path(__file__).parents[1] / "vocabulary/columns.yaml"
_OPTION = re.compile(
    r"(?:备选?|可)?(?:选择?项|答案|option|choice|opt|answer)?(?P<letter>[a-j])(?:选择?项|项目?|内容|(?:option|choice)(?P=letter))?"
    r"|(?:备选?|可)?(?:选择?项|项|option|choice|opt)(?P<number>\d|[一二三四五六七八九十])"
)
_AND_OPTIONS = re.compile(r"\s?(?:[/、,+&]|及|和|与|and)\s?(?:备?选项|选择项|options?|choices?)\s?$")
"""Words in the name of a column of stems that mean that the options are below each stem: `题目及选项`."""
_TWO_LANGUAGES = re.compile(
    r"(?P<chinese>[\u4e00-\u9fff]{1,12})(?P<english>[a-z]{3,20})|(?P<english2>[a-z]{3,20})(?P<chinese2>[\u4e00-\u9fff]{1,12})"
)
_NOTE = re.compile(r"\s[-–—]\s.{6,120}$")
"""What a template says of a column after its name: `Question - max 120 characters`."""
_UNNAMED = re.compile(r"column \d+")
_LAST = r"(?:\d{1,2}|[a-j]|[一二三四五六七八九十])"
_WRONG = re.compile(
    rf"(?:错误|错|干扰|迷惑|误导|不正确|非正确)的?(?:答案|备?选项|选择项|项){_LAST}?|其[他它](?:备?选项|选择项){_LAST}?|(?:错误|错|干扰){_LAST}"
    rf"|(?:incorrect|wrong|false|fake)(?:answer|ans|option|opt|choice)s?{_LAST}?|other(?:option|opt|choice)s?{_LAST}?|(?:incorrect|wrong){_LAST}?|(?:false|fake)\d{{1,2}}"
    rf"|(?:distractor|distracter|decoy|foil)s?{_LAST}?|(?:ganrao|cuowu)(?:xiang|xuanxiang|daan|da)?{_LAST}?|cuo(?:xiang|xuanxiang|daan|\d)"
)


def named(cells: Iterable[str]) -> list[str]:
    """Return the names of columns, each once; a column without a name gets its number."""
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
    """Return the column names if the row below the header continues it, A, B, C, D below a wide 选项; nothing if it does not."""
    own = ["" if isinstance(cell, CoveredCell) else cell for cell in below]
    if sum(map(bool, own)) < 2 or not all(is_known_name(cell) for cell in own if cell):
        return []
    return named(lower or upper for upper, lower in zip_longest(header, own, fillvalue=""))


def is_known_name(key: str) -> bool:
    """Return whether a header's word names a field of a question, or one option: A, 选项B, Option 3."""
    word = plain(key)
    return option_number(word) is not None or any(word in known for known in columns_by_field().values())


def names_of(field: str) -> frozenset[str]:
    """Return the words by which headers name a field."""
    return frozenset(columns_by_field()[field])


def is_unnamed(key: str) -> bool:
    """Return whether a column is named by its number."""
    return _UNNAMED.fullmatch(key) is not None


def plain(key: str) -> str:
    """Return a header's word without variations between tables: `选项 A（必填）` is 选项a, `题干 / Stem` and `题干及选项` are 题干."""
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
    """Return the number of the option that a header's word names, counted as the words count, from 0 or 1; None if it names none."""
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
    """Return whether a column is named as one of wrong answers: `干扰项1`, `incorrect_answers`."""
    return _WRONG.fullmatch(word_of_name(key)) is not None


def word_of_name(key: str) -> str:
    """Return a name in lower case, without blanks, punctuation and the path before it."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", key.rpartition(".")[2]).lower())


_ALPHABETS = (LETTERS, LETTERS.lower(), "0123456789", "123456789", HANZI, CIRCLED_NUMBERS, STEMS, ROMAN, "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽")
_FEWEST_NAMED = 3


def named_in_turn(columns: Sequence[str]) -> list[str]:
    """Return the first columns whose names count on; none if fewer than three do."""
    return next(_runs(columns), [])


def _runs(columns: Sequence[str]) -> Iterator[list[str]]:
    """Yield the columns that count on, those whose names end in the sign first."""
    names = [key for key in columns if not key.startswith("column ")]
    for at_end in (True, False):
        for signs in _ALPHABETS:
            for before, after in dict.fromkeys(place for key in names for place in _places(key, signs[0], at_end)):
                run = list(takewhile(set(columns).__contains__, (f"{before}{sign}{after}" for sign in signs)))
                if len(run) >= _FEWEST_NAMED:
                    yield run


def _places(key: str, sign: str, at_end: bool) -> Iterator[tuple[str, str]]:
    """Yield what is before and after each place of a sign in a name."""
    if at_end:
        if key.endswith(sign):
            yield key[: -len(sign)], ""
        return
    for at, each in enumerate(key[:-1]):
        if each == sign:
            yield key[:at], key[at + 1 :]
