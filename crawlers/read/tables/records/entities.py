"""Records of unknown layout -> whether they describe diseases, medicines, examinations or foods, and what each key contains. Pure.

A key is recognized by its name and by its values. If neither is medical, the records do not count, since a price list has names too.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML

from crawlers.read.containers.files.reading import RepeatedKey
from crawlers.read.tables.columns import SECTION, EntityLayout, RecordLayout, plain
from crawlers.read.vocabulary.remarks import HEADS_ROWS, PERSON, is_remark

_PEOPLE = {
    "男性": ("male", "m", "man", "men", "男", "男性"),
    "女性": ("female", "f", "woman", "women", "女", "女性"),
    "成年男性": ("成年男性", "成人男性", "adultmale"),
    "成年女性": ("成年女性", "成人女性", "adultfemale"),
    "成人": ("adult", "adults", "成人", "成年", "成年人"),
    "儿童": ("child", "children", "儿童", "小儿"),
    "新生儿": ("newborn", "neonate", "newborns", "新生儿"),
    "婴儿": ("infant", "infants", "baby", "婴儿"),
    "老年人": ("elderly", "senior", "老年", "老年人"),
    "孕妇": ("pregnant", "pregnancy", "孕妇"),
    "空腹": ("fasting", "空腹"),
    "": ("normal", "general", "all", "default", "both", "desirable", "optimal", "正常", "通用", "理想", "合适", "不分", "不限"),
}
"""People and states that a range applies to, with their names in data. Other ranges, such as borderline or high, do not count."""
_WHO = {word: who for who, words in _PEOPLE.items() for word in words}
_AGE = re.compile(r"[<>≤≥＜＞]?=?\d+(?:(?:[岁月天周日]|个月)?[-~～–—至]+\d+)?(?:[岁月天周日]|个月)(?:及?以[上下])?")
_ENDS = {
    word: end
    for end, words in enumerate((("min", "low", "lower", "from", "下限"), ("max", "high", "upper", "to", "上限")))
    for word in words
}
_FIGURE = r"\d[\d.,]*(?:\s?[×xX*]\s?10\^?[\d⁰-⁹¹²³]+)?"
_RANGE = re.compile(
    rf"(?:(?:成[年人])?[男女][性子]?|成年?人|儿童|新生儿|空腹)?\s?[:：]?\s?(?:[<>≤≥＜＞]=?\s?{_FIGURE}|{_FIGURE}\s?(?:[-~～–—至]+|--)\s?{_FIGURE}|[阴阳]性|[(（][-+±－＋][)）]|-|－)"
)
_BETWEEN = re.compile(r"(?<=\d) {0,3}([-~～–—]) {0,3}(?=\d)")
_POWER = re.compile(r"^(?=10[\^⁰-⁹¹²³*])")
"""The start of a unit that is a power of ten and would merge with the number before it."""
_LETTER = re.compile(r"[a-zA-Zμµ%‰℃]")
_EMPTY = re.compile(r"[\s—–―_/\\.·*－-]*|null|none|nan|n/a|\[\]|\{\}", re.I)
_BARE_SIGN = re.compile(r"[-－]")
_BRACKET = re.compile(r"[(（]([^()（）]+)[)）]")
_NO_REFERENCE = re.compile("危急|警戒|偏[高低]|升高|降低|临界|异常|旧|原")
"""Words in brackets after ranges that show that these are not reference ranges."""


def word_of(key: str) -> str:
    """Return the name of a flat record's key: the last part of `info.症状`."""
    return plain(key.rpartition(".")[2]) or plain(key)


def flat_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the keys of nested objects moved up, `info.症状`; range objects are unchanged."""
    flat: dict[str, Any] = {}
    waiting = [(str(key), value) for key, value in reversed([*record.items()])]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict) and not isinstance(value, RepeatedKey) and not _is_range_object(value):
            waiting += [(f"{key}.{inner}", each) for inner, each in reversed(value.items())]
        else:
            flat[key] = value
    return flat


def plain_text(value: Any) -> str | None:
    """Return a value as text, with list entries joined by `、`; None for empty values: a blank, a dash, null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, list):
        return "、".join(text for entry in value if (text := plain_text(entry))) or None
    if isinstance(value, dict):
        if _is_range_object(value):
            return range_text(value)
        said = [inner for key, inner in value.items() if plain(str(key)) not in _words().skip and not str(key).endswith(("_id", "Id"))]
        return " ".join(text for inner in said or value.values() if (text := plain_text(inner))) or None
    text = str(value).replace("\ufeff", "").strip()
    return None if _EMPTY.fullmatch(text) else text


