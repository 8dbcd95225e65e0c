"""What may not be learned: the questions and claims of test and reserved, their kin, and texts that hold them."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from atomexam.text.canonical import canonical
from eval.tasks.contract import read_split
from eval.tasks.request import kin_of

_HELD = ("test", "reserved")
_KEY_CHARS = 4
_NAME_CHARS = 2
_TELLING_CHARS = 8  # a shorter question in words may stand in any text


class Held:
    """The held splits, for looking up ids and texts."""

    def __init__(self, splits: Path) -> None:
        self._kin: set[str] = set()
        self._texts: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        self._facts: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for name in _HELD:
            questions, claims = read_split(splits / name)
            for question in questions:
                self._kin |= kin_of(question)
                options = tuple(canonical(option.text) for option in question.options)
                stem = canonical(question.stem)
                if options or len(stem) >= _TELLING_CHARS:
                    self._add(stem, options)
            for pair in claims:
                self._kin |= {pair.id, pair.head}
                for side in (pair.factual, pair.non_factual):
                    self._add(canonical(side), ())
                head, tail = canonical(pair.head), canonical(pair.tail)
                self._facts[head[:_NAME_CHARS]].add((head, tail))

    def _add(self, words: str, others: tuple[str, ...]) -> None:
        if words:
            self._texts[words[:_KEY_CHARS]].append((words, others))

    def kin(self, known_as: Iterable[str]) -> set[str]:
        """Return under which ids an item is kin to what is held."""
        return self._kin.intersection(known_as)

    def stands_in(self, text: str) -> bool:
        """Tell whether a text asks a held question, with all its options, or says a held claim."""
        said = canonical(text)
        keys = _starts(said, _KEY_CHARS) & self._texts.keys()
        return any(words in said and all(other in said for other in others) for key in keys for words, others in self._texts[key])

    def is_told_in(self, text: str) -> bool:
        """Tell whether a text names head and tail of a held claim: it may state the fact in words of its own."""
        said = canonical(text)
        keys = _starts(said, _NAME_CHARS) & self._facts.keys()
        return any(head in said and tail in said for key in keys for head, tail in self._facts[key])


def _starts(text: str, most: int) -> set[str]:
    """Return all that a text has in a row, of one character up to so many: what is held may be shorter than its key."""
    return {text[place : place + size] for size in range(1, most + 1) for place in range(len(text))}
