"""Detect content that must not be learned: questions and claims in test and reserved, related items, and texts that contain them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from atomexam.text.canonical import canonical
from atomexam.text.ngram_index import NgramIndex
from atomexam.text.ngrams import least_shared, ngrams
from eval.tasks.contract import read_split
from eval.tasks.request import related_ids_of

_HELD_OUT_SPLITS = ("test", "reserved")
_KEY_CHARS = 4
_NAME_CHARS = 2
_MIN_STEM_CHARS = 8  # a shorter question without options may occur in any text
_GRAM_CHARS = 3
_MIN_SHARE = 0.7  # share of its n-grams that an edited question or case still has
_MIN_GRAMS = 16  # fewer occur together by chance
_SENTENCE_ENDS = re.compile("[。！？!?；;\\n]")


class HeldOut:
    """Ids and texts of the held-back splits."""

    def __init__(self, splits: Path) -> None:
        self._ids: set[str] = set()
        self._texts: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        self._right_answers: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        self._facts: dict[str, set[tuple[str, str]]] = defaultdict(set)
        grams: set[frozenset[str]] = set()
        for name in _HELD_OUT_SPLITS:
            questions, claims = read_split(splits / name)
            for question in questions:
                self._ids |= related_ids_of(question)
                options = tuple(canonical(option.text) for option in question.options)
                stem = canonical(question.stem)
                if options or len(stem) >= _MIN_STEM_CHARS:
                    self._add(self._texts, stem, options)
                if options and len(stem) >= _MIN_STEM_CHARS:
                    right = tuple(canonical(option.text) for option in question.options if option.letter in (question.answer or ""))
                    self._add(self._right_answers, stem, right or options)
                case = canonical(question.shared_stem or "")
                grams |= {_grams(case), _grams(stem).union(*map(_grams, options))}
            for pair in claims:
                self._ids |= {pair.id, pair.head}
                for side in (pair.factual, pair.non_factual):
                    self._add(self._texts, canonical(side), ())
                head, tail = canonical(pair.head), canonical(pair.tail)
                self._facts[head[:_NAME_CHARS]].add((head, tail))

        self._grams = sorted((one for one in grams if len(one) >= _MIN_GRAMS), key=sorted)
        self._index = NgramIndex(self._grams, _MIN_SHARE)

    def _add(self, texts: dict[str, list[tuple[str, tuple[str, ...]]]], text: str, options: tuple[str, ...]) -> None:
        if text:
            texts[text[:_KEY_CHARS]].append((text, options))

    def related(self, ids: Iterable[str]) -> set[str]:
        """Return which of an item's ids (its own, that of its cluster, that of its group) are held back."""
        return self._ids.intersection(ids)

    def is_contained_in(self, text: str) -> bool:
        """Return whether a text contains a held-back question with all its options, or a held-back claim."""
        return _contained(self._texts, canonical(text))

    def overlaps(self, text: str) -> bool:
        """Return whether a user's text contains held-back content, even if it was edited or reworded, or is a question with only its
        correct answer.

        It does if it has most n-grams of a question with its options or of a case, or if it has a sentence with the head and tail of a
        claim.
        """
        normalized = canonical(text)
        grams = ngrams(normalized, _GRAM_CHARS)
        return (
            _contained(self._texts, normalized)
            or _contained(self._right_answers, normalized)
            or any(
                len(self._grams[index] & grams) >= least_shared(len(self._grams[index]), _MIN_SHARE)
                for index in self._index.candidates(grams)
            )
            or any(map(self.mentions_fact_in, _SENTENCE_ENDS.split(text)))
        )

    def mentions_fact_in(self, text: str) -> bool:
        """Return whether a text mentions both head and tail of a held-back claim, since it may state the fact in other words."""
        normalized = canonical(text)
        keys = _substrings(normalized, _NAME_CHARS) & self._facts.keys()
        return any(head in normalized and tail in normalized for key in keys for head, tail in self._facts[key])


def _contained(texts: Mapping[str, Sequence[tuple[str, tuple[str, ...]]]], normalized: str) -> bool:
    keys = _substrings(normalized, _KEY_CHARS) & texts.keys()
    return any(stem in normalized and all(option in normalized for option in options) for key in keys for stem, options in texts[key])


def _grams(normalized: str) -> frozenset[str]:
    return ngrams(normalized, _GRAM_CHARS)


def _substrings(text: str, most: int) -> set[str]:
    """Return all substrings of 1 to `most` characters; short ones are included, since a held-back text may be shorter than a key."""
    return {text[start : start + size] for size in range(1, most + 1) for start in range(len(text))}
