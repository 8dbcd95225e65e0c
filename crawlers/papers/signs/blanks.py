"""Answers inside a stem: letters in its blank or after it, words between underscores. From a stem to the stem and its answer."""

import re

from atomexam.text.numerals import CIRCLED_NUMBERS
from atomexam.text.option_letters import CIRCLED_AS_LETTERS, letters_in
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.signs.answer_marks import flat

_LETTERS = r"[A-Ja-j](?:[ ,、;./]{0,2}[A-Ja-j]){0,9}"
_IN_BRACKETS = re.compile(rf"[(\[【][\s_]{{0,20}}(?P<answer>{_LETTERS})[\s_]{{0,20}}[)\]】]")
_VERDICT_IN_BRACKETS = re.compile(rf"[(\[【][\s_]{{0,20}}(?P<answer>{SURE_VERDICT}|[TF])[\s_]{{0,20}}[)\]】]")
_BETWEEN_LINES = re.compile(r"_{1,40}\s{0,4}(?P<answer>[A-J](?:[ ,、]{0,2}[A-J]){0,9})\s{0,4}_{1,40}")
_EMPTY = re.compile(r"\(\s{0,30}\)|【\s{0,30}】|\[\s{0,30}\]")
_WORD_WRAPPED = r"(?:(?<=维生素)|(?<=维他命))\s?\n"  # the letter on the line below ends the word
_BEHIND = re.compile(
    rf"(?:(?<=[)\]】。?:_])|(?<=[\u4e00-\u9fff])(?!{_WORD_WRAPPED})\s{{1,20}}|(?<=\d)\s{{3,20}})"
    r"\s{0,20}(?P<answer>[A-J](?:[ ,、]{0,2}[A-J]){0,9})\s{0,3}[。.]?$"
)
_BRACKETS_BEHIND = re.compile(
    r"(?<=[)\]】。?:_])\s{0,20}[(\[【]\s{0,3}(?P<answer>[A-J](?:[ ,、]{0,2}[A-J]){0,9})\s{0,3}[)\]】]\s{0,3}[。.]?$"
)
"""Letters in separate brackets after a blank or the end of a sentence: `……称为（ ）。【C】`."""
_WORDS = r"\s{0,3}(?P<words>[^\s_(][^_\n]{0,39}?)\s{0,3}"
_UNDERLINED = re.compile(rf"_{{2,60}}{_WORDS}_{{2,60}}")
_UNDERLINED_ONCE = re.compile(rf"(?<![A-Za-z\d_])_(?!_){_WORDS}_(?!_)")
_JOINING = re.compile(
    r"[和与及或、,;。.:与以是为有在即由]|以及|、?\S?[和与及、]\S?|(?:主要|又|可|应|也|都|被|则|常)?(?:是|分为|分|称为|称|叫做?|包括|属于|位于|由|有|见于|来自|取决于|等于|大于|小于)"
    r"|[的是为和与及在由].{0,39}|.{0,39}[是为有于由的和与及]"
)
_OF_FORM = re.compile("[年月日时分秒元号起止至到人份方]{1,5}")
"""Words between the gaps of a form: `____年__月__日起至____年__月__日`."""
_WORDS_IN_BRACKETS = re.compile(r"\(\s{0,6}(?P<words>[^()\s][^()\n]{0,39}?)\s{0,6}\)")
_NO_BLANK = re.compile(r"\(\s?\d{1,3}(?:\.\d)?\s?分?\s?\)")
"""A score or a point of a list."""
_BLANK = re.compile(r"\(\s{0,30}\)|【\s{0,30}】|\[\s{0,30}\]|_|[^\S\n]{3}|\?|[.…]{3}|[—-]{3}")
_LEADS = re.compile(
    r"(?:[是即叫括于、和与及或]|指(?<![手拇食中]指)|(?<!行)为|(?<![自理])由|称(?<![名对]称)|有|(?<![内存])在|(?<!目)的|(?<=\d)年|\))\s{0,3}$"
)
"""Words that need a following one: what is in brackets after them is not a gloss on them."""


def letters_in_blank(stem: str, letters: str, start: int = 0) -> tuple[str, str] | None:
    """Return a stem with its blank emptied, and the letters that were in it: `……称为（ B ）。`."""
    line = flat(stem)
    filled = [match for match in _IN_BRACKETS.finditer(line, start) if set(_upper(match["answer"])) <= set(letters)]
    if len(filled) == 1 and not _EMPTY.search(line):
        return _without_answer(stem, filled[0])
    between = list(_BETWEEN_LINES.finditer(line, start))
    if len(between) == 1 and set(_upper(between[0]["answer"])) <= set(letters):
        match = between[0]
        return stem[: match.start("answer")] + stem[match.end("answer") :], match["answer"]
    return None


