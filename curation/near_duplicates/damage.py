"""Decide which of two wordings of a question is damaged (cut off, or misread by a scanner), using the complete collection as evidence.

Damage is a character bigram that occurs almost nowhere else (协凋) where the duplicate has a frequent one (协调), or a text that ends
inside a word (各民族共同繁). Only duplicates are judged: an uncommon word that no duplicate contradicts is just uncommon.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from curation.near_duplicates.merging import QuestionRows
from curation.near_duplicates.same_question import matched_options
from curation.near_duplicates.wording import differing, is_word, splits_word, vocabulary

_TIMES_RARER = 4  # at this ratio a bigram is damage, not just another word; derived from 80 merged pairs
_TIMES_RARER_IDLE = 100  # the ratio for idle characters, which are often omitted: 列哪些 for 下列哪些
_MIN_LOST_CHARS = 4
_MAX_SLIP_CHARS = 2  # a longer difference is another or an additional word
_EDGE = "\n"  # put before and after each part
_CODE_BITS = 21
_BATCH_CHARS = 1 << 20
_TABLE_BITS = 20
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class _DifferingSpan(NamedTuple):
    """A point where the texts of two duplicates differ."""

    position: int
    other: int
    pairs: list[str]
    """Character bigrams of the first text that overlap the span."""
    other_pairs: list[str]
    times: int
    """Factor by which a bigram must be rarer to count as damaged."""
    words: int
    """1 if a character forms no word but its counterpart does; -1 in the opposite case."""


def soundest_first(questions: Sequence[QuestionRows], twins: Mapping[tuple[int, int], object], ngram_chars: int) -> Sequence[int]:
    """Return the indexes of questions, given from best to worst, reordered so that the less damaged of two duplicates comes first.

    Having an answer or an explanation still takes priority.
    """
    damage = Counter[int]()  # relative to the duplicates, so that many of them do not add to a question's damage
    spans: list[_DifferingSpan] = []
    for position, other in sorted(twins):
        for text, other_text in _parts(questions[position], questions[other], ngram_chars):
            worse = _is_cut(text, other_text) - _is_cut(other_text, text)
            damage[position] += worse
            damage[other] -= worse
            spans.extend(_spans(position, other, text, other_text))
    wanted = sorted({pair for span in spans for pair in (*span.pairs, *span.other_pairs)})
    counts = _occurrences(wanted, questions)
    for span in spans:
        own_count, other_count = (max(counts[pair] for pair in pairs) for pairs in (span.pairs, span.other_pairs))
        worse = (span.times * own_count <= other_count) - (span.times * other_count <= own_count) or span.words
        damage[span.position] += worse
        damage[span.other] -= worse
    if not any(damage.values()):
        return range(len(questions))  # already in this order
    missing = np.fromiter((2 * one.missing[0] + one.missing[1] for one in questions), np.uint8, len(questions))
    damaged = np.fromiter((damage[position] for position in range(len(questions))), np.int64, len(questions))
    return array("q", np.lexsort((damaged, missing)).astype(np.int64).tobytes())


def _parts(one: QuestionRows, other: QuestionRows, ngram_chars: int) -> Iterator[tuple[str, str]]:
    """Yield the pairs of differing parts of two duplicates."""
    a, b = one.compared, other.compared
    sides = [(a.stem, b.stem), (a.case or "", b.case or ""), *matched_options(a, b, ngram_chars)]
    return ((text, other_text) for text, other_text in sides if text != other_text)


def _is_cut(text: str, other: str) -> bool:
    """Return whether a text is the beginning of another that continues well beyond it, or ends inside a word."""
    if not text or not other.startswith(text):
        return False
    return len(set(other[len(text) :]) - vocabulary().idle_characters) >= _MIN_LOST_CHARS or splits_word(other, len(text))


def _spans(position: int, other: int, text: str, other_text: str) -> Iterator[_DifferingSpan]:
    idle = vocabulary().idle_characters
    for _, i1, i2, j1, j2 in differing(text, other_text):
        if max(i2 - i1, j2 - j1) <= _MAX_SLIP_CHARS:
            times = _TIMES_RARER if set(text[i1:i2] + other_text[j1:j2]) - idle else _TIMES_RARER_IDLE
            words = is_word(other_text, j1) - is_word(text, i1) if i2 - i1 == j2 - j1 == 1 else 0
            yield _DifferingSpan(position, other, _touched(text, i1, i2), _touched(other_text, j1, j2), times, words)


def _touched(text: str, start: int, end: int) -> list[str]:
    """Return the bigrams that overlap a span; those at an edge of the text are weak evidence and count only if there are no others."""
    text = _EDGE + text + _EDGE
    pairs = [text[i : i + 2] for i in range(start, end + 1)]
    return [pair for pair in pairs if _EDGE not in pair] or pairs


def _occurrences(wanted: Sequence[str], questions: Iterable[QuestionRows]) -> dict[str, int]:
    """Return how often bigrams occur in texts and cases. A table of bits quickly excludes most other bigrams."""
    if not wanted:
        return {}
    codes = _pair_codes("".join(wanted))[::2]
    order = np.argsort(codes)
    codes = codes[order]
    table = np.zeros(1 << _TABLE_BITS, dtype=bool)
    table[_slots(codes)] = True
    counts = np.zeros(len(codes), dtype=np.int64)
    for batch in _batches(_texts(questions)):
        pairs = _pair_codes(batch)
        pairs = pairs[table[_slots(pairs)]]
        at = np.searchsorted(codes, pairs).clip(max=len(codes) - 1)
        counts += np.bincount(at[codes[at] == pairs], minlength=len(codes))
    return {wanted[position]: count for position, count in zip(order.tolist(), counts.tolist(), strict=True)}


def _texts(questions: Iterable[QuestionRows]) -> Iterator[str]:
    """Yield each question text, and each distinct case once."""
    cases: set[str] = set()
    for one in questions:
        yield one.compared.text
        if one.compared.case and one.compared.case not in cases:
            cases.add(one.compared.case)
            yield one.compared.case


def _batches(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts joined by an edge character, in batches of about `_BATCH_CHARS` characters."""
    gathered: list[str] = []
    chars = 0
    for text in texts:
        gathered.append(text)
        chars += len(text) + 1
        if chars >= _BATCH_CHARS:
            yield _EDGE + _EDGE.join(gathered) + _EDGE
            gathered, chars = [], 0
    yield _EDGE + _EDGE.join(gathered) + _EDGE


def _pair_codes(text: str) -> np.ndarray:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    return (codes[:-1] << np.uint64(_CODE_BITS)) | codes[1:]


def _slots(pairs: np.ndarray) -> np.ndarray:
    return ((pairs * _FACTOR) >> np.uint64(64 - _TABLE_BITS)).astype(np.int64)
