"""What a source's other questions reveal about a question: texts that begin alike, and sections with a wrong type."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from atomexam.records.item import QuestionItem
from atomexam.text.characters import are_traditional, simplify
from atomexam.text.natural_order import natural_key
from atomexam.text.normalize import normalize
from atomexam.text.option_letters import letters_in
from curation.clean.classify.classes import declared_type
from curation.clean.questions.cases import MIN_SHARED_CHARS, CaseAndQuestion, misses_case, split_shared
from curation.clean.questions.layout import (
    NO_EDGES,
    NO_FRAME,
    NONE_UNUSED,
    Frame,
    PageEdges,
    UnusedOptions,
    edges_of_page,
    frame_of,
    unused_options,
    without_frame,
)
from curation.clean.wording.exam_text import without_number

declared_as = lru_cache(maxsize=1 << 12)(declared_type)  # a source repeats the same few labels
_ONE_LETTER = re.compile(r"\s*[A-Ja-j]\s*")
_SEVERAL_LETTERS = re.compile(r"\s*[A-Ja-j](?:[\s,，、;；]*[A-Ja-j])+\s*")
_LETTER = re.compile(r"\s{0,9}[(（\[【]?\s?[A-Ja-jＡ-Ｊ]\s?[)）\]】]?\s?[.．、:：]?\s{0,9}")
_SEVERAL = re.compile("不定项|(?:分析|案例|技能)选择")
_NEAR_CASE, _LEAST_CASELESS = 5, 3  # questions on either side, and how many of them lost their case
_SPACE = re.compile(r"\s+")
_MAX_MARK_CHARS = 300
_TWO_WORDS = re.compile(r"(?:[A-J][.．、:：]?\s*)?[\u4e00-\u9fff]{2,12}[ \u3000]{1,4}[\u4e00-\u9fff]{2,12}")
_LEAST_ALIKE, _SHARE_ALIKE = 20, 0.8
_NEAR = 4  # questions on either side
_NEAR_SINGLE = 2
"""Minimum number of single answers nearby to be certain that a section is single-choice."""
_LEAST_JOINED = 3
"""A page counts as joining its keys if at least this many keys are preceded (or followed) by a matching number of questions without a key.
Nearly all keys next to questions without one must match, since multiple-answer keys next to lost keys may match by chance."""
_BRIEF = re.compile("[\u4e00-\u9fff]\\s*[（(]\\s*[)）][。.]?")
_FIELDS = ("stem_raw", "options_raw", "shared_options_raw", "answer_raw", "case_raw")


class PageContext(NamedTuple):
    """What the questions of one page reveal; questions are identified by their position."""

    frame: Frame = NO_FRAME
    """The frame around the stems of all its questions."""
    edges: PageEdges = NO_EDGES
    """The edges that recur in its texts."""
    unused: UnusedOptions = NONE_UNUSED
    """The text in the unused options of its questions."""
    mislabelled: frozenset[str] = frozenset()
    """The single-choice questions that a paper files under multiple response."""
    joined: frozenset[str] = frozenset()
    """The questions whose answer includes those of neighbouring questions."""
    divided: Mapping[str, str] = MappingProxyType({})
    """Position -> the question's own letter, for questions that share options and have only one answer among them, a letter for each."""
    glued: frozenset[str] = frozenset()
    """The questions with one option fewer than nearly all others on their page, one of whose options is two words separated by a blank."""
    caseless: frozenset[str] = frozenset()
    """The questions without a case among others whose case is lost."""
    traditional: bool = False
    """The page is in traditional characters."""
    brief: bool = False
    """Stems of one character before a blank (`肾（ ）`) recur on the page; a single such stem would be a fragment."""


NO_PAGE = PageContext()


class SourceContext(NamedTuple):
    """Context from a source's questions, collected before the first of them is parsed."""

    shared: Mapping[str, CaseAndQuestion] = MappingProxyType({})
    """Normalized stem -> its parts, for stems that begin with a case that several questions share."""
    pages: Mapping[str, PageContext] = MappingProxyType({})
    """page_id -> context; pages without context are omitted."""


def allows_several(*labels: str | None) -> bool:
    """Return whether the source states, by a question's type or heading, that several answers may be right."""
    declared = declared_as(*labels)
    return declared == "mrqa" or (declared == "choice" and any(text and _SEVERAL.search(text[:_MAX_MARK_CHARS]) for text in labels))


