"""Decide whether two questions ask the same thing. Shared cases are compared separately from the questions."""

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

from atomexam.records.params import NearDuplicates
from atomexam.records.question import Question
from atomexam.text.canonical import canonical
from atomexam.text.ngrams import jaccard, ngrams
from curation.near_duplicates.wording import (
    changes_verb,
    changes_words,
    degrees,
    denials,
    difference,
    figures,
    in_digits,
    is_slip,
    same_figures,
    stray_letter,
    without_idle,
    without_synonyms,
)

Relation = Literal["same", "conflict"]

_STEM_FLOOR = 0.5  # stems less similar than this never ask the same, however similar their options
_TAIL_FLOOR = 0.5  # the limit for the last sentence of a stem that contains a case
_OPTION_FLOOR = 0.5  # unmatched options at least this similar are equal except for a slip: 学习过程中动机 and 学习过程的动机
_OPTIONS_SHARED = 0.6  # 3 of 5: four options each, one of which differs
_ANSWER_FLOOR = 0.2  # answers in words less similar than this answer different questions
_MIN_OPTIONS = 3  # with fewer options, none may differ
_MIN_KIN_CHARS = 4  # a shorter stem without a case is a question only with its options
_FRAME = re.compile("说法|选|描述|叙述|陈述|论述|表述|观点|正确|准确|恰当|错误|误|符合|题意|不")
"""Text of a stem, without idle characters, that asks nothing specific: 下列说法正确的是."""
_OF_OTHERS = re.compile(
    "(?:以上|上述).+|(?:都|均|皆|全部?)(?:不?(?:是|对|正确|错误?)|非|无|没有)|无|没有"
    "|(?:[a-j](?:[+和与][a-j])+|(?=[a-f]{3})a?b?c?d?e?f?)(?:[都均].+)?"
)
"""An option that refers to other options, so that its meaning depends on them: 以上都对, A+B."""
_LONG_STEM_CHARS = 60
_LONG_CHARS = 200
_MIN_TAIL_CHARS = 6
_RETOLD = 0.85  # share of `case_threshold`: cases this similar are one if all else is equal word for word
_BEST = frozenset(["最", "首选", "首要"])  # the best of one set of options need not be the best of another
_MEASURE = re.compile(r"(−?\d[\d./:^~−-]*)(°c|[°%]|[\u4e00-\u9fff]{1,2})?")
_SENTENCE_END = re.compile(r"[。！？；!?;\n]")


class ComparedQuestion(NamedTuple):
    """A question in the form used for comparison, with all texts canonical."""

    stem: str
    tail: str | None
    """The last sentence of a long stem, which asks the question; None if the complete stem does."""
    options: tuple[str, ...]
    case: str | None
    answer: frozenset[str] | None
    """Texts of the right options, or the answer in words; None if unknown."""
    in_words: bool
    bare: bool
    """The options do not characterize the question: they are true and false, or are shared with other questions."""
    text: str
    """Stem and options, as used in the join."""


def compared_question(question: Question, ngram_chars: int) -> ComparedQuestion:
    """Return the form of a question that is used for comparison.

    No n-gram in `text` spans two parts, so the order of the options does not matter, and short options count.
    """
    stem = canonical(question.stem)
    by_letter = {option.letter: canonical(option.text) for option in question.options}
    in_words = question.question_type in ("qa", "blank")
    return ComparedQuestion(
        stem=stem,
        tail=_tail(question.stem) if len(stem) >= _LONG_STEM_CHARS else None,
        options=tuple(sorted(by_letter.values())),
        case=canonical(question.shared_stem) if question.shared_stem else None,
        answer=answer_of(question),
        in_words=in_words,
        bare=question.question_type == "tf" or question.form == "b1" or len(by_letter) < 3,
        text=_padded((stem, *sorted(by_letter.values())), ngram_chars),
    )