def verdict_in_blank(stem: str) -> tuple[str, str] | None:
    """Return a statement with its blank emptied, and the verdict that was in it: `……应当复核（√）。`."""
    line = flat(stem)
    filled = list(_VERDICT_IN_BRACKETS.finditer(line))
    if len(filled) != 1 or _EMPTY.search(line):
        return None
    return _without_answer(stem, filled[0])


def _without_answer(stem: str, match: re.Match[str]) -> tuple[str, str]:
    """Return a stem with the brackets of an answer emptied, and the answer."""
    return stem[: match.start()] + "（ ）" + stem[match.end() :], stem[match.start("answer") : match.end("answer")]


def letters_behind(stem: str, letters: str, start: int = 0) -> tuple[str, str] | None:
    """Return a stem without the letters at its end that are its answer: `……称为（ ）。B`, `……称为（ ）。【B】`."""
    line, index = flat(stem), max(start, len(stem) - 60)
    match = _BEHIND.search(line, index) or (_BRACKETS_BEHIND.search(line, index) if _EMPTY.search(line, start) else None)
    if match is None or not set(_upper(match["answer"])) <= set(letters):
        return None
    return stem[: match.start()].rstrip(), stem[match.start("answer") : match.end("answer")]


def lettered(answer: str) -> str | None:
    """Return an answer of circled numbers as letters."""
    signs = re.sub(r"[\s,、，]", "", answer)
    return signs.translate(CIRCLED_AS_LETTERS) if signs and set(signs) <= set(CIRCLED_NUMBERS) else None


def filled_blanks(stem: str, start: int = 0, announced: bool = False) -> tuple[str, str] | None:
    """Return a stem with its blanks emptied, and the words that were in them: `研究___行为___的科学`, `四气是（寒）、（热）`.

    Args:
        start: where the words after the number begin.
        announced: a heading states that blanks are to be filled in, so that single underscores and brackets may be blanks.
    """
    line = flat(stem)
    filled = list(_UNDERLINED.finditer(line, start))
    filled = filled or (list(_UNDERLINED_ONCE.finditer(line, start)) if announced else [])
    if (
        not filled
        or len(re.findall("_{1,60}" if announced else "_{2,60}", line)) != 2 * len(filled)
        or any(_JOINING.fullmatch(match["words"]) for match in filled)
        or (len(filled) > 1 and any(_OF_FORM.fullmatch(match["words"]) for match in filled))
        or any(sign in match["words"] for match in filled for sign in "、,。;")
    ):
        return _filled_brackets(stem, start) if announced else None
    return _emptied(stem, filled)


def lacks_blank(stem: str, start: int = 0) -> bool:
    """Return whether a stem that is to be filled in has no empty blank, or words in a blank beside an empty one."""
    line = flat(stem)
    empty = _BLANK.search(line, start)
    words = [match["words"] for match in _UNDERLINED.finditer(line, start)]
    runs = len(re.findall("_{2,60}", line))
    if runs > 2 * len(words) and any(len(word) > 1 and not _JOINING.fullmatch(word) and not set(word) & set("、,。;") for word in words):
        return True
    return empty is None or ("_" not in line[start:] and any(_LEADS.search(line[start : m.start()]) for m in _in_brackets(line, start)))


def _in_brackets(line: str, start: int) -> list[re.Match[str]]:
    return [match for match in _WORDS_IN_BRACKETS.finditer(line, start) if not _NO_BLANK.fullmatch(match[0])]


def _filled_brackets(stem: str, start: int) -> tuple[str, str] | None:
    """Return a stem with its brackets emptied if all of them are certainly blanks: it has no others, and needs words at each."""
    line = flat(stem)
    brackets = _in_brackets(line, start)
    sure = all(_LEADS.search(line[max(start, match.start() - 9) : match.start()]) or match.start() == start for match in brackets)
    return _emptied(stem, brackets) if brackets and sure and not _BLANK.search(line, start) else None


def _emptied(stem: str, matches: list[re.Match[str]]) -> tuple[str, str]:
    emptied, end = "", 0
    for match in matches:
        emptied += stem[end : match.start("words")] + stem[match.end("words") : match.end()]
        end = match.end()
    return emptied + stem[end:], "；".join(stem[match.start("words") : match.end("words")] for match in matches)


def _upper(answer: str) -> list[str]:
    return letters_in(answer)
