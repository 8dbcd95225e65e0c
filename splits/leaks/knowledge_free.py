"""Test whether the wording of a fourfold set gives away the answers: models without medical knowledge are trained on train and tested on
test.

Each model gets the prompts of a language model. By chance, half of the sentences are judged correctly and, by a model that never
contradicts itself, all four sentences for a quarter of the facts. The wording of a type leaks answers if a model exceeds the bounds
significantly.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import exp, lgamma, log
from typing import Any, NamedTuple

from atomexam.records.claim import Fourfold
from atomexam.text.canonical import canonical

MAX_SENTENCES, MAX_FACTS = 0.55, 0.30
"""Maximum shares of sentences, and of facts with all four sentences, that a model without knowledge may judge correctly."""
_ALPHA = 0.05
"""Probability of a false alarm in a set without a leak, over all models and types together."""
_DENIED = re.compile("不|无(?!力)|异常|忌")
Judge = Callable[[str, str, bool, str], bool]
"""Head, tail, whether the sentence is a denial, sentence -> whether the model judges it true."""


class Line(NamedTuple):
    """The result of one model for one type."""

    model: str
    atomic_type: str
    rows: int
    sentences: float
    """Share of sentences judged correctly."""
    facts: float
    """Share of rows with all four sentences judged correctly."""
    p_value: float
    """Probability of a result at least this good at the bounds; the smaller of the two probabilities."""


def lines_of(train: Sequence[Fourfold], test: Sequence[Fourfold]) -> list[Line]:
    """Return the result of each model for each type in test."""
    by_type: dict[str, list[Fourfold]] = defaultdict(list)
    for row in test:
        by_type[row.atomic_type].append(row)
    learned: dict[str, list[Fourfold]] = defaultdict(list)
    for row in train:
        learned[row.atomic_type].append(row)
    return [_line(name, kind, rows, learn(learned[kind])) for kind, rows in sorted(by_type.items()) for name, learn in MODELS.items()]


def open_to_wording(lines: Sequence[Line]) -> list[Line]:
    """Return the results that exceed a bound significantly."""
    return [line for line in lines if line.p_value * len(lines) < _ALPHA]


def without_knowledge(lines: Sequence[Line]) -> dict[str, Any]:
    """Return the best model without knowledge for each type, and each model's result over all types."""
    best: dict[str, Line] = {}
    for line in lines:
        if line.sentences > best.get(line.atomic_type, line._replace(sentences=-1.0)).sentences:
            best[line.atomic_type] = line
    total = sum(line.rows for line in best.values())
    return {
        "by_model": {
            name: {
                "sentences": round(sum(line.sentences * line.rows for line in lines if line.model == name) / total, 4),
                "facts": round(sum(line.facts * line.rows for line in lines if line.model == name) / total, 4),
            }
            for name in MODELS
        },
        "best_by_type": {
            kind: {"model": line.model, "rows": line.rows, "sentences": round(line.sentences, 4), "facts": round(line.facts, 4)}
            for kind, line in best.items()
        },
    } if total else {}  # fmt: skip


def _line(name: str, kind: str, rows: Sequence[Fourfold], judge: Judge) -> Line:
    right = [[judge(head, tail, denies, said) is truth for head, tail, denies, said, truth in _sentences(row)] for row in rows]
    sentences, facts = sum(map(sum, right)), sum(map(all, right))
    # The verdicts on the two sentences of a tail depend on each other, so a row counts as two independent trials.
    p_value = min(at_least(round(sentences / 2), 2 * len(rows), MAX_SENTENCES), at_least(facts, len(rows), MAX_FACTS))
    return Line(name, kind, len(rows), sentences / (4 * len(rows)), facts / len(rows), p_value)


def _sentences(row: Fourfold) -> list[tuple[str, str, bool, str, bool]]:
    """Return head, tail, whether the sentence is a denial, the sentence, and whether it is true, for each of the four sentences."""
    return [
        (row.head, row.tail, False, row.true_affirmed, True),
        (row.head, row.tail, True, row.true_denied, False),
        (row.false_head, row.false_tail, False, row.false_affirmed, False),
        (row.false_head, row.false_tail, True, row.false_denied, True),
    ]


def at_least(successes: int, trials: int, chance: float) -> float:
    """Return the probability of at least this many successes, computed in logarithms: the binomial coefficients of large sets overflow."""
    ways = (lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) + k * log(chance) + (trials - k) * log(1 - chance)
            for k in range(successes, trials + 1))  # fmt: skip
    return min(sum(map(exp, ways)), 1.0)


def _negation(_: Sequence[Fourfold]) -> Judge:
    return lambda head, tail, denies, sentence: not _DENIED.search(sentence.replace(head, "").replace(tail, ""))


def _overlap(_: Sequence[Fourfold]) -> Judge:
    """Judge a tail true of a head if they share a character."""
    return lambda head, tail, denies, sentence: denies is set(canonical(head)).isdisjoint(canonical(tail))


def _counted(parts: Callable[[str, str, str], Iterable[str]], whole: bool) -> Callable[[Sequence[Fourfold]], Judge]:
    """Return a naive Bayes model over parts of whole sentences, or over parts of head and tail with denial taken into account."""

    def learn(rows: Sequence[Fourfold]) -> Judge:
        seen: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for row in rows:
            for head, tail, denies, sentence, truth in _sentences(row):
                if whole or not denies:
                    seen[truth].update(set(parts(head, tail, sentence)))

        def judge(head: str, tail: str, denies: bool, sentence: str) -> bool:
            score = sum(log((seen[True][part] + 1) / (seen[False][part] + 1)) for part in sorted(set(parts(head, tail, sentence))))
            return (score > 0) is not (denies and not whole)

        return judge

    return learn


def _ngrams(text: str, longest: int) -> Iterable[str]:
    return (text[at : at + size] for size in range(1, longest + 1) for at in range(len(text) - size + 1))


def _names(head: str, tail: str, _: str) -> Iterable[str]:
    return [*_ngrams(canonical(tail), 2), *(f"^{part}" for part in _ngrams(canonical(head), 2))]


MODELS: dict[str, Callable[[Sequence[Fourfold]], Judge]] = {
    "negation": _negation,
    "overlap": _overlap,
    "characters": _counted(lambda head, tail, sentence: sentence, whole=True),
    "ngrams": _counted(lambda head, tail, sentence: _ngrams(sentence, 5), whole=True),
    "tail": _counted(lambda head, tail, sentence: [canonical(tail)], whole=False),
    "tail_ngrams": _counted(lambda head, tail, sentence: _ngrams(canonical(tail), 3), whole=False),
    "head_and_tail": _counted(_names, whole=False),
}
"""Name -> function that trains a judge on the rows of train. The last three handle denials and count how often each tail is true."""