def stem_keys(question: ComparedQuestion) -> list[int]:
    """Return hash keys such that two questions share a key if their stems are equal except for idle characters and their options are equal
    except for one.

    Hardly any other questions share a key. Questions that do are compared however short they are.
    """
    stem, options = _without_idle(question), tuple(map(_without_unit, question.options))
    left_out = range(len(options)) if len(options) > _MIN_OPTIONS else []
    without_one = (hash((stem, *options[:index], *options[index + 1 :])) for index in left_out)
    return [*dict.fromkeys([hash((stem, options)), *without_one])]  # of two equal options, either may be left out


def options_key(question: ComparedQuestion) -> int | None:
    """Return a hash key shared by questions with equal options and answers, if these characterize the question."""
    if question.bare or question.answer is None:
        return None
    return hash((*map(_without_unit, question.options), frozenset(map(_without_unit, question.answer))))


def stem_key(question: ComparedQuestion) -> int | None:
    """Return a hash key shared by questions with the same stem, whatever their options; None if the stem alone is no question."""
    return hash(("stem", _without_idle(question))) if _asks(question) and not question.in_words else None


def _asks(question: ComparedQuestion) -> bool:
    """Return whether a stem is a question without its options."""
    stem = _without_idle(question)
    return question.case is not None or (len(stem) >= _MIN_KIN_CHARS and bool(_FRAME.sub("", stem)))


def kin_key(question: ComparedQuestion) -> int | None:
    """Return a hash key shared by questions with the same stem and correct answer, whatever their distractors.

    They may be different questions, but they reveal each other's answers. Idle words, synonyms (机会 for 概率) and units make no
    difference.
    """
    if not _asks(question) or question.answer is None or any(map(_OF_OTHERS.fullmatch, question.answer)):
        return None
    return hash(("kin", _weighty(question.stem), frozenset(_weighty(_without_unit(text)) for text in question.answer)))


def _weighty(text: str) -> str:
    return without_idle(without_synonyms(in_digits(text))) or text


class CandidatePairs(NamedTuple):
    """Pairs of questions that may ask the same thing."""

    questions: list[ComparedQuestion]
    pairs: list[tuple[int, int]]
    """Indexes in `questions`."""


def relations(candidates: CandidatePairs, params: NearDuplicates) -> list[Relation | None]:
    """Return how the questions of each pair relate."""
    return [relation(candidates.questions[a], candidates.questions[b], params) for a, b in candidates.pairs]


def relation(a: ComparedQuestion, b: ComparedQuestion, params: NearDuplicates) -> Relation | None:
    """Return the relation between two questions whose `text` similarity reaches the threshold; None if they ask different things.

    Known answers are evidence: if they are equal, the stems may differ more; if they are different, hardly at all, because the small
    difference may be the point, as between 桑代克认为 and 苛勒认为.
    """
    if not same_case(a, b, params) or denials(a.stem) != denials(b.stem) or degrees(a.stem) != degrees(b.stem):
        return None
    if a.stem != b.stem and (_repeats(a.stem, params.ngram_chars) or _repeats(b.stem, params.ngram_chars)):
        return None
    if a.case is not None and a.answer and not a.in_words and (a.stem, a.answer) == (b.stem, b.answer):
        return "same"  # one case, one question, one key: only the distractors differ
    match = _matched(a.options, b.options, params.ngram_chars)
    kinds = len(set(a.options)) + len(set(b.options)) - len(match)
    likeness = _likeness(a.stem, b.stem, params.ngram_chars)
    alike, all_shared = likeness >= params.threshold, len(match) == kinds and not a.bare and not b.bare
    near = likeness >= _STEM_FLOOR or (all_shared and stem_keys(a)[0] == stem_keys(b)[0])
    if len(match) < _OPTIONS_SHARED * kinds or not near or not _same_tail(a, b, params.ngram_chars):
        return "conflict" if _contradict(a, b, match) else None
    ours, theirs = a.answer, b.answer
    agree = ours is not None and frozenset(match.get(text, text) for text in ours) == theirs
    if not same_figures(a.stem, b.stem) and not (agree and all_shared and alike and stray_letter(a.stem, b.stem)):
        return None
    differs = difference(in_digits(a.stem), in_digits(b.stem))
    if differs.opposed or changes_words(a.stem, b.stem, strict=not agree):
        return None
    if ours is None or theirs is None:
        return "same" if alike or (all_shared and not differs.replaced) else None
    if a.in_words and b.in_words:
        return "same" if alike and (not differs.replaced or _same_words(ours, theirs, params.ngram_chars)) else None
    if agree:
        return "same" if alike or all_shared else None
    asks_the_same = not differs.replaced and (not differs.added or all_shared)
    if len(match) == kinds and asks_the_same and judged_apart(a, b, match):
        return "conflict"
    return "conflict" if _contradict(a, b, match) else None