def context_of(items: Iterable[QuestionItem]) -> SourceContext:
    """Return the context of one source's items. Their order does not matter."""
    pages: dict[str, list[QuestionItem]] = defaultdict(list)
    for item in items:
        pages[item.provenance.page_id].append(item)
    stems: set[str] = set()
    known: dict[str, PageContext] = {}
    for page_id, page in pages.items():
        if traditional := are_traditional("".join(chain(*map(_texts_of, page)))):
            page = [simplified(item) for item in page]
        frame = frame_of([item.stem_raw for item in page if item.stem_raw and not item.doubt])
        stems.update(_long_stems(page, frame))
        joined, divided = _joined_keys(page)
        one = PageContext(
            frame=frame,
            edges=edges_of_page([*_bare_texts(page, frame)]),
            unused=unused_options(page),
            mislabelled=frozenset(_mislabelled(page)),
            joined=joined,
            divided=divided,
            glued=frozenset(_with_glued_options(page)),
            caseless=frozenset(_among_caseless(page)),
            traditional=traditional,
            brief=sum(map(_is_brief, pages[page_id])) > 1,
        )
        if one != NO_PAGE:
            known[page_id] = one
    return SourceContext(split_shared(sorted(stems)), known)


def _is_brief(item: QuestionItem) -> bool:
    return bool(item.options_raw and item.stem_raw and _BRIEF.fullmatch(without_number(item.stem_raw.strip(), item.number_raw)))


def _texts_of(item: QuestionItem) -> Iterable[str]:
    return filter(None, (item.case_raw, item.stem_raw, *(item.options_raw or item.shared_options_raw or ())))


def simplified(item: QuestionItem) -> QuestionItem:
    """Convert an item from traditional to simplified characters."""
    texts = {field: value for field in _FIELDS if (value := getattr(item, field))}
    made = {
        key: simplify(value, True) if isinstance(value, str) else [simplify(each, True) for each in value] for key, value in texts.items()
    }
    return replace(item, **made) if made != texts else item


def _bare_texts(page: list[QuestionItem], frame: Frame) -> Iterable[tuple[str, Sequence[str]]]:
    """Yield the stems of a page without numbers, and the options without letters."""
    for item in page:
        if item.stem_raw and not item.doubt:
            options = item.options_raw or item.shared_options_raw or ()
            yield bare_stem(item, frame), [_LETTER.sub("", option, count=1) for option in options]


def bare_stem(item: QuestionItem, frame: Frame) -> str:
    """Return a raw stem without its number and the frame of its page."""
    return without_number(unicodedata.normalize("NFKC", without_frame(item.stem_raw or "", frame)[0]).strip(), item.number_raw)


def _long_stems(page: list[QuestionItem], frame: Frame) -> Iterable[str]:
    """Yield the stems of a page that may begin with a case, in the form used as lookup keys."""
    for item in page:
        if not item.case_raw and item.stem_raw and len(item.stem_raw) > MIN_SHARED_CHARS:
            yield without_number(normalize(without_frame(item.stem_raw, frame)[0]).text, item.number_raw)


def _among_caseless(page: list[QuestionItem]) -> Iterable[str]:
    """Yield the questions of a page with several neighbours that refer to a missing case."""
    lost = [_speaks_of_lost_case(item) for item in page]
    if sum(lost) < _LEAST_CASELESS:
        return
    rows = sorted(zip(page, lost, strict=True), key=lambda row: natural_key(row[0].provenance.position))
    for at, (item, _) in enumerate(rows):
        near = rows[max(at - _NEAR_CASE, 0) : at] + rows[at + 1 : at + _NEAR_CASE + 1]
        if not item.case_raw and sum(is_lost for _, is_lost in near) >= _LEAST_CASELESS:
            yield item.provenance.position


def _speaks_of_lost_case(item: QuestionItem) -> bool:
    return bool(item.stem_raw) and not item.case_raw and misses_case((item.stem_raw or "").strip().replace(",", "，"))


def _with_glued_options(page: list[QuestionItem]) -> Iterable[str]:
    """Yield the questions that have one option fewer than nearly all others on a large page because two options were joined."""
    counts = Counter(len(item.options_raw) for item in page if item.options_raw)
    usual, times = counts.most_common(1)[0] if counts else (0, 0)
    if times < max(_LEAST_ALIKE, _SHARE_ALIKE * counts.total()):
        return
    for item in page:
        options = item.options_raw or []
        if len(options) == usual - 1 and sum(bool(_TWO_WORDS.fullmatch(option)) for option in options) == 1:
            yield item.provenance.position


