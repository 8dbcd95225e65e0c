"""Units (questions that must stay together), question summaries, strata for the draw, and the draw order."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, pairwise
from operator import attrgetter
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np
from msgspec import Struct

from atomexam.records.provenance import content_id
from atomexam.records.question import Question
from atomexam.runtime.disjoint_sets import DisjointSets
from atomexam.text.canonical import canonical, canonical_all

EvaluationSplit = Literal["test", "reserved"]
TRAINING_SPLITS = ("train", "dev")
EVALUATION_SPLITS: tuple[EvaluationSplit, EvaluationSplit] = ("test", "reserved")
"""The two evaluation splits, which get equal numbers of questions in each stratum."""
AssignedSplit = Literal["train", "dev", "test", "reserved", "retired"]
ASSIGNED_SPLITS: tuple[AssignedSplit, ...] = get_args(AssignedSplit)
"""retired: was in test or reserved, or is tied to such a record; it is now in no split and is never trained on."""
TCM = "TCM"
T = TypeVar("T")
_DIGITS = 16
"""Hexadecimal digits at the end of an id from which the draw number is computed: 64 bits."""
_IS_ID = re.compile(f"[0-9a-fA-F]{{{_DIGITS}}}\\Z")


class Stratum(NamedTuple):
    """Properties of a question that quotas and shares depend on; among questions in the same stratum, only the draw decides."""

    category: str
    exam: str
    question_type: str
    subject: str
    form: str
    """Empty outside TCM."""


Counts = tuple[tuple[Stratum, int], ...]


class QuestionSummary(Struct, frozen=True, gc=False):
    """The data of a question that the draw needs. Because texts are left out, a million questions fit into memory."""

    id: str
    stratum: Stratum
    answer: str
    group_id: str | None
    cluster_id: str | None
    stem_id: str | None = None
    """Equal for questions with the same case and stem, whatever their options; None if the stem is not a question by itself."""
    stem_options_id: str | None = None
    """Equal for questions with the same stem and options, whatever their case; set if the stem alone reveals nothing."""
    also: tuple[str, ...] = ()
    """Other ids of its near-duplicate cluster, which this question represents."""
    related_id: str | None = None
    """Equal for questions whose texts reveal each other; see `splits/split/leak_free_draw.py`."""


class Unit(Struct, frozen=True, gc=False):
    """Questions that go to the same split: a near-duplicate cluster, a case group, or a single question."""

    key: str
    """Smallest group id or, without a group, smallest question id; the draw number depends on it, so new data must not change it."""
    summaries: list[QuestionSummary]
    counts: Counts
    """Number of questions in each stratum; units with equal counts are interchangeable."""


Pair = tuple[Unit, Unit]
"""A unit for test, and one with equal counts for reserved."""


def is_tcm(stratum: Stratum) -> bool:
    return stratum.exam == TCM or bool(stratum.form)


def of_subject(stratum: Stratum) -> Stratum:
    """Return the stratum shared by all forms of a subject; outside TCM, the stratum itself."""
    return stratum._replace(form="") if stratum.form else stratum


def any_subject(stratum: Stratum) -> Stratum:
    """Return the stratum shared by all subjects of an exam."""
    return stratum._replace(subject="", form="")


def by_subject(total: Mapping[Stratum, int]) -> Counter[Stratum]:
    """Return the numbers, summed over the forms of each subject."""
    counts: Counter[Stratum] = Counter()
    for stratum, number in total.items():
        counts[of_subject(stratum)] += number
    return counts


def join(summaries: Iterable[QuestionSummary]) -> list[Unit]:
    """Return the units, sorted by key: questions that share a group, cluster, stem or wording are joined, transitively.

    Raises:
        ValueError: two questions have one id.
    """
    summaries = sorted(summaries, key=attrgetter("id"))
    _refuse_repeated(summaries)
    tied = DisjointSets()  # most questions have no tie and are not added
    for name in ("stem_id", "stem_options_id", "group_id", "cluster_id", "related_id"):
        first: dict[str, int] = {}
        for at, tie in _repeated([(at, tie) for at, tie in enumerate(map(attrgetter(name), summaries)) if tie]):
            if (other := first.setdefault(tie, at)) != at:
                tied.join(at, other)
    units = [
        Unit(summary.group_id or summary.id, [summary], _alone(summary.stratum)) for at, summary in enumerate(summaries) if at not in tied
    ]
    return sorted([*units, *(unit_of([summaries[at] for at in members]) for members in tied.sets())], key=attrgetter("key"))


def _repeated(ties: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the ties that occur at least twice, plus a few due to hash collisions: comparing numbers is faster than comparing names."""
    _, at, times = np.unique(draw_numbers(0, "ties", [tie for _, tie in ties]), return_inverse=True, return_counts=True)
    return compress(ties, times[at] > 1)


@cache
def _alone(stratum: Stratum) -> Counts:
    return ((stratum, 1),)


def draw_number(seed: int, what: str, key: str) -> int:
    """Return a stable draw number: it depends only on its arguments, so new data does not change it."""
    return int(draw_numbers(seed, what, [key])[0])


