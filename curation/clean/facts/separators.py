"""Raw values of one label -> which blanks, slashes and dots separate items and which are part of names.

`、` always separates. Not every blank is a separator: `皮肤科 传染科` are two departments, but `CA 125` is one test. The decision uses all
values that the source has for the label: fragments that occur alone elsewhere are names. An ambiguous separator is marked, so that the
fragment is rejected rather than joined.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from atomexam.records.item import EntityItem

UNSURE = "␣"
"""Placeholder for a character that may or may not be a separator."""
_DIVIDES, _JOINS = "、", ""
_BETWEEN = ("slash", "dot", "plus")
"""Kinds of separators between two known names."""
_MIN_BOUNDARIES = 3
_MIN_PROVEN, _MIN_PROVEN_SLASHES = 0.15, 0.8
"""A character counts as a separator for a label if at least this share of its occurrences is between two known names."""
_AMOUNT = (
    r"\d[\d.]*+\s?(?:[%％℃°岁天日周月年次小时个级度期分秒片粒支袋]|(?:m?mol|[mkμu]?g|m?l|iu|u)(?![A-Za-z])"
    r"|[^\dA-Za-z\u3400-\u4dbf\u4e00-\u9fff]|\Z)"
)
_DASH = rf"(?<=[^\s\d]\s)[-–—－](?=\s)|(?<=\d\s)[-–—－](?=\s(?!{_AMOUNT}))"
"""A dash between blanks separates items just as a blank does (维生素B12 - 13C呼气试验), except between two amounts (5 - 10 mg)."""
_SLASH_APART = re.compile(r"\s+[/／]\s+")
"""A slash between blanks may separate names, as in 恶心 / 呕吐, but not in mg / kg or 阿莫西林 / 克拉维酸."""
_PLUS = re.compile("[+＋&＆~～_＿→*＊#＃]")
"""Characters that separate Chinese names; if there is a blank on one side only, as in 骨康胶囊 *正骨水, the blank is the separator."""
_SIGN = re.compile(
    rf"(?P<cut>\.{{2,}}|…+|。{{3,}}|[·⋯]{{3,}}|⋯)|(?P<hard>[、，；,;。\n|｜\t﹑､\r\v\f\u2028\u2029]|\\[nrt](?![A-Za-z]))"
    rf"|(?P<plus>(?<=[\u4e00-\u9fff）)])(?:{_PLUS.pattern}|\s{_PLUS.pattern}\s)(?=[\u4e00-\u9fff（(]))|(?P<blank>[^\S\n\t\r]|[\u200b\u3000]|{_DASH})"
    r"|(?P<slash>[/／])|(?P<dot>[·•・‧∙])|(?P<open>[（(【\[《“])|(?P<close>[）)】\]》”])"
)
_LINK = re.compile(
    r"(?:(?:[\[【（(<＜《〈]\s*+|(?<=[\s。.…，、；;]))(?:请?点击)?(?:查看|阅读|展开)?|(?:请?点击)(?:查看|阅读|展开)?|查看|阅读|展开"
    r"|(?=[更详全][多细情文部]\s?[>＞»]))"
    r"(?:更多|详细|详情|全部|全文)(?:详情|内容|信息)?\s*+[>＞»…]*+\s*+[\]】）)>＞》〉]?\s*+$"
)
"""Text of a link to more content elsewhere: [详细], 查看更多>>."""
_DIVIDER = re.compile(r"[、，；,;|｜﹑､\s\u3000]")
_LITERAL = re.compile(r"^\s*+[\[(（{]\s*+(?=[\"'“‘])")
_QUOTED = re.compile(r"""\s*+(?:"((?:[^"\\]|\\.)*+)("?)|'((?:[^'\\]|\\.)*+)('?)|“([^”]*+)(”?)|‘([^’]*+)(’?))\s*+([,，、;；]?)""")
_NUMBER = re.compile(r"(?:\d{1,2}[.．)）](?!\d)|[（(]\d{1,2}[）)]|[①-⑳])")
ALIASES = "alias"
"""Label of the aliases field, which some entries have."""
_OPEN_END = re.compile(r"[：:“（(~～+＋—>＞＜<=＝×-]$")
_OPEN_START = re.compile(r"^[：:”）)~～+＋（(%％℃—>＞＜<=＝×-]")
_DOSE = re.compile(r"^[\d.×*/-]+\s?(?:mg|g|ml|kg|μg|ug|iu|u|万?单位|片|粒|支|袋|%|％|s|℃)", re.I)
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_NAME_CHARACTER = re.compile("[0-9A-Za-zΑ-ω\u3400-\u4dbf\u4e00-\u9fff]")
_RATIO = re.compile("(?:比值?|比率|比例|指数|系数)(?:[（(][^（）()]*[）)])?$")
_MODIFIER = re.compile("(?:性|的|型|期|度|急|慢|持续|反复|间歇|阵发|[双单左右]侧|局部|全身|小儿|老年人?|新生儿|轻微|剧烈|严重)$")
_BELONGS_TO_WORD_BEFORE = re.compile(r"^(?:[a-z][a-z-]+|[A-Z]?\d[\d.-]*)$")
"""The second word of Helicobacter pylori, CA 125, Vitamin B12."""