def judged_apart(a: ComparedQuestion, b: ComparedQuestion, match: dict[str, str]) -> bool:
    """Return whether an option that appears word for word in both questions is correct in one and incorrect in the other.

    Options that are merely similar may be opposites, such as 器质性 and 精神性, each correct in one question. Two measurements may differ
    by a lost unit.
    """
    if a.answer is None or b.answer is None:
        return False
    return any((text in a.answer) != (other in b.answer) for text, other in match.items() if _is_one_option(text, other))


def _is_one_option(text: str, other: str) -> bool:
    return text == other or _same_measure(text, other) or _weighty(text) == _weighty(other)


def _contradict(a: ComparedQuestion, b: ComparedQuestion, match: dict[str, str]) -> bool:
    """Return whether two questions with the same stem judge an option differently, whatever their other options.

    The best option of one set need not be the best of another, so for such stems both questions must contain both correct options.
    """
    if a.answer is None or b.answer is None or a.bare or b.bare or a.in_words or b.in_words or stem_key(a) is None:
        return False
    if any(map(_OF_OTHERS.fullmatch, a.answer | b.answer)):
        return False
    match = {text: other for text, other in match.items() if not _OF_OTHERS.fullmatch(text)}
    if min(len(a.options), len(b.options)) < _MIN_OPTIONS or _without_idle(a) != _without_idle(b) or not judged_apart(a, b, match):
        return False
    if _BEST.isdisjoint(degrees(a.stem)):
        return True
    ours, theirs = {match[text] for text in a.answer & match.keys()}, b.answer & set(match.values())
    return len(ours) == len(a.answer) == len(theirs) == len(b.answer)


def answer_of(question: Question) -> frozenset[str] | None:
    """Return the texts of the right options, or the answer in words; None if unknown. All canonical."""
    if not question.answer or question.question_type in ("qa", "blank"):
        return frozenset([canonical(question.answer)]) if question.answer else None
    by_letter = {option.letter: canonical(option.text) for option in question.options}
    return frozenset(by_letter[letter] for letter in question.answer) if set(question.answer) <= set(by_letter) else None


def same_answer(question: Question, right: frozenset[str], ngram_chars: int) -> bool:
    """Return whether a question's correct options are the given canonical texts, exactly or with a slip of the pen."""
    match = _matched(tuple(sorted(right)), tuple(sorted(canonical(option.text) for option in question.options)), ngram_chars)
    return frozenset(match.get(text, text) for text in right) == answer_of(question)


def same_case(a: ComparedQuestion, b: ComparedQuestion, params: NearDuplicates) -> bool:
    if a.case is None or b.case is None or a.case == b.case:
        return a.case == b.case
    is_equal = (a.stem, a.options, a.answer) == (b.stem, b.options, b.answer)
    floor = reworded_threshold(params) if is_equal else params.case_threshold
    return _likeness(a.case, b.case, params.ngram_chars) >= floor and same_figures(a.case, b.case)


def reworded_threshold(params: NearDuplicates) -> float:
    """Return the similarity that two cases must have if the questions are equal word for word."""
    return _RETOLD * params.case_threshold


def matched_options(a: ComparedQuestion, b: ComparedQuestion, ngram_chars: int) -> list[tuple[str, str]]:
    """Return the pairs of options of two duplicates that correspond but are not equal, such as the single unmatched option of each."""
    match = _matched(a.options, b.options, ngram_chars)
    rest, other_rest = set(a.options) - set(match), set(b.options) - set(match.values())
    left_over = [(*rest, *other_rest)] if len(rest) == len(other_rest) == 1 else []
    return [(text, other) for text, other in (*sorted(match.items()), *left_over) if text != other]


