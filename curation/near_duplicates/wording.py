"""Decide whether a difference in wording changes the question (a number, a denial, an opposite, another name) or is a slip of the pen."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import Any, NamedTuple

from atomexam.text.numerals import NUMERAL, NUMERALS, to_digits
from curation.text.words import cutter
from curation.vocab.reader import read_vocabulary


class Vocabulary(NamedTuple):
    """The contents of vocab/wording.yaml, prepared for use."""

    denial: re.Pattern[str]
    figure: re.Pattern[str]
    denials: dict[str, str]
    degree: re.Pattern[str]
    degrees: frozenset[str]
    opposites: list[tuple[str, str]]
    rivals: list[frozenset[str]]
    times: dict[str, str]
    units: frozenset[str]
    markers: frozenset[str]
    variants: dict[int, str]
    variant_words: dict[str, str]
    idle_characters: frozenset[str]
    without_idle: dict[int, None]
    """Translation table that drops the idle characters."""
    name_ends: frozenset[str]
    suffixes: frozenset[str]
    lookalikes: list[frozenset[str]]
    synonym: re.Pattern[str]
    synonyms: dict[str, str]


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary from vocab/wording.yaml."""
    words: dict[str, Any] = read_vocabulary("wording")
    kinds = {word: kind for kind, forms in words["denials"].items() for word in forms}
    synonyms = {word: row[0] for row in words["synonyms"] for word in row}
    times, units = _any(words["times"]), _any([*words["times"], *words["measures"]])
    figure = (  # a numeral is tried whole, from its first character: otherwise a long run of them takes quadratic time
        rf"(?P<misread>(?=[lbo]*\d)[\dlbo]{{2,4}})(?P<unit_misread>{times})"
        rf"|(?P<hundredths>百分之)?(?P<digits>−?\d+(?:[./:]\d+)*[%‰]?)(?P<unit>{times})?"
        rf"|(?:第|百分之)(?P<ordinal>{NUMERAL})(?P<placed>{times})?"
        rf"|(?<!{NUMERAL[:-1]})(?P<numeral>{NUMERAL}+)(?:(?P<counted>{times})|(?={units})|(?=[至到]{NUMERAL}(?:{units})))"
        rf"|半(?P<half>{times})|(?P<letters>[a-zα-ω]+)"
    )
    return Vocabulary(
        denial=re.compile(_any([*kinds, *words["idle_denials"]])),
        figure=re.compile(figure),
        denials=kinds,
        degree=re.compile(_any([*words["degrees"], *words["idle_degrees"]])),
        degrees=frozenset(words["degrees"]),
        opposites=[(one[0], one[1]) for one in words["opposites"]],
        rivals=[frozenset(row) for row in words["rivals"]],
        times=words["times"],
        units=frozenset(words["times"].values()),
        markers=frozenset(words["markers"]),
        variant_words=words["variant_words"],
        variants={ord(other): row[0] for row in words["variants"] for other in row[1:]},
        idle_characters=frozenset(words["idle_characters"]),
        without_idle=dict.fromkeys(map(ord, words["idle_characters"])),
        name_ends=frozenset(words["name_ends"]),
        suffixes=frozenset(words["suffixes"]),
        lookalikes=[frozenset(row) for row in words["lookalikes"]],
        synonym=re.compile(_any(synonyms)),
        synonyms=synonyms,
    )


