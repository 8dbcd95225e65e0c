"""Profile of a source's items: signs of misreading, and how often each occurs. Pure.

A single sign does not prove a fault: sources that were read correctly have a few of each. A frequent sign suggests that the source was
misread; `curation/validate/expectations/profile.yaml` sets the limits.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.subjects import SourceWords
from atomexam.text.option_letters import WIDE, names_no_option
from atomexam.text.verdicts import SURE_VERDICTS, verdict_of

MANY_OPTIONS = 3
"""A question with at least this many options is not a true-or-false question."""
_LETTERS = re.compile(r"[A-JＡ-Ｊ]+")
_BETWEEN = re.compile(r"[\s,，、;；.。/|()（）\[\]]+")
_MOST_LETTERS = 30  # longer answers are words
_SAYS_VERDICT = re.compile(r"判断(?!推理)|是非题?|正误|对错|true.?false", re.I)
_SAYS_WORDS = re.compile(r"填空|问答|简答|blank", re.I)
_SAYS_SEVERAL = re.compile(r"多项|多选|不定项|multi|X型", re.I)
_SAYS_SINGLE = re.compile(r"单项|单选|最佳选择|配伍|single|A[12]型|B1?型", re.I)
_LETTERED = re.compile(r"(?s)(?<![A-Za-z0-9])[AＡ]\s?([.．、:：)）])\s?\S.{0,200}?(?<![A-Za-z0-9])[BＢ]\s?\1")
_SECOND_LETTER = re.compile(r"(?s)\S\s[B-HＢ-Ｈ]\s?[.．、:：]\s?\S")
_ASKS = re.compile(r"[(（]\s{0,8}[)）]|[?？]\s?$|__|(?:^|\s)[A-HＡ-Ｈ]\s?[.．、:：)）]\s?\S|答案\s?[:：]")
CUT = re.compile(r"(?:(?<!\.)\.{3,}|(?<!…)…+|(?<!。)。{2,})\s{0,9}$")
"""An ellipsis at the end of a text."""
_CUT_SIGNS = frozenset(".…。")
_LONG_STEM, _LONG_OPTION = 1000, 400


class Sign(NamedTuple):
    """A sign that the source of an item may have been misread."""

    holds: Callable[[QuestionItem], bool]
    words: str
    """Predicate of a sentence whose subject is a question with this sign."""
    remedy: str
    """Question for the user that points to the likely fault."""


def options_of(item: QuestionItem) -> list[str]:
    """Return the options of a question: its own options, or else the shared ones."""
    return item.options_raw or item.shared_options_raw or []


def key_of(item: QuestionItem) -> str:
    """Return the letters in an answer, in the source's order; empty if the answer contains anything else."""
    return _key_in((item.answer_raw or "")[:_MOST_LETTERS])


@lru_cache(maxsize=1024)
def _key_in(answer: str) -> str:
    letters = _BETWEEN.sub("", answer).upper()
    return letters.translate(WIDE) if _LETTERS.fullmatch(letters) else ""


def is_disordered(key: str) -> bool:
    """Return whether the letters of a key are not in strict alphabetical order."""
    return len(key) > 1 and list(key) != sorted(set(key))


def is_verdict(answer: str | None) -> bool:
    """Return whether an answer is a word for true or false."""
    return bool(verdict_of(_BETWEEN.sub("", (answer or "")[:_MOST_LETTERS]), SURE_VERDICTS))


def _says(item: QuestionItem, words: re.Pattern[str]) -> bool:
    return any(words.search(text[:300]) for text in (item.type_raw, item.section_raw) if text)


def _is_bare_key(item: QuestionItem) -> bool:
    if options_of(item) or not key_of(item) or is_verdict(item.answer_raw):
        return False
    return not _says(item, _SAYS_VERDICT) and not _says(item, _SAYS_WORDS)


def _title_asks(item: QuestionItem) -> bool:
    titles = [text[:300] for text in (item.paper_raw, item.exam_raw, item.subject_raw) if text]
    return any(_ASKS.search(text) for text in titles)


def _has_cut_text(item: QuestionItem) -> bool:
    return any(text.rstrip()[-1:] in _CUT_SIGNS and CUT.search(text[-20:]) for text in (item.stem_raw or "", *options_of(item)))


def _is_glued(item: QuestionItem) -> bool:
    return any(_SECOND_LETTER.search(option[:_LONG_OPTION]) for option in options_of(item))