class LabelColumn(NamedTuple):
    """How the values of a label are separated, as inferred from all its values."""

    begins: frozenset[str] = frozenset()
    """Fragments at the beginning of a value or after an unambiguous separator."""
    ends: frozenset[str] = frozenset()
    """Fragments at the end of a value or before an unambiguous separator."""
    fragments: frozenset[str] = frozenset()
    """All of these fragments, and those between blanks."""
    dividing: frozenset[str] = frozenset()
    """Kinds of characters that act as separators for this label."""
    joining: frozenset[str] = frozenset()
    """Kinds of characters that are part of names for this label."""
    of_signs: bool = False
    """Whether most values use unambiguous separators."""

    def apart(self, left: str, right: str) -> bool:
        """Return whether other values show that one fragment ends and another begins at this point."""
        return left in self.ends and right in self.begins

    def knows(self, fragment: str) -> bool:
        return fragment in self.begins or fragment in self.ends


NO_LABEL_COLUMN = LabelColumn()


def column_of(values: Iterable[str]) -> LabelColumn:
    """Return how the values of a label are separated. Their order does not matter."""
    begins, ends, fragments = set(), set(), set()
    boundaries: dict[str, set[tuple[str, str]]] = {kind: set() for kind in ("blank", *_BETWEEN)}
    signs: Counter[str] = Counter()
    for value in values:
        names, kinds, _ = _read(_without_quotes(value.strip()))
        kinds = ["hard", *kinds, "hard"]
        signs["hard"] += "hard" in kinds[1:-1]
        signs["blank"] += "blank" in kinds
        for at, name in enumerate(names):
            before, behind = kinds[at], kinds[at + 1]
            if behind in boundaries and name and names[at + 1]:
                boundaries[behind].add((name, names[at + 1]))
            if not name or "cut" in (before, behind) or {before, behind} & set(_BETWEEN):
                continue
            fragments.add(name)
            if before == "hard":
                begins.add(name)
            if behind == "hard":
                ends.add(name)
    known = LabelColumn(frozenset(begins), frozenset(ends), frozenset(fragments))
    verdicts = {kind: _verdict(kind, pairs, known) for kind, pairs in boundaries.items()}
    return known._replace(
        dividing=frozenset(kind for kind, verdict in verdicts.items() if verdict == _DIVIDES),
        joining=frozenset(kind for kind, verdict in verdicts.items() if verdict == _JOINS),
        of_signs=signs["hard"] >= _MIN_BOUNDARIES and signs["hard"] > signs["blank"],
    )


def _verdict(kind: str, pairs: Iterable[tuple[str, str]], known: LabelColumn) -> str | None:
    strong = [pair for pair in pairs if all(map(_is_word, pair))]
    if len(strong) < _MIN_BOUNDARIES:
        return None
    proven = sum(known.apart(*pair) if kind == "blank" else all(map(known.knows, pair)) for pair in strong)
    named = sum(left + right in known.fragments for left, right in strong)
    least = _MIN_PROVEN if kind == "blank" else _MIN_PROVEN_SLASHES
    if proven >= least * len(strong) and proven >= 2 * named:
        return _DIVIDES
    return _JOINS if named > proven else None


def without_link(value: str) -> str:
    return _LINK.sub("", _LINK.sub("", value))