def _any(words: Iterable[str]) -> str:
    """Return a pattern that matches any of the alternatives, longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


LONG_CHARS = 1_000
"""Maximum length for the matcher, which looks up each character of one text in the other, and does so again between matches."""

Span = tuple[str, int, int, int, int]
"""Operation (replace, delete, insert), start and end in the first text, start and end in the second."""


def differing(text: str, other: str) -> list[Span]:
    """Return the spans in which a text differs from another.

    The common prefix and suffix of long texts are removed first; if the rest is still long, it is one span.
    """
    start = end = 0
    if max(len(text), len(other)) > LONG_CHARS:
        start = _shared(text, other)
        end = _shared(text[start:][::-1], other[start:][::-1])
    first, second = text[start : len(text) - end], other[start : len(other) - end]
    if max(len(first), len(second)) > LONG_CHARS:
        kind = "replace" if first and second else "delete" if first else "insert"
        return [(kind, start, start + len(first), start, start + len(second))]
    spans = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    return [(kind, start + i1, start + i2, start + j1, start + j2) for kind, i1, i2, j1, j2 in spans if kind != "equal"]


def _shared(text: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    return next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))


_MISREAD = str.maketrans("lbo", "180")  # l90B年 for 1908年 in a scan


class WordingDifference(NamedTuple):
    """How the wordings of two texts differ."""

    replaced: bool
    """Some words are replaced."""
    added: bool
    """Some words are in only one text."""
    opposed: bool
    """A word is replaced by its opposite, or a marker such as 负 is in only one text."""


@lru_cache(maxsize=1 << 12)
def figures(text: str) -> tuple[str, ...]:
    """Return the numbers of a text with their units of time, and its Latin or Greek words, in order.

    Numerals count as numbers where they denote one: 两周 equals 2周, but 一般 and 一种 contain no number.
    """
    text = text.replace("^", "")  # in texts that lost superscripts, 10⁹ is 109
    return tuple(read for match in vocabulary().figure.finditer(text) if (read := _read(match)))


def in_digits(text: str) -> str:
    """Return a text with numerals written as digits where they denote numbers: 第一天 becomes 第1天."""
    if NUMERALS.isdisjoint(text):
        return text
    return vocabulary().figure.sub(lambda match: "第" * match[0].startswith("第") + (_read(match) or match[0]), text)


def _read(match: re.Match[str]) -> str | None:
    """Return a matched numeral in digits; None if it is an article, as in 一个 and 一种."""
    times = vocabulary().times
    if match["misread"]:
        return match["misread"].translate(_MISREAD) + times[match["unit_misread"]]
    if match["letters"]:
        return match["letters"]
    if match["half"]:
        return "0.5" + times[match["half"]]
    if match["digits"]:
        return match["digits"] + times.get(match["unit"], "%" if match["hundredths"] else "")
    if match["ordinal"]:
        return to_digits(match["ordinal"]) + times.get(match["placed"], "%" if match[0].startswith("百分之") else "")
    if match["counted"] or match["numeral"] != "一":
        return to_digits(match["numeral"]) + times.get(match["counted"], "")
    return None


def same_figures(text: str, other: str) -> bool:
    """Return whether two texts have the same numbers in the same order; a lost unit is allowed: 60代 for 60年代, 29° for 29%."""
    rest, other_rest = _unlike(text, other)
    if not rest and not other_rest:
        return figures(text) == figures(other)  # 甲组10人乙组20人 is not 甲组20人乙组10人
    bare, other_bare = ([_without_unit(one) for one in some] for some in (rest, other_rest))
    return bare == other_bare and all(a in (x, y) for a, x, y in zip(bare, rest, other_rest, strict=True))


def _without_unit(figure: str) -> str:
    return "".join(c for c in figure if c != "%" and c not in vocabulary().units)


def stray_letter(text: str, other: str) -> bool:
    """Return whether the numbers of two texts differ only by one letter, which may be a scanning error: 对r一个."""
    rest, other_rest = _unlike(text, other)
    alone = rest + other_rest
    return len(alone) == 1 and alone[0].isalpha() and len(alone[0]) == 1


def _unlike(text: str, other: str) -> tuple[list[str], list[str]]:
    """Return the numbers that are in only one of the two texts."""
    ours, theirs = Counter(figures(text)), Counter(figures(other))
    return sorted((ours - theirs).elements()), sorted((theirs - ours).elements())


def denials(text: str) -> tuple[str, ...]:
    """Return the kinds of negation words in a text, in order; 不正确 and 错误 are of the same kind."""
    words = vocabulary()
    return tuple(words.denials[word] for word in words.denial.findall(text) if word in words.denials)


def degrees(text: str) -> tuple[str, ...]:
    """Return the words of degree in a text, in order: 首选, 特别, 以上."""
    words = vocabulary()
    return tuple(word for word in words.degree.findall(text) if word in words.degrees)


def difference(text: str, other: str) -> WordingDifference:
    """Return how two texts differ; idle characters, such as those in 的 and 包括, make no difference."""
    words = vocabulary()
    first, second = sorted([unify_variants(text), unify_variants(other)])  # the matcher is not symmetric
    replaced = added = opposed = False
    for kind, i1, i2, j1, j2 in differing(first, second):
        removed, added_chars = set(first[i1:i2]), set(second[j1:j2])
        opposed |= any((a in removed and b in added_chars) or (b in removed and a in added_chars) for a, b in words.opposites)
        opposed |= any(removed & rivals and added_chars & rivals and not removed & added_chars & rivals for rivals in words.rivals)
        opposed |= kind != "replace" and not words.markers.isdisjoint(removed | added_chars)
        removed, added_chars = removed - words.idle_characters, added_chars - words.idle_characters
        replaced |= bool(removed and added_chars)
        added |= bool(removed) != bool(added_chars)
    return WordingDifference(replaced, added, opposed)


def unify_variants(text: str) -> str:
    """Return a text with spelling variants unified: 综合症 becomes 综合征."""
    for word, other in vocabulary().variant_words.items():
        text = text.replace(word, other)
    return text.translate(vocabulary().variants)


def without_synonyms(text: str) -> str:
    """Return a text with variants unified and with nouns that are synonyms in stems replaced by a single one."""
    words = vocabulary()
    return words.synonym.sub(lambda match: words.synonyms[match[0]], unify_variants(text))


def without_idle(text: str) -> str:
    """Return a text with variants unified and idle characters removed."""
    return unify_variants(text).translate(vocabulary().without_idle)


_MIN_SLIP_CHARS = 4  # in a shorter text one character matters: 胃炎 and 肝炎
_NOUN = frozenset("njilgsx")  # jieba's classes of nouns, idioms, set phrases, abbreviations, places and unknown words
_VERB = frozenset("va")
_MIN_WORD_CHARS = 2
SHORT_CHARS = 20  # any word changes the meaning of a shorter stem


def is_slip(text: str, other: str) -> bool:
    """Return whether one option contains the other, or two options are equal except for a slip (a changed, lost or moved character).

    Idle characters make no difference.
    """
    if min(len(text), len(other)) < _MIN_SLIP_CHARS:
        return False
    short, long = sorted([without_idle(text), without_idle(other)], key=lambda one: (len(one), one))
    if short in long:
        return 2 * len(short) >= len(long)
    start = _common(short, long)
    end = min(_common(short[::-1], long[::-1]), len(short) - start)
    rest, other_rest = short[start : len(short) - end], long[start : len(long) - end]
    return len(other_rest) <= 1 or (len(other_rest) == 2 and rest == other_rest[::-1])


def changes_words(text: str, other: str, strict: bool = False) -> bool:
    """Return whether a noun, verb or adjective is replaced by another, or only one text contains the name of a disease, medicine or test.

    No list could contain all opposites: 升高 and 下调, 敏感 and 耐药. A changed character is a slip if the two look or sound alike (韦纳
    is 维纳) or, in a long text, if it leaves no word (栓验 is 检验, 信度 is not 效度). In a short text any changed or added word counts;
    with `strict`, a word added to a text of up to twice that length counts, too.
    """
    if text == other:
        return False
    first, second = sorted([without_synonyms(text), without_synonyms(other)])  # the matcher is not symmetric
    chars = min(len(first), len(second))
    short, short_for_more = chars < SHORT_CHARS, chars < SHORT_CHARS * (1 + strict)
    for span in _by_word(first, second):
        kind, i1, i2, j1, j2 = span
        classes, other_classes = _classes(first, i1, i2), _classes(second, j1, j2)
        if "name" in classes or "name" in other_classes:
            return True
        if kind != "replace" and (
            _other_word(first, i1, i2) or _other_word(second, j1, j2) or (short_for_more and classes | other_classes)
        ):
            return True
        if kind == "replace" and _is_swapped(first, second, span, short):
            return True
    return False


def changes_verb(text: str, other: str) -> bool:
    """Return whether a verb or adjective is replaced by another, as in options with 水平明显提高 and 水平明显下调.

    If only one character differs, an option is more likely misread than different; opposites are in vocab/wording.yaml.
    """
    first, second = sorted([without_synonyms(text), without_synonyms(other)])
    for kind, i1, i2, j1, j2 in _by_word(first, second):
        if kind == "replace" and min(i2 - i1, j2 - j1) >= _MIN_WORD_CHARS:
            classes, other_classes = _classes(first, i1, i2), _classes(second, j1, j2)
            if classes - {"other"} and other_classes - {"other"} and "verb" in classes | other_classes:
                return True
    return False


def _is_swapped(text: str, other: str, span: Span, short: bool) -> bool:
    """Return whether a replacement is another noun or verb rather than a slip; in a short text, any other word counts."""
    _, i1, i2, j1, j2 = span
    classes, other_classes = _classes(text, i1, i2), _classes(other, j1, j2)
    if i2 - i1 == j2 - j1 == 1:
        if classes | other_classes:  # otherwise both characters are idle
            classes, other_classes = _classes(text, i1, i2, within=True), _classes(other, j1, j2, within=True)
        return bool(classes and other_classes) and not _is_slip_of(text, other, i1, j1, short)
    both = (classes & other_classes) | ({"noun"} if "noun" in classes | other_classes and classes and other_classes else set())
    return not both.isdisjoint(("noun", "verb")) or (short and bool(both))


def _by_word(text: str, other: str) -> list[Span]:
    """Return the spans in which two texts differ; merge two spans if they are separated only by a single equal character that belongs to
    different words.

    重吸收水分 and 分泌钾离子 share 分.
    """
    spans: list[Span] = []
    for span in differing(text, other):
        apart = span[1] - spans[-1][2] if spans and min(_length(spans[-1]), _length(span)) >= _MIN_WORD_CHARS else 0
        if apart == 1 and is_word(text, span[1] - 1) and is_word(other, span[3] - 1):
            _, i1, _, j1, _ = spans.pop()
            span = ("replace", i1, span[2], j1, span[4])
        spans.append(span)
    return spans


def _length(span: Span) -> int:
    return max(span[2] - span[1], span[4] - span[3])


def _is_slip_of(text: str, other: str, index: int, other_index: int, short: bool) -> bool:
    """Return whether two characters look or sound alike, one of them is unusual, or only one of them forms a word."""
    if any(text[index] in row and other[other_index] in row for row in vocabulary().lookalikes):
        return True
    if _is_strange(text[index]) != _is_strange(other[other_index]):
        return True
    return not short and is_word(text, index) != is_word(other, other_index)


def _is_strange(character: str) -> bool:
    """Return whether a character is outside the 6,763 of GB 2312, which suffice for almost all exam text: 廇 for 书."""
    try:
        character.encode("gb2312")
    except UnicodeEncodeError:
        return True
    return False


def splits_word(text: str, index: int) -> bool:
    """Return whether an index into a text is inside a dictionary word."""
    return any(first < index < last and word in _tagger().tokenizer.FREQ for word, _, first, last in _words(text))


def is_word(text: str, index: int) -> bool:
    """Return whether a character is part of a dictionary word."""
    word = next(word for word, _, first, last in _words(text) if first <= index < last)
    return len(word) > 1 and word in _tagger().tokenizer.FREQ


def _other_word(text: str, start: int, end: int) -> bool:
    """Return whether a span turns a word into another word: 下 in 下丘脑, 中 in 中学生."""
    return any(
        first <= start < end <= last - _MIN_WORD_CHARS
        and set(text[end:last]) - vocabulary().idle_characters
        and word in _tagger().tokenizer.FREQ
        for word, _, first, last in _words(text)
    )


def _classes(text: str, start: int, end: int, within: bool = False) -> set[str]:
    """Return the classes of the words that overlap a span: name, noun, verb, other; idle characters have none.

    Args:
        within: also count an idle character inside a word that is not idle: 有 in 有效.
    """
    classes = set()
    for word, tag, first, last in _words(text):
        inside = text[max(first, start) : min(last, end)]
        if first < start and inside in vocabulary().suffixes:
            continue
        counts = set(word if within and is_word(text, first) else inside) - vocabulary().idle_characters
        if first < end and last > start and counts and not inside.isascii():  # numbers are compared separately
            if tag[0] in _NOUN:
                classes.add("name" if word[-1] in vocabulary().name_ends and len(word) > 1 else "noun")
            else:
                classes.add("verb" if tag[0] in _VERB else "other")
    return classes


def _common(text: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    return next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))


@lru_cache(maxsize=1 << 10)
def _words(text: str) -> tuple[tuple[str, str, int, int], ...]:
    return tuple(_with_offsets(text))


def _with_offsets(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield each word of a text with its class, start and end."""
    offset = 0
    for word, tag in _tagger().cut(text):
        yield word, tag, offset, offset + len(word)
        offset += len(word)


@cache
def _tagger():  # jieba's own type
    from jieba.posseg import POSTokenizer

    return POSTokenizer(cutter())