def is_range(text: str) -> bool:
    """Return whether a text begins like a reference range."""
    return _RANGE.match(text) is not None


def range_text(value: Any, unit: str | None = None) -> str | None:
    """Return reference ranges as text, with the unit after each: 男性：120-160g/L；女性：110-150g/L."""
    ranges = ((who, _BETWEEN.sub(r"\1", text)) for who, text in _ranges(value))
    parts = [f"{who}：{text}" if who else text for who, text in ranges]
    unit = _POWER.sub("×", unit or "")
    return "；".join(part if _LETTER.search(part.partition("：")[2] or part) else part + unit for part in parts) or None


def joined_range(least: str | None, most: str | None) -> str | None:
    """Return the range between two numbers, either of which may be missing."""
    if least and most:
        return f"{least}-{most}"
    return f"≥{least}" if least else f"≤{most}" if most else None


def _ranges(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, int | float) for one in value):
        return [("", f"{value[0]}-{value[1]}")]
    if isinstance(value, list):
        return [pair for entry in value for pair in _ranges(entry)]
    if not isinstance(value, dict):
        text = str(value).strip() if value is not None else ""
        return [("", text)] if text and (_BARE_SIGN.fullmatch(text) or not _EMPTY.fullmatch(text)) else []
    ranges = [(_WHO[plain(key)], pair) for key, inner in value.items() if plain(key) in _WHO for pair in _ranges(inner)]
    if ranges:  # next to 理想, a high value is not a reference
        return [(f"{who}{inner}", text) for who, (inner, text) in ranges]
    ends = {_ENDS[plain(key)]: plain_text(inner) for key, inner in value.items() if plain(key) in _ENDS and not isinstance(inner, dict)}
    span = joined_range(ends.get(0), ends.get(1))
    told = [
        each for key, each in value.items() if isinstance(each, str) and plain(key) not in {*_ENDS, *_words().unit} and plain_text(each)
    ]
    if not all(plain(each) in _WHO or _AGE.fullmatch(each) for each in told):
        return []  # a level or an unknown group: no reference
    who = people_in(told)
    unit = next((each for key, each in value.items() if plain(key) in _words().unit and isinstance(each, str)), "")
    return [(who, span + unit)] if span else []


def _is_range_object(value: Mapping[str, Any]) -> bool:
    words = [plain(str(key)) for key in value]
    return (
        bool(words)
        and any(word in _WHO or word in _ENDS for word in words)
        and all(
            word in _WHO or word in _ENDS or isinstance(inner, str | int | float) for word, inner in zip(words, value.values(), strict=True)
        )
    )