def divide(value: str, column: LabelColumn = NO_LABEL_COLUMN, levels: bool = False, prose: bool = False) -> str:
    """Return a value with `、` as its only separator, `……` where it is cut off, and `UNSURE` in place of ambiguous separators.

    Args:
        levels: whether slashes separate levels, as in 内科/呼吸内科, and are kept.
        prose: whether the value may be prose, where a blank alone proves nothing.
    """
    if not _SIGN.search(value) and not _LITERAL.match(value):
        return value
    text = _without_quotes(value.replace(UNSURE, " ").strip())
    names, kinds, raw = _read(text)
    by_signs = column.of_signs or "hard" in kinds
    parts = raw[:1]
    for at, kind in enumerate(kinds):
        left, right, sign = names[at], names[at + 1], raw[2 * at + 1]
        is_apart = _SLASH_APART.fullmatch(sign) is not None
        if kind == "hard" and "blank" in column.dividing and "、" in sign and len(left) == 1 and _HAN.match(left):
            made = UNSURE  # 肝、胆、脾CT is one test in a list separated by blanks
        elif kind == "hard" or (kind in _BETWEEN and (levels or (prose and not is_apart))):
            made = "\n" if sign.strip(" ") in ("\n", "\r", "\r\n") else _hard(sign) if kind == "hard" else sign
        elif kind == "cut":
            made = "……" + _behind_cut(left, right, sign, column)
        elif kind == "blank":
            before_sign = at + 1 < len(kinds) and kinds[at + 1] == "hard"
            made = _of_blank(left, right, column, by_signs, prose, before_sign)
        else:
            run = kinds[max(at - 1, 0) : at + 2].count(kind)
            made = _of_slash(kind, left, right, column, run, is_apart)
            made = sign.strip() if made == _JOINS else made
        parts += [made, raw[2 * at + 2]]
    return "".join(parts)


def _hard(sign: str) -> str:
    bare = sign.strip().replace(",", "，")  # two digits next to a half-width comma would look like one number
    return bare[0] if bare and bare[0] in "，；;。" else _DIVIDES


def _behind_cut(left: str, right: str, sign: str, column: LabelColumn) -> str:
    if not right:
        return ""
    whole = (_DIVIDER.search(sign) and left) or column.knows(right)
    return _DIVIDES if whole else _DIVIDES + UNSURE


def _of_blank(left: str, right: str, column: LabelColumn, by_signs: bool, prose: bool, before_sign: bool) -> str:
    if not left or not right or _OPEN_END.search(left) or _OPEN_START.search(right) or not all(map(_NAME_CHARACTER.search, (left, right))):
        return _JOINS
    if _NUMBER.fullmatch(left) or _DOSE.match(right):
        return " "
    if _NUMBER.match(right):
        return _DIVIDES
    words, known, apart = _is_word(left) and _is_word(right), left + right in column.fragments, column.apart(left, right)
    if "blank" in column.dividing and apart:
        return _DIVIDES
    if known and not apart:
        return " "
    if words:
        if apart and not known:
            return _DIVIDES
        if "blank" in column.dividing:
            return _DIVIDES
        unknown = not prose and "blank" not in column.joining and not by_signs
        return _DIVIDES if unknown and not _MODIFIER.search(left) else UNSURE
    if "blank" in column.dividing and (
        (_is_word(left) and ((before_sign and len(right) == 1) or right in column.begins & column.ends))
        or (_is_word(right) and left in column.begins & column.ends)
    ):
        return _DIVIDES  # 超声检查 肝、胆 and 心电图 MRI
    alone = (not _is_word(left) and left in column.ends) or (not _is_word(right) and right in column.begins)
    if alone or apart:
        return UNSURE
    latin = not _HAN.search(left[-1:] + right[:1])
    if latin and _BELONGS_TO_WORD_BEFORE.match(right) and re.match("[A-Za-z]", left):
        return " "
    return " " if by_signs and "blank" not in column.dividing else UNSURE


def _of_slash(kind: str, left: str, right: str, column: LabelColumn, run: int, is_apart: bool) -> str:
    if not left or not right or not all(map(_NAME_CHARACTER.search, (left, right))):
        return _JOINS
    known = column.knows(left), column.knows(right)
    is_ratio = kind == "slash" and _RATIO.search(right) is not None and not known[1]
    if is_apart and min(map(len, (left, right))) > 1 and _HAN.search(left + right) and not is_ratio:
        is_list = run > 1 or kind in column.dividing
        return _DIVIDES if all(known) or (is_list and not _MODIFIER.search(left)) else UNSURE
    if all(known):
        return _DIVIDES if kind in column.dividing or run > 1 else UNSURE
    if is_ratio:
        return _JOINS
    if any(known):
        return UNSURE
    if not (_is_word(left) and _is_word(right)) or (left[-1:] + right[:1]).isascii():
        return _JOINS
    if kind == "plus" and run == 1 and kind not in column.dividing:
        return _JOINS  # 痰培养+药敏试验 is one test
    return _DIVIDES if kind in column.dividing else UNSURE