def draw_numbers(seed: int, what: str, keys: Sequence[str]) -> np.ndarray:
    """Return the draw numbers of many keys.

    An id ends in digits from a hash of its content; they are mixed with the seed by the finaliser of splitmix64 (Steele, Lea and Flood,
    OOPSLA 2014), because hashing a million ids for each draw takes seconds.
    """
    try:
        digits = bytes.fromhex("".join([key[-_DIGITS:] for key in keys]))
    except ValueError:
        digits = b""
    if len(digits) * 2 != _DIGITS * len(keys):
        digits = b"".join([bytes.fromhex(key[-_DIGITS:]) if _IS_ID.search(key) else _digest(key) for key in keys])
    salt = np.frombuffer(_digest(f"{seed}/{what}"), dtype=">u8").astype(np.uint64)
    numbers: np.ndarray = np.frombuffer(digits, dtype=">u8").astype(np.uint64) + salt
    numbers = (numbers ^ (numbers >> 30)) * 0xBF58476D1CE4E5B9
    numbers = (numbers ^ (numbers >> 27)) * 0x94D049BB133111EB
    return numbers ^ (numbers >> 31)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def in_draw_order(seed: int, what: str, members: Iterable[T], key: Callable[[T], str] = attrgetter("key")) -> tuple[list[T], list[int]]:
    """Return members in draw order, with the draw number of each; if numbers are equal, the smaller key comes first."""
    members = sorted(members, key=key)
    numbers = draw_numbers(seed, what, [*map(key, members)])
    order = np.argsort(numbers, kind="stable")
    return [members[at] for at in order.tolist()], numbers[order].tolist()


def count_strata(units: Iterable[Unit]) -> Counter[Stratum]:
    """Return the number of questions of each stratum."""
    total: Counter[Stratum] = Counter()
    for counts, times in Counter(map(attrgetter("counts"), units)).items():
        for stratum, number in counts:
            total[stratum] += number * times
    return total


def unit_of(summaries: list[QuestionSummary]) -> Unit:
    """Return the unit formed by questions that stay together."""
    groups = [summary.group_id for summary in summaries if summary.group_id]
    counts = (
        _alone(summaries[0].stratum) if len(summaries) == 1 else tuple(sorted(Counter(summary.stratum for summary in summaries).items()))
    )
    return Unit(min(groups) if groups else summaries[0].id, summaries, counts)


def ties_of(summary: QuestionSummary) -> list[str]:
    """Return the ties of a question to other questions, by kind and name."""
    ties = [f"stem {summary.stem_id}"] if summary.stem_id else []
    if summary.stem_options_id:
        ties.append(f"asked {summary.stem_options_id}")
    if summary.group_id:
        ties.append(f"group {summary.group_id}")
    if summary.cluster_id:
        ties.append(f"cluster {summary.cluster_id}")
    return ties


def _refuse_repeated(summaries: list[QuestionSummary]) -> None:
    for summary, after in pairwise(summaries):
        if summary.id == after.id:
            raise ValueError(f"question {summary.id} is in the input twice; to keep one of them, run `dvc repro near_duplicates`")


_MIN_STEM_CHARS = 20  # number of letters from which a stem is a question by itself
_FUNCTION_WORDS = re.compile("下列|以下|上述|关于|有关|哪|说法|叙述|描述|表述|选项|正确|错误|不|属于|包括|除外|是|的|有|中|项|个|最")
_FUNCTION_CHARS = frozenset(_FUNCTION_WORDS.pattern) - {"|"}  # nearly all stems have enough others, which is a fast check
_MIN_CONTENT_CHARS = 4  # letters other than those words: 遗忘的进程是 is a question, 下列说法正确的是 only with its options


def summary_of(question: Question, also: tuple[str, ...] = ()) -> QuestionSummary:
    """Return the summary of a question; the question must have an answer.

    Args:
        also: other ids of its near-duplicate cluster.
    """
    stratum = stratum_of(question.category, question.exam, question.question_type, question.subject, question.form or "")
    stem_text = canonical((question.shared_stem or "") + question.stem)
    is_long = len(stem_text) >= _MIN_STEM_CHARS
    stem_id = content_id("stem", stem_text) if is_long or _is_specific(stem_text) else None
    stem_options_id = None
    if (question.shared_stem or not is_long) and question.options:
        parts = [canonical(question.stem), *sorted(canonical_all([option.text for option in question.options]))]
        stem_options_id = content_id("asked", *parts) if sum(map(len, parts)) >= _MIN_STEM_CHARS else None
    return QuestionSummary(
        question.id, stratum, question.answer or "", question.group_id, question.cluster_id, stem_id, stem_options_id, also
    )


stratum_of = cache(Stratum)
"""There are few strata and many questions, so sharing one object among equal strata saves memory and speeds up comparisons."""


def _is_specific(stem: str) -> bool:
    others = [letter for letter in stem if letter not in _FUNCTION_CHARS]
    return len(others) >= _MIN_CONTENT_CHARS or len(_FUNCTION_WORDS.sub("", stem)) >= _MIN_CONTENT_CHARS
