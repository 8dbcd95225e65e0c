"""What may not be learned: the questions and claims of test and reserved, their kin, and texts that hold them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from atomexam.records.question import Question
from atomexam.text.canonical import canonical
from atomexam.text.ngram_index import NgramIndex
from atomexam.text.ngrams import least_shared, ngrams
from eval.tasks.contract import read_split
from eval.tasks.request import kin_of

_HELD = ("test", "reserved")
_KEY_CHARS = 4
_NAME_CHARS = 2
_TELLING_CHARS = 8  # a shorter question in words may stand in any text
_GRAM_CHARS = 3
_ALIKE = 0.7  # share of the n-grams of a question or case; an edited one keeps so many
_LEAST_GRAMS = 16  # fewer stand together by chance
_SENTENCE_ENDS = re.compile("[。！？!?；;\\n]")


class Held:
    """The held splits, for looking up ids and texts."""

    def __init__(self, splits: Path) -> None:
        self._kin: set[str] = set()
        self._texts: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        self._loosely: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        self._facts: dict[str, set[tuple[str, str]]] = defaultdict(set)
        grams: set[frozenset[str]] = set()
        for name in _HELD:
            questions, claims = read_split(splits / name)
            for question in questions:
                self._kin |= kin_of(question)
                options = tuple(canonical(option.text) for option in question.options)
                stem = canonical(question.stem)
                if options or len(stem) >= _TELLING_CHARS:
                    self._add(self._texts, stem, options)
                if options and len(stem) >= _TELLING_CHARS:
                    self._add(self._loosely, stem, _right(question) or options)
                case = canonical(question.shared_stem or "")
                grams |= {_grams(case), _grams(stem).union(*map(_grams, options))}
            for pair in claims:
                self._kin |= {pair.id, pair.head}
                for side in (pair.factual, pair.non_factual):
                    self._add(self._texts, canonical(side), ())
                head, tail = canonical(pair.head), canonical(pair.tail)
                self._facts[head[:_NAME_CHARS]].add((head, tail))

        self._grams = sorted((some for some in grams if len(some) >= _LEAST_GRAMS), key=sorted)
        self._index = NgramIndex(self._grams, _ALIKE)

    def _add(self, texts: dict[str, list[tuple[str, tuple[str, ...]]]], words: str, others: tuple[str, ...]) -> None:
        if words:
            texts[words[:_KEY_CHARS]].append((words, others))

    def kin(self, known_as: Iterable[str]) -> set[str]:
        """Return under which ids an item is kin to what is held."""
        return self._kin.intersection(known_as)

    def stands_in(self, text: str) -> bool:
        """Tell whether a text asks a held question, with all its options, or says a held claim."""
        return _stand_in(self._texts, canonical(text))

    def is_kin_to(self, text: str) -> bool:
        """Tell whether a text of people's own holds what is held, also with the right answer alone, edited, or in other words.

        That is most of a question and its options or of its case, or a sentence that names head and tail of a claim.
        """
        said = canonical(text)
        grams = ngrams(said, _GRAM_CHARS)
        return (
            _stand_in(self._texts, said)
            or _stand_in(self._loosely, said)
            or any(
                len(self._grams[place] & grams) >= least_shared(len(self._grams[place]), _ALIKE) for place in self._index.candidates(grams)
            )
            or any(map(self.is_told_in, _SENTENCE_ENDS.split(text)))
        )

    def is_told_in(self, text: str) -> bool:
        """Tell whether a text names head and tail of a held claim: it may state the fact in words of its own."""
        said = canonical(text)
        keys = _starts(said, _NAME_CHARS) & self._facts.keys()
        return any(head in said and tail in said for key in keys for head, tail in self._facts[key])


def _stand_in(texts: Mapping[str, Sequence[tuple[str, tuple[str, ...]]]], said: str) -> bool:
    keys = _starts(said, _KEY_CHARS) & texts.keys()
    return any(words in said and all(other in said for other in others) for key in keys for words, others in texts[key])


def _right(question: Question) -> tuple[str, ...]:
    return tuple(canonical(option.text) for option in question.options if option.letter in (question.answer or ""))


def _grams(said: str) -> frozenset[str]:
    return ngrams(said, _GRAM_CHARS)


def _starts(text: str, most: int) -> set[str]:
    """Return all that a text has in a row, of one character up to so many: what is held may be shorter than its key."""
    return {text[place : place + size] for size in range(1, most + 1) for place in range(len(text))}