def _is_word(fragment: str) -> bool:
    """Return whether a fragment can stand alone as a name; MRI, 125, B超 and 的 cannot."""
    return len(_HAN.findall(fragment)) > 1


def _without_quotes(text: str) -> str:
    """Return the elements of a list such as ['甲', '乙'], one per line; if it is truncated, add an ellipsis."""
    if not (opened := _LITERAL.match(text)):
        bare = text.strip()
        inner = bare[1:-1]
        plain = bare[:1] == "[" and bare[-1:] == "]" and re.search("[,，、;；]", inner) and not re.search(r"[\[\]]", inner)
        return inner if plain else text
    parts, end = [], opened.end()
    while match := _QUOTED.match(text, end):
        groups = match.groups()
        body = next(part for part in groups[0:8:2] if part is not None)
        closed = any(groups[1:8:2])
        parts.append((re.sub(r"\\(.)", r"\1", body) if "\\" in body else body) + ("" if closed else "……"))
        end = match.end()
        if not match[9] or not closed:
            break
    rest = text[end:].strip()
    if rest[:1] not in ("", "]", ")", "）", "}"):
        return text
    return "\n".join(part for part in parts if part.strip()) + rest[1:]


def _read(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return the names in a text, the kinds of separators between them, and the text as alternating names and separators."""
    raw = list(_parts(text))
    names = [_NUMBER.sub("", part, count=1) if _NUMBER.match(part) and not _NUMBER.fullmatch(part) else part for part in raw[::2]]
    return names, [_kind(sign) for sign in raw[1::2]], raw


def _parts(text: str) -> Iterator[str]:
    start = end = 0  # of the last run of separators
    depth = 0
    balanced = all(text.count(one) == text.count(other) for one, other in ("（）", "()", "【】", "[]", "《》", "“”"))
    begun = 0
    for sign in _SIGN.finditer(text):
        if sign.lastgroup in ("open", "close"):
            depth += balanced * (1 if sign.lastgroup == "open" else -1)
            continue
        if depth > 0 or (sign[0] == "," and _in_number(text, sign.start())):
            continue
        if sign.start() == end and end > start:
            end = sign.end()
            continue
        if end > start:
            yield text[begun:start]
            yield text[start:end]
            begun = end
        start, end = sign.span()
    if end > start:
        yield text[begun:start]
        yield text[start:end]
        begun = end
    yield text[begun:]


def _in_number(text: str, at: int) -> bool:
    """Return whether a comma is part of a number or name, as in 1,000 and 2,3-二巯基丙醇; B12,13C is two names."""
    before, behind = text[max(at - 4, 0) : at], text[at + 1 : at + 5]
    return re.search(r"(?<![A-Za-z\d])\d{1,3}$", before) is not None and re.match(r"\d{3}(?!\d)|\d{1,2}[-,]", behind) is not None


def _kind(run: str) -> str:
    kinds = {sign.lastgroup for sign in _SIGN.finditer(run)} | ({"plus"} if _PLUS.search(run) else set())
    return next(kind for kind in ("cut", "hard", *_BETWEEN, "blank") if kind in kinds)


Columns = Mapping[str, LabelColumn]
"""How the values of each label are separated in a source."""
NO_COLUMNS: Columns = MappingProxyType({})


def columns_of(items: Iterable[EntityItem]) -> Columns:
    """Return how the values of each label in a source are separated. Their order does not matter."""
    values: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if item.alias_raw:
            values[_key(item, ALIASES)].append(item.alias_raw)
        for value in item.values:
            values[_key(item, value.label)].append(without_link(value.value))
    return {key: column for key, texts in values.items() if (column := column_of(texts)) != NO_LABEL_COLUMN}


def column_for(item: EntityItem, label: str, columns: Columns) -> LabelColumn:
    return columns.get(_key(item, label), NO_LABEL_COLUMN)


def _key(item: EntityItem, label: str) -> str:
    return f"{item.entity_type or 'disease'}\t{label}"