_FILE = Path(__file__).parents[2] / "vocabulary/entities.yaml"
NAME = "名称"
"""Key for the name of a record built from other records."""
RANGES, _INDICATIONS, _USES = "参考区间", "适应症", "主治"
_FROM, _BOOK = "来源", "出处"
"""Labels for a plant and its part, a place or a text; label for a book."""
_TOLD_BY_NAME = ("medicine", "food")
"""Kinds with the same labels, distinguished only by the names of entries."""
_KEY, _OF_SECTION = 12, 108
"""Votes that a key gives to its kind, divided if it has several kinds; votes that a section heading or class gives."""
_NO_HEAD = "symptom"
"""The kind that has no facts and shares its labels with diseases: only explicit words identify it."""
_TRADITIONAL = ("性味", "归经", "性味归经")
"""Labels of Chinese medicine: they turn the indications of an entry into uses."""
_LEAST = 2
"""Minimum number of records; one proves nothing, since any document, or its parts merged, is one."""
_SAMPLE, _MOST_KINDS, _LEAST_DIFFERENT = 1_000, 15, 3
_MAX_NAME_CHARS, _PROSE_CHARS = 30, 60
_LOOKS = 0.3
"""Minimum share of names or values that look like those of their kind."""
_PROPOSED = 0.6
SURE = 0.5
"""Confidence from which records are read without confirmation."""
_PIECES = re.compile(r"[、，,；;。\s|/﹑]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_SENTENCE = re.compile("[。；;]")
_SHARED = re.compile(r"\s?[/／与和及、]\s?")
_NAMES_BOOK = re.compile("《|本草|药典|[经论]$")
_OF_NAME = re.compile("(?:的?名[称字]?|name)$")
_NO_NAME = re.compile(r"[。；;！？?\n]")


class _KindWords(Struct, frozen=True, forbid_unknown_fields=True):
    says: dict[str, list[str]]
    knows: dict[str, list[str]]


class _Words(Struct, frozen=True, forbid_unknown_fields=True):
    name: list[str]
    alias: list[str]
    unit: list[str]
    least: list[str]
    most: list[str]
    skip: list[str]
    persons: list[str]
    parts: dict[str, frozenset[str]]
    qualifiers: dict[str, list[str]]
    signs: dict[str, re.Pattern[str]]
    names: dict[str, re.Pattern[str]]
    kinds: dict[str, _KindWords]
    content: dict[str, dict[str, re.Pattern[str]]]


class LayoutProposal(NamedTuple):
    """The layout that records probably have."""

    layout: RecordLayout
    confidence: float
    """How certain the kind is, from 0 to 1, by words, names and values."""
    by_content: dict[str, str]
    """Keys whose label is inferred from their values, not from a known word; they are in no layout until a person confirms them."""
    unknown: list[str]
    """Keys about which nothing is known."""


class _Column(NamedTuple):
    texts: list[str]
    records: int

    @property
    def filled_share(self) -> float:
        return len(self.texts) / self.records if self.records else 0.0


@lru_cache(maxsize=4096)
def kind_words(key: str) -> list[tuple[str, str, bool]]:
    """Return each kind and label that a key's name may stand for, each with whether facts are made from it.

    Qualifiers are ignored: `mainAdverse`, 常见症状. If several words share a value, 作用原理/适应症, only one of them may be known: with
    two known ones, 适应症/禁忌症, it is unclear which part of the value belongs to which.
    """
    known = _labels_by_word()
    word = word_of(key).rstrip("0123456789") or word_of(key)
    if whole := next((known[each] for each in [word_of(key), *_unqualified(word)] if each in known), []):
        return whole
    parts = [plain(part) for part in _SHARED.split(key.rpartition(".")[2])]
    meant = [known[each] for part in parts for each in _unqualified(part) if each in known]
    return meant[0] if meant and all(each == meant[0] for each in meant) else []


def is_bare_label(text: str) -> bool:
    """Return whether a text is exactly a label, or a word for an entry's name."""
    words = [word_of(text), *(plain(part) for part in text.split("/"))]
    return any(word in _labels_by_word() or word in _names() for word in words) or is_alias(text)


def _unqualified(word: str) -> list[str]:
    """Return a word and what remains of it without qualifiers, longest first; names are not shortened."""
    before, after, of = _qualifiers()
    found = [word]
    for each in found if _rank_of(word) is None and len(word) <= _MAX_NAME_CHARS else ():
        left = before.sub("", each, count=1), after.sub("", each)
        found += [rest for rest in left if rest and rest not in found and not (rest in of and word.startswith(rest))]
    return sorted(found, key=len, reverse=True)


@cache
def _qualifiers() -> tuple[re.Pattern[str], re.Pattern[str], frozenset[str]]:
    """Return patterns of qualifiers before and after a word, and the words of kinds."""
    of, before, after = (sorted(_words().qualifiers[place], key=len, reverse=True) for place in ("of", "before", "after"))
    return (
        re.compile(f"^(?:{'|'.join(sorted([*of, *before], key=len, reverse=True))})"),
        re.compile(f"(?:{'|'.join(after)})$"),
        frozenset(of),
    )


def names_entry(key: str) -> int | None:
    """Return how well a key names an entry, 0 being best; None if it does not."""
    return _rank_of(word_of(key))


def _rank_of(word: str) -> int | None:
    of = next((each for each in _qualifiers()[2] if _OF_NAME.search(word) and word.startswith(each)), "")
    named = next((each for each in (word, _OF_NAME.sub("", word), word[len(of) :]) if each in _names()), None)
    return _words().name.index(named) if named else None


def kinds_of(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the kind of each record, determined by its keys and by the heading or class above it, which applies to all records below it.

    If the keys fit two kinds equally, the names of all such records decide.
    """
    words, sections = _words(), [str(record.get(SECTION) or number) for number, record in enumerate(records)]
    votes = {section: Counter[str]() for section in sections}
    for section, own in votes.items():
        own.update({kind: _OF_SECTION for kind, sign in words.signs.items() if sign.search(f" {section} ".lower())})
    for section, record in zip(sections, records, strict=True):
        for key, value in flat_record(record).items():
            own_kinds = {kind for kind, _, _ in kind_words(key)} if plain_text(value) else set[str]()
            votes[section].update({kind: _KEY // len(own_kinds) for kind in own_kinds})
    best = [tuple(kind for kind in words.kinds if votes[each][kind] == max(votes[each].values(), default=0)) for each in sections]
    sure = Counter(kinds[0] for kinds in best if len(kinds) == 1)
    chosen = {kinds: kinds[0] for kinds in best}
    for kinds in chosen:
        names = [_name_of(record) for record, own in zip(records, best, strict=True) if own == kinds]
        looks = sorted((_share(names, words.names.get(kind)), kind) for kind in kinds)
        is_clear = len(kinds) > 1 and looks[-1][0] >= max(_LOOKS, 2 * looks[-2][0])
        chosen[kinds] = looks[-1][1] if is_clear else max(kinds, key=lambda kind: sure[kind])
    return [chosen[kinds] for kinds in best]


def _name_of(record: Mapping[str, Any]) -> str:
    keys = [key for key in record if names_entry(key) is not None] or keys_for("start", record)
    return next((text for key in keys if (text := plain_text(record[key]))), "")


def keys_for(part: str, keys: Iterable[str]) -> list[str]:
    """Return the keys that may be those of a title or a text, or of the start, end or relation of an edge."""
    return [key for key in keys if plain(key) in _words().parts[part]]


def person_of(key: str) -> str:
    """Return the group of people in a key's name, `参考值（男）`, `male_range`."""
    parts = [plain(part) for part in re.split(r"[\W_]+", unicodedata.normalize("NFKC", key)) if part]
    return next((_WHO[part] for part in parts if _WHO.get(part)), "")


def looks_named(text: str) -> bool:
    """Return whether a text looks like a name of any kind."""
    return any(pattern.search(text) for pattern in _words().names.values())


def remark_in(record: Mapping[str, Any], name: str | None) -> str | None:
    """Return the text of a row that is not an entry, because its name or only text is a remark, or its only text is a heading."""
    texts = [text for value in record.values() if (text := plain_text(value))]
    head = texts[0] if len(texts) == 1 else plain_text(record.get(name or "")) or ""
    return " ".join(texts) if is_remark(head) or (len(texts) == 1 and HEADS_ROWS.match(head)) else None


def are_record_keys(keys: Iterable[str]) -> bool:
    """Return whether a header has a name and a key that describes it."""
    words = [(names_entry(key), kind_words(key)) for key in keys]
    return any(rank is not None for rank, _ in words) and any(says for _, labels in words for _, _, says in labels)


def beside_way(document: Mapping[str, Any], way: Sequence[str]) -> list[str]:
    """Return the keys next to the path to records: what the document states about itself."""
    keys: list[str] = []
    current: Any = document
    for key in way:
        if not isinstance(current, dict) or key == "*":
            break
        keys += [other for other in current if other != key]
        current = current.get(key)
    return keys


_MOST_KEYS = 4096
"""Maximum number of keys in a sample; if there are more, the keys are data."""


def propose_records(
    records: Sequence[Mapping[str, Any]],
    hint: str = "",
    array: Sequence[str] = (),
    beside: Iterable[str] = (),
    least: int = _LEAST,
    by_values: bool = False,
    of: str = "",
) -> LayoutProposal | None:
    """Return the layout that records have; None if they are not entries of an encyclopedia.

    Args:
        hint: the file's name and the keys that lead to the records.
        array: those keys, for the layout.
        beside: keys next to the path, which belong to no record.
        least: minimum number of records that must look like entries.
        by_values: whether values alone are enough, for a layout that a person confirms.
        of: their kind, if known.
    """
    if len(records) < least:
        return None
    beside = [key for key in beside if _is_same(key, records)]  # a record's own name replaces its document's
    own = [{key: value for key, value in record.items() if key not in beside} for record in records[:_SAMPLE]]
    rows = [row for record in own if any(map(plain_text, (row := flat_record(record)).values())) and not remark_in(row, None)]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    if len(keys) > _MOST_KEYS:
        return None
    name = _name_key({key: _column(rows, key) for key in keys}, [*array])
    rows = [row for row in rows if not remark_in(row, name)]
    columns = {key: _column(rows, key) for key in keys}
    names = columns[name].texts if name else []
    may_be_people = not any(map(looks_named, names)) and 2 * sum(bool(PERSON.fullmatch(each)) for each in names) > len(names)
    if name is None or not set(_words().persons).isdisjoint(map(word_of, columns)) or may_be_people:
        return None
    others = [_NO_HEAD] if _words().signs[_NO_HEAD].search(name.lower()) else [kind for kind in _words().kinds if kind != _NO_HEAD]
    kinds = [of] if of else others
    scored = [proposal for kind in kinds if (proposal := _as_kind(kind, name, columns, rows, hint, array, beside, by_values, bool(of)))]
    return max(scored, key=lambda one: (one.confidence, -len(one.unknown)), default=None)


def _as_kind(
    kind: str,
    name: str,
    columns: Mapping[str, _Column],
    rows: Sequence[Mapping[str, Any]],
    hint: str,
    array: Sequence[str],
    beside: Iterable[str],
    by_values: bool,
    is_known: bool,
) -> LayoutProposal | None:
    words, used = _words(), {name}
    alias = next((key for word in words.alias for key in columns if word in _parts_of(key) and key not in used), None)
    unit = next((key for key in columns if word_of(key) in words.unit and key not in used), None) if kind == "examination" else None
    ends = [next((key for key in columns if word_of(key) in some and key not in used), None) for some in (words.least, words.most)]
    least, most = ends if kind == "examination" and all(ends) else (None, None)
    people = [key for key in columns if key not in used and are_people(columns[key].texts)] if kind == "examination" else []
    used |= {key for key in (alias, unit, least, most, *people) if key}
    skip = [key for key in columns if key not in used and (word_of(key) in words.skip or key == SECTION)]
    labels: dict[str, str] = {}
    facts: dict[str, float] = {}
    looks = [_share(columns[name].texts, words.names.get(kind))]
    sign = is_known or words.signs[kind].search(f"{hint} {name}".lower()) is not None
    if kind in _TOLD_BY_NAME:
        likeliest = max(_share(columns[name].texts, words.names[of]) for of in _TOLD_BY_NAME)
        sign = looks[0] == likeliest if likeliest >= _LOOKS else sign
    by_content, unknown = {}, []
    for key in columns:
        if key in used or key in skip or not columns[key].texts:
            continue
        label, fact = next(((label, is_fact) for of, label, is_fact in kind_words(key) if of == kind), ("", False))
        fits = _fits(kind, label, columns[key].texts) if label else 0.0
        if label == RANGES and (fits < _LOOKS or _of_others(key)):
            label, fact = "", False
        if label == _FROM and _share(columns[key].texts, _NAMES_BOOK) >= _PROPOSED:
            label = _BOOK
        if label:
            labels[key] = label
            looks += [fits] if label != RANGES or sign else []
            if fact and _is_plausible(label, columns[key].texts, fits):
                facts[label] = max(fits, facts.get(label, 0.0))
        elif (content_label := _by_content(kind, columns[key].texts)) is not None:
            by_content[key] = content_label
        else:
            unknown.append(key)
    patterns = words.content.get(kind, {})
    says = {label for label, fits in facts.items() if label not in patterns or fits >= _LOOKS / 3 or max(looks) >= _LOOKS}
    if least and most and _fits(kind, RANGES, columns[least].texts) >= _LOOKS:
        says.add(RANGES)
        looks += [1.0] if sign else []
    is_guess = by_values and not says and bool(by_content)
    if not is_guess and (not says or (max(looks) < _LOOKS and kind != _NO_HEAD)):
        return None
    traditional = any(label in _TRADITIONAL for label in labels.values())
    if kind == "medicine" and (traditional or "功效" in labels.values()):
        labels = {key: _USES if label == _INDICATIONS else label for key, label in labels.items()}
        says -= {_INDICATIONS}
        if not says and not is_guess:
            return None
    everything = {*says, *labels.values()}
    confidence = (1 - 0.5 ** (len(says) + (len(everything) - len(says)) / 3 + sign)) * (0.6 + 0.4 * min(1.0, max(looks) / _PROPOSED))
    type_key, types = _types(kind, columns, used)
    ranges = [key for key, label in labels.items() if label == RANGES]
    if people and len(_different(rows, [name, *people, *ranges])) > len(_different(rows, [name, *people])):
        return None  # another value says which people each range applies to
    prose = {key for key in labels if kind == "disease" and _is_prose(columns[key].texts)}
    sections = [key for key in columns if key in prose or (labels.get(key) == "desc" and kind == "disease")]
    entity = EntityLayout(
        type=kind,
        flat=True,
        name=name,
        alias=alias,
        sections=sections,
        skip=[*skip, *beside],
        labels={key: label for key, label in labels.items() if key != label},
        type_key=type_key,
        types=types,
        ranges=ranges,
        unit=unit,
        least=least,
        most=most,
        people=people,
    )
    known_by = [[name, *(key for key in labels if columns[key].filled_share > 0.5)]]
    return LayoutProposal(RecordLayout(known_by=known_by, array=[*array], entity=entity), round(confidence, 2), by_content, unknown)


def _different(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> set[tuple[str | None, ...]]:
    return {tuple(plain_text(row.get(key)) for key in keys) for row in rows}


def _of_others(key: str) -> bool:
    """Return whether a key states in brackets that its ranges are critical or otherwise not references: 参考值（危急）."""
    inner = _BRACKET.search(key)
    return inner is not None and not person_of(key) and _NO_REFERENCE.search(inner[1]) is not None


def are_people(texts: Sequence[str]) -> bool:
    """Return whether texts contain only groups of people and ages that ranges apply to."""
    known = [plain(text) in _WHO for text in texts]
    return any(known) and all(is_known or _AGE.fullmatch(text) for text, is_known in zip(texts, known, strict=True))


def people_in(texts: Iterable[str]) -> str:
    """Return the group of people described jointly by the columns of sex and age, 男性20~59岁."""
    return "".join(_WHO.get(plain(text), text) for text in texts)


def _is_same(key: str, records: Sequence[Mapping[str, Any]]) -> bool:
    return all(record.get(key) == records[0].get(key) for record in records)


def _column(rows: Sequence[Mapping[str, Any]], key: str) -> _Column:
    return _Column([text for row in rows if (text := plain_text(row.get(key)))], len(rows))


def _name_key(columns: Mapping[str, _Column], array: Sequence[str]) -> str | None:
    """Return the key of the names, chosen by its word, by the key that leads to the records, or by its values."""
    if array and array[-1] == "*" and "*" in columns:
        return "*"
    distinct = 0.1 if any(are_people(column.texts) for column in columns.values()) else 0.5
    ranks = {key: rank for key in columns if (rank := names_entry(key)) is not None and _are_names(columns[key], distinct)}
    by_word = sorted(ranks, key=lambda key: (bool(kind_words(key)), ranks[key]))
    if by_word and not kind_words(by_word[0]):
        return by_word[0]
    others = (key for key in columns if word_of(key) not in _words().skip and _are_names(columns[key], 0.95) and not kind_words(key))
    return next(others, next(iter(by_word), None))


def _are_names(column: _Column, distinct: float) -> bool:
    texts = column.texts
    is_lacking = len(texts) < min(0.9 * column.records, max(column.records - 1, _LEAST))  # one row may lack its name
    if is_lacking or not texts or len(set(texts)) < distinct * len(texts) or median(map(len, texts)) > _MAX_NAME_CHARS:
        return False
    return sum(bool(_HAN.search(text)) and not _NO_NAME.search(text) for text in texts) >= 0.7 * len(texts)


def _fits(kind: str, label: str, texts: Sequence[str]) -> float:
    """Return the share of pieces that look like those of a label; 0 if no pattern is known for it."""
    if label == RANGES:
        return sum(is_range(text) for text in texts) / len(texts)
    pattern = _words().content.get(kind, {}).get(label)
    return _share([piece for text in texts for piece in _PIECES.split(text) if piece], pattern)


def _is_plausible(label: str, texts: Sequence[str], fits: float) -> bool:
    """Return whether values fit the label's meaning: ranges, or Chinese words."""
    return fits >= _LOOKS if label == RANGES else sum(bool(_HAN.search(text)) for text in texts) >= 0.5 * len(texts)


def _by_content(kind: str, texts: Sequence[str]) -> str | None:
    """Return the label whose typical values these resemble most, if most of these do."""
    shares = {label: _fits(kind, label, texts) for label in _words().content.get(kind, {})}
    best = max(shares, key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] >= _PROPOSED and len(set(texts)) >= _LEAST_DIFFERENT else None


def _types(kind: str, columns: Mapping[str, _Column], used: Iterable[str]) -> tuple[str | None, dict[str, str]]:
    """Return the key whose values distinguish the kinds of records, if there are several kinds, and the kind for each value."""
    for key, column in columns.items():
        values = Counter(column.texts)
        if key in used or column.filled_share < 0.9 or not 1 < len(values) <= _MOST_KINDS or len(values) * 5 > len(column.texts):
            continue
        kinds_of_value = {value: [of for of, sign in _words().signs.items() if sign.search(value.lower())] for value in values}
        kinds = {value: of[0] if len(of) == 1 else kind for value, of in kinds_of_value.items()}
        if len({of[0] for of in kinds_of_value.values() if len(of) == 1}) > 1 and max(map(len, values)) <= 8:
            return key, kinds
    return None, {}


def _is_prose(texts: Sequence[str]) -> bool:
    return median(map(len, texts)) >= _PROSE_CHARS and sum(bool(_SENTENCE.search(text)) for text in texts) > len(texts) / 2


def _share(texts: Sequence[str], pattern: re.Pattern[str] | None) -> float:
    return sum(bool(pattern.search(text)) for text in texts) / len(texts) if pattern and texts else 0.0


@cache
def _words() -> _Words:
    with open(_FILE, encoding="utf-8") as file:
        table = YAML(typ="safe").load(file)
    return msgspec.convert(table, _Words, dec_hook=lambda _, pattern: re.compile(pattern))


@cache
def _names() -> frozenset[str]:
    return frozenset(_words().name)


@cache
def _labels_by_word() -> dict[str, list[tuple[str, str, bool]]]:
    by_word: dict[str, list[tuple[str, str, bool]]] = {}
    for kind, table in _words().kinds.items():
        for says, labels in ((True, table.says), (False, table.knows)):
            for label, words in labels.items():
                for word in dict.fromkeys([*words, plain(label)]):
                    if all(kind != of for of, _, _ in by_word.get(word, ())):
                        by_word.setdefault(word, []).append((kind, label, says))
    return by_word


def _parts_of(key: str) -> set[str]:
    """Return the words in a key: the whole key and its parts, 英文缩写/别名."""
    return {word_of(key), *map(plain, _SHARED.split(key.rpartition(".")[2]))}


def is_alias(key: str) -> bool:
    """Return whether a key contains other names for an entry."""
    return not _parts_of(key).isdisjoint(_words().alias)