def _joined_keys(page: list[QuestionItem]) -> tuple[frozenset[str], dict[str, str]]:
    """Return the questions whose answer joins several keys, and the keys that can be distributed to an equal number of questions of which
    only one has an answer."""
    joined: set[str] = set()
    divided: dict[str, str] = {}
    if not any(map(_lacks_key, page)) or not any(map(_several_letters, page)):
        return frozenset(), divided
    rows = sorted(page, key=lambda item: (natural_key(item.provenance.position), item.provenance.position))
    options = [_bare_options(item) for item in rows]
    letters = {at: several for at, item in enumerate(rows) if (several := _several_letters(item))}
    bare = {step: {at: count for at in letters if (count := _keyless_beside(rows, at, step))} for step in (-1, 1)}
    fit = {step: {at for at, count in bare[step].items() if count == len(letters[at]) - 1} for step in bare}
    is_usual = {step: len(fit[step]) >= max(_LEAST_JOINED, len(fit[-step]) + 1, _SHARE_ALIKE * len(bare[step])) for step in fit}
    for at, keys in letters.items():
        first, last = _run_around(rows, options, at)
        ends = {-1: last, 1: first}  # position of the key for the group before it or after it
        group = rows[first : last + 1]
        elsewhere = any(len(fit[step]) < len(fit[-step]) for step, end in ends.items() if end == at)
        if len(group) == len(keys) and not elsewhere:
            divided.update({one.provenance.position: key for one, key in zip(group, keys, strict=True)})
        elif (
            len(group) > 1
            or any(_is_left_bare(rows, options, at, step, len(keys) - 1) for step in (-1, 1))
            or any(is_usual[step] and at in fit[step] for step in fit)
        ):
            joined.add(rows[at].provenance.position)
    return frozenset(joined), divided


def _keyless_beside(rows: list[QuestionItem], at: int, step: int) -> int:
    """Return the number of consecutive questions without a key directly before or after a given one."""
    count = 0
    while 0 <= (index := at + step * (count + 1)) < len(rows) and _lacks_key(rows[index]):
        count += 1
    return count


def _run_around(rows: list[QuestionItem], options: list[tuple[str, ...]], at: int) -> tuple[int, int]:
    """Return the first and last question of the run around a given one; the others in it have no key, but the same options."""
    first = last = at
    while options[at] and first and _lacks_key(rows[first - 1]) and options[first - 1] == options[at]:
        first -= 1
    while options[at] and last + 1 < len(rows) and _lacks_key(rows[last + 1]) and options[last + 1] == options[at]:
        last += 1
    return first, last


def _is_left_bare(rows: list[QuestionItem], options: list[tuple[str, ...]], at: int, step: int, count: int) -> bool:
    """Return whether exactly this many questions directly before or after a given one have neither options nor a key."""
    bare = 0
    while bare <= count and 0 <= (index := at + step * (bare + 1)) < len(rows) and _lacks_key(rows[index]) and not options[index]:
        bare += 1
    return bare == count


def _lacks_key(item: QuestionItem) -> bool:
    return not item.doubt and bool(item.stem_raw) and not item.answer_raw and _is_choice(item)


def _several_letters(item: QuestionItem) -> list[str]:
    raw = item.answer_raw or ""
    return letters_in(raw) if _SEVERAL_LETTERS.fullmatch(raw) and _is_choice(item) else []


def _is_choice(item: QuestionItem) -> bool:
    declared = declared_as(item.type_raw, item.section_raw)
    return declared not in ("tf", "blank", "qa") or (declared == "qa" and bool(_bare_options(item)))


def _bare_options(item: QuestionItem) -> tuple[str, ...]:
    return tuple(_SPACE.sub("", option) for option in item.options_raw or item.shared_options_raw or ())


def _mislabelled(page: list[QuestionItem]) -> Iterable[str]:
    """Yield the single-answer questions surrounded by other single-answer questions, which is rare in a true multiple-response section."""
    rows = []
    for item in page:
        if item.answer_raw and declared_as(item.type_raw, item.section_raw) == "mrqa":
            single = bool(_ONE_LETTER.fullmatch(item.answer_raw))
            if single or _SEVERAL_LETTERS.fullmatch(item.answer_raw):
                rows.append((natural_key(item.provenance.position), item.provenance.position, single))
    rows.sort()
    singles = [single for _, _, single in rows]
    for at, (_, position, single) in enumerate(rows):
        if single and _among_singles(singles, at):
            yield position


def _among_singles(singles: Sequence[bool], at: int) -> bool:
    beside = any(singles[max(at - 1, 0) : at]) or any(singles[at + 1 : at + 2])
    near = sum(singles[max(at - _NEAR, 0) : at + _NEAR + 1]) - 1
    return near >= _NEAR_SINGLE or beside