SIGNS: Mapping[str, Sign] = {
    "verdict_with_options": Sign(
        lambda item: len(options_of(item)) >= MANY_OPTIONS and _says(item, _SAYS_VERDICT),
        f"stands under a heading of true or false and has {MANY_OPTIONS} options or more",
        "is a line of text taken for the heading 判断?",
    ),
    "key_out_of_order": Sign(
        lambda item: is_disordered(key_of(item)) and not _says(item, _SAYS_SEVERAL),
        "has a key whose letters are out of order, and nothing says that several answers may be right",
        "are the keys of several questions joined into one?",
    ),
    "several_letters_for_single": Sign(
        lambda item: len(key_of(item)) > 1 and bool(options_of(item)) and _says(item, _SAYS_SINGLE),
        "has several letters as key under a heading of one right option",
        "are the keys of several questions joined, or is the heading another section's?",
    ),
    "key_beyond_options": Sign(
        lambda item: bool(options_of(item)) and names_no_option(key_of(item), len(options_of(item))),
        "has a key that names none of its options",
        "is an option lost, or joined with the one before it?",
    ),
    "letters_without_options": Sign(
        _is_bare_key,
        "has letters as answer and no options",
        "do the options stand under a key or in a column that the layout does not name?",
    ),
    "title_asks": Sign(
        _title_asks,
        "has a question or options as title of its paper",
        "the first line of the file is no title: name the paper's title in the file or the layout",
    ),
    "options_in_stem": Sign(
        lambda item: not options_of(item) and bool(_LETTERED.search((item.stem_raw or "")[:_LONG_STEM])),
        "has lettered options inside its stem",
        "the options are not split: `options_in_stem: true` in the layout, or another selector",
    ),
    "options_run_together": Sign(
        _is_glued, "has several lettered options inside one", "the options are not split: look at their separator"
    ),
    "text_cut": Sign(
        _has_cut_text, "has a stem or option that ends in an ellipsis", "is the text cut off on the page, and whole on another?"
    ),
    "long_stem": Sign(
        lambda item: len(item.stem_raw or "") > _LONG_STEM,
        f"has a stem of more than {_LONG_STEM} characters",
        "does a question swallow those that follow it?",
    ),
    "long_option": Sign(
        lambda item: any(len(option) > _LONG_OPTION for option in options_of(item)),
        f"has an option of more than {_LONG_OPTION} characters",
        "does an option swallow what follows it?",
    ),
    "no_answer": Sign(lambda item: not item.answer_raw, "has no answer", "where does the source keep its answers?"),
    "no_stem": Sign(lambda item: not item.stem_raw and not item.images, "has no stem", "is the stem under another key or selector?"),
    "no_exam": Sign(
        lambda item: not any((item.exam, item.exam_raw, item.subject, item.subject_raw, item.paper_raw)),
        "says neither exam nor subject nor title",
        "name it in curation/vocab/subjects.yaml by a line for the whole source",
    ),
}
"""Name -> sign."""


def signs_of(item: QuestionItem) -> list[str]:
    """Return the names of the signs that a question shows."""
    return [name for name, sign in SIGNS.items() if sign.holds(item)]


class Profile(NamedTuple):
    """Statistics of a source's items before `clean`."""

    questions: int
    """Number of parsed questions; those that could not be parsed are in `doubts`."""
    entities: int
    doubts: Counter[str]
    kinds: Counter[str]
    """The keys are: one letter, several letters, verdict, words, no answer."""
    options: Counter[int]
    """Maps the number of options to the number of questions."""
    letters: Counter[str]
    """Maps the letter of a one-letter key to the number of questions."""
    signs: Counter[str]
    examples: dict[str, QuestionItem]
    """Maps each sign to the first question that shows it."""
    categories: Counter[SourceWords]
    """Maps the source's texts around a question to the number of questions."""
    labels: Counter[tuple[str, str, str]]
    """Maps source, entity type and label to the number of entries with that label."""


def profile_of(items: Iterable[Item]) -> Profile:
    """Return the profile of items."""
    profile = Profile(0, 0, Counter(), Counter(), Counter(), Counter(), Counter(), {}, Counter(), Counter())
    questions = entities = 0
    for item in items:
        if isinstance(item, EntityItem):
            entities += 1
            profile.labels.update({(item.provenance.source, item.entity_type or "disease", value.label) for value in item.values})
        elif item.doubt:
            profile.doubts[item.doubt] += 1
        else:
            questions += 1
            _add_question(item, profile)
    return profile._replace(questions=questions, entities=entities)


def _add_question(item: QuestionItem, profile: Profile) -> None:
    key, options = key_of(item), options_of(item)
    profile.kinds[kind_of(item)] += 1
    profile.options[len(options)] += 1
    if len(key) == 1 and len(options) >= MANY_OPTIONS:
        profile.letters[key] += 1
    profile.categories[SourceWords.of(item)] += 1
    for sign in signs_of(item):
        profile.signs[sign] += 1
        profile.examples.setdefault(sign, item)


def kind_of(item: QuestionItem) -> str:
    """Return the kind of a question, judged only by its options and answer."""
    key = key_of(item)
    if options_of(item) and key:
        return "one letter" if len(key) == 1 else "several letters"
    return "verdict" if is_verdict(item.answer_raw) else "words" if item.answer_raw else "no answer"