def _same_tail(a: ComparedQuestion, b: ComparedQuestion, ngram_chars: int) -> bool:
    if a.tail is None or b.tail is None:
        return True
    chars = min(len(a.tail), len(b.tail))  # where a sentence ends depends on one punctuation mark
    return _likeness(a.stem[-chars:], b.stem[-chars:], ngram_chars) >= _TAIL_FLOOR


def _same_words(answer: frozenset[str], other: frozenset[str], ngram_chars: int) -> bool:
    return _likeness("".join(answer), "".join(other), ngram_chars) >= _ANSWER_FLOOR


def _matched(options: tuple[str, ...], others: tuple[str, ...], ngram_chars: int) -> dict[str, str]:
    """Return which option of one question corresponds to which of the other: first equal options, then the most similar of the rest."""
    match = {text: text for text in options if text in others}
    rest, other_rest = sorted(set(options) - set(match)), sorted(set(others) - set(match))
    alike = sorted((-_option_likeness(a, b, ngram_chars), min(a, b), max(a, b), a, b) for a in rest for b in other_rest)
    for likeness, _, _, a, b in alike:
        if -likeness >= _OPTION_FLOOR and a not in match and b not in match.values():
            match[a] = b
    return match


def _without_idle(question: ComparedQuestion) -> str:
    return without_idle(in_digits(question.stem))


def _without_unit(option: str) -> str:
    measure = _MEASURE.fullmatch(option)
    return measure[1] if measure else option


def _same_measure(a: str, b: str) -> bool:
    """Return whether two options are the same number, with the unit lost or misread in one: 180 for 180°, 1924 for 1924年, 29% for 29°."""
    one, other = _MEASURE.fullmatch(a), _MEASURE.fullmatch(b)
    if one is None or other is None or one[1] != other[1]:
        return False
    return None in (one[2], other[2]) or {one[2], other[2]} == {"°", "%"}


@lru_cache(maxsize=1 << 16)
def _option_likeness(a: str, b: str, ngram_chars: int) -> float:
    if _same_measure(a, b):
        return 1.0
    if _repeats(a, ngram_chars) or _repeats(b, ngram_chars):
        return 0.0
    likeness = max(_likeness(in_digits(a), in_digits(b), ngram_chars), _OPTION_FLOOR if is_slip(a, b) else 0.0)
    if likeness < _OPTION_FLOOR:  # no match is possible; this avoids the slower checks below
        return likeness
    if figures(a) != figures(b) or denials(a) != denials(b) or degrees(a) != degrees(b) or difference(a, b).opposed or changes_verb(a, b):
        return 0.0
    return likeness


def _repeats(text: str, ngram_chars: int) -> bool:
    """Return whether a long text is so repetitive that its n-grams hardly distinguish it; comparing it is slow."""
    return len(text) > _LONG_CHARS and 2 * len(_grams(text, ngram_chars)) < len(text)


def _likeness(a: str, b: str, ngram_chars: int) -> float:
    return 1.0 if a == b else jaccard(_grams(a, ngram_chars), _grams(b, ngram_chars))


@lru_cache(maxsize=1 << 12)
def _grams(text: str, ngram_chars: int) -> frozenset[str]:
    return ngrams(_padded((text,), ngram_chars), ngram_chars)


def _padded(parts: tuple[str, ...], ngram_chars: int) -> str:
    gap = "\n" * (ngram_chars - 1)
    return gap + gap.join(parts) + gap


def _tail(stem: str) -> str:
    """Return the last sentence of a stem, preceded by earlier ones until it is specific enough."""
    tail = ""
    for sentence in reversed(_SENTENCE_END.split(unicodedata.normalize("NFKC", stem))):
        tail = canonical(sentence) + tail
        if len(tail) >= _MIN_TAIL_CHARS:
            break
    return tail
