"""Whether a difference in wording changes the question, such as another name, or is a slip of the pen.

All texts are canonical. Word classes are jieba's; the ends of names are in vocab/wording.yaml.
"""

from collections.abc import Iterator
from functools import cache, lru_cache

from curation.near_duplicates.wording import Span, differing, vocabulary, without_idle, without_synonyms
from curation.text.words import cutter

_MIN_SLIP_CHARS = 4  # in a shorter text one character matters: 胃炎 and 肝炎
_NOUN = frozenset("njilgsx")  # jieba's classes of nouns, idioms, set phrases, abbreviations, places and unknown words
_VERB = frozenset("va")
_MIN_WORD_CHARS = 2
SHORT_CHARS = 20  # any word changes the meaning of a shorter stem


def is_slip(text: str, other: str) -> bool:
    """Return whether two options are equal except for a slip: a changed, lost or moved character; or one has additional text before the
    other.

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
    """Return whether a noun, verb or adjective replaces another, or only one text has the name of a disease, medicine or test.

    No list contains all opposites: 升高 and 下调, 敏感 and 耐药. A changed character is a slip if both look or sound alike (韦纳 is 维纳),
    or in a long text if it leaves no word (栓验 is 检验, 信度 is not 效度). In a short text any changed or added word counts; with
    `strict`,
    so does any word added to a text of up to twice that length.
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
    """Return whether a verb or an adjective replaces another, as in options with 水平明显提高 and 水平明显下调.

    If one character differs, an option is more often misread than different; opposites are in vocab/wording.yaml.
    """
    first, second = sorted([without_synonyms(text), without_synonyms(other)])
    for kind, i1, i2, j1, j2 in _by_word(first, second):
        if kind == "replace" and min(i2 - i1, j2 - j1) >= _MIN_WORD_CHARS:
            classes, other_classes = _classes(first, i1, i2), _classes(second, j1, j2)
            if classes - {"other"} and other_classes - {"other"} and "verb" in classes | other_classes:
                return True
    return False


def _is_swapped(text: str, other: str, span: Span, short: bool) -> bool:
    """Return whether a replacement is another noun or verb, not a slip; in a short text, another word."""
    _, i1, i2, j1, j2 = span
    classes, other_classes = _classes(text, i1, i2), _classes(other, j1, j2)
    if i2 - i1 == j2 - j1 == 1:
        if classes | other_classes:  # else both characters are idle
            classes, other_classes = _classes(text, i1, i2, within=True), _classes(other, j1, j2, within=True)
        return bool(classes and other_classes) and not _is_slip_of(text, other, i1, j1, short)
    both = (classes & other_classes) | ({"noun"} if "noun" in classes | other_classes and classes and other_classes else set())
    return not both.isdisjoint(("noun", "verb")) or (short and bool(both))


def _by_word(text: str, other: str) -> list[Span]:
    """Return the spans in which two texts differ; two spans are merged if only a character between them is equal, in other words.

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
    """Return whether two characters look or sound alike, one of them is unusual, or one forms no word while the other does."""
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
    """Return whether an index of a text is inside a word of the dictionary."""
    return any(first < index < last and word in _tagger().tokenizer.FREQ for word, _, first, last in _words(text))


def is_word(text: str, index: int) -> bool:
    """Return whether a character is part of a word of the dictionary."""
    word = next(word for word, _, first, last in _words(text) if first <= index < last)
    return len(word) > 1 and word in _tagger().tokenizer.FREQ


def _other_word(text: str, start: int, end: int) -> bool:
    """Return whether a span changes a word into another word: 下 of 下丘脑, 中 of 中学生."""
    return any(
        first <= start < end <= last - _MIN_WORD_CHARS
        and set(text[end:last]) - vocabulary().idle_characters
        and word in _tagger().tokenizer.FREQ
        for word, _, first, last in _words(text)
    )


def _classes(text: str, start: int, end: int, within: bool = False) -> set[str]:
    """Return the classes of the words that a span touches: name, noun, verb, other; idle characters have none.

    Args:
        within: count an idle character in a word that is not idle: 有 in 有效.
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
