"""Words of stem, options and shared text -> whether a question is case analysis, and what it asks for, by `vocab/case_types.yaml`.

Words are searched in the raw text. jieba is used only for words that hide in other words (目的 in 项目的), listed under `cut`: such a
word counts only if it is among the words into which jieba segments the Chinese text around it.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from atomexam.records.question import CaseType, Category
from curation.text.words import cutter
from curation.vocab.reader import read_vocabulary

CASE_TYPES: tuple[CaseType, ...] = ("method", "diagnosis", "treatment")
_ORDER: tuple[CaseType, ...] = ("diagnosis", "method", "treatment")
"""The first of equal scores wins; diagnosis if there is no evidence."""
_WEIGHT_BEFORE = 0.5
_WEIGHT_IN_OPTIONS = 0.25
_SPEECH = re.compile(r"“[^“”]*”")
_CLAUSE = re.compile(r"[，。；：？！、\n]+")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")
_MIN_QUESTION_CHARS = 3
_MIN_STEM_CHARS = 4
_MAX_READ_CHARS = 2000
_ANALYSIS = re.compile(r"analy[sz]e|^ca$|案例分析", re.I)
_KNOWLEDGE = re.compile(r"knowledge|^kg$|理论知识", re.I)


_AGED_PERSON = re.compile(r"[男女][性孩生]?[，、]|[一二三四五六七八九十\d]岁(?:的|[，、]|[男女])")


class _CaseTypeWords(NamedTuple):
    any_word: re.Pattern[str]
    weights: dict[str, tuple[float, ...]]
    """Word -> its weight for each of CASE_TYPES."""
    cut: frozenset[str]
    client: re.Pattern[str]
    points_at_case: re.Pattern[str]


def category_of(labels: Iterable[str | None], shared_stem: str | None, stem: str) -> Category:
    """Return whether a question is case analysis: by its source, else by its words.

    Args:
        labels: the source's names for the question's kind, section and examination.
    """
    marks = [text for text in labels if text]
    if any(map(_ANALYSIS.search, marks)):
        return "ca"
    words = _words()
    if shared_stem and (words.client.search(shared_stem) or _AGED_PERSON.search(shared_stem)):
        return "ca"
    if any(map(_KNOWLEDGE.search, marks)):
        return "kg"
    return "ca" if words.points_at_case.search(stem) else "kg"


def case_type_of(stem: str, options: list[str]) -> CaseType:
    """Return what a case question asks for, by the weights of its words; diagnosis without evidence."""
    scores = case_scores(stem, options)
    return max(_ORDER, key=lambda kind: scores[kind])


def case_scores(stem: str, options: list[str]) -> dict[str, float]:
    """Return the score of each case type: a word counts once, most in the last clause, less before it, least in the options."""
    before, question = _context_and_question(stem[-_MAX_READ_CHARS:])
    weights = _words().weights
    shares = dict.fromkeys(_matched_words("\n".join(options)[:_MAX_READ_CHARS]), _WEIGHT_IN_OPTIONS)
    shares |= dict.fromkeys(_matched_words(before), _WEIGHT_BEFORE) | dict.fromkeys(_matched_words(question), 1.0)
    return {kind: sum(weights[word][column] * shares[word] for word in sorted(shares)) for column, kind in enumerate(CASE_TYPES)}


def _context_and_question(stem: str) -> tuple[str, str]:
    """Return the clauses before the question, and the clause that asks; quoted speech is in neither."""
    bare = _SPEECH.sub(" ", stem)
    if len(bare.strip()) < _MIN_STEM_CHARS:
        bare = stem
    clauses = _CLAUSE.split(bare)
    last = next((at for at in range(len(clauses) - 1, -1, -1) if sum(map(len, _HAN_RUN.findall(clauses[at]))) >= _MIN_QUESTION_CHARS), 0)
    return "\n".join(clauses[:last]), "\n".join(clauses[last:])


def _matched_words(text: str) -> list[str]:
    words = _words()
    return [match[0] for match in words.any_word.finditer(text) if match[0] not in words.cut or _is_whole(text, match.start(), match[0])]


def _is_whole(text: str, at: int, word: str) -> bool:
    """Return whether jieba segments the Chinese text around a word so that the word is separate."""
    start, end = at, at + len(word)
    while start and _HAN_RUN.match(text[start - 1]):
        start -= 1
    while end < len(text) and _HAN_RUN.match(text[end]):
        end += 1
    return at - start in _token_starts(text[start:end], word)


@lru_cache(maxsize=1 << 14)
def _token_starts(run: str, word: str) -> frozenset[int]:
    return frozenset(start for token, start, _ in _cutter().tokenize(run) if token == word)


@cache
def _cutter():  # jieba's own type; its dictionary is read at the first word whose boundary matters
    return cutter()


@cache
def _words() -> _CaseTypeWords:
    table = read_vocabulary("case_types")
    weights = {word: tuple(table[kind].get(word, 0) for kind in CASE_TYPES) for kind in CASE_TYPES for word in table[kind]}
    return _CaseTypeWords(_any_of(weights), weights, frozenset(table["cut"]), _any_of(table["client"]), _any_of(table["points_at_case"]))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of the words, longer ones first: if two begin at the same position, the longer one matches."""
    return re.compile("|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word)))))
