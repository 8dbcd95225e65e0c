"""Parse the options that a reply commits to: one for single choice, a set for multiple choice.

A label (答案：) beats a choosing verb (故选), which beats a bare answer, which beats options judged one by one, which beats the text of
an option; a text counts only if the reply concludes it, not if it only mentions it. An explicit later correction beats everything before
it, a reply that states that it cannot decide names nothing, and text after an invented next question is ignored.
Letters inside words (ADHD), letters that the reply rejects, and letters outside the options are never an answer.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from eval.answers.exclusion import by_exclusion
from eval.answers.labels import ALSO, EITHER, ONE_AFTER, RUN_AFTER, STRONG, TURNING, WEAK, corrected, labelled, later_choice
from eval.answers.letters import (
    AND,
    ITEM,
    LETTERS,
    RUN,
    has_letters,
    letters_approved,
    letters_of,
    prepared,
    rejected_letters,
    without_rejected,
)
from eval.answers.option_texts import named_by_text, option_text, without_question
from eval.answers.option_verdicts import all_judged
from eval.answers.reply_text import folded
from eval.answers.structured import judged_fields, judged_one_by_one
from eval.answers.undecided import ends_without_answer, undecided, without_cases

# The plainest forms, matched in the raw reply: B / 答案：B。 / A、C、D / B. the option's own words
_QUICK = re.compile(r"\s*(?:(?:正确)?答案\s?(?:[:：是为]|[是为][:：])?\s?)?([A-Ja-j]{1,10})[.。]?\s*")
_QUICK_LIST = re.compile(r"(?:(?:正确)?答案[:是为]?)?([A-J](?:[、,][A-J]){1,9})[.。]?")
_QUICK_TEXT = re.compile(r"\s*(?:答案[:：])?(?P<letter>[A-J])[.、:：] ?(?P<text>[^\s.。]+)[.。]?\s*")
_JSON = re.compile(
    r"[\"'](?P<key>ans|(?:final_?|correct_?)?(?:answers?|choice|option)|final|correct|selected|(?:正确|最终)?(?:答案|选项)|正确|选择)[\"']\s?:\s?(?P<value>\[[^\]]{0,80}\]|\"[^\"\n]{0,80}|'[^'\n]{0,80}|[A-J]+)",
    re.IGNORECASE,
)
_ANSWER_KEY = re.compile("ans|答案", re.IGNORECASE)
_BARE_END = re.compile(
    r"[\s)\]}\"'”’]*(?:选?项)?\s?"
    r"(?:$|[.。,;:、\n!(<]|(?:[两二三四五六七]\s?[个项])+(?:选项)?(?:(?:全部?|都|均|皆)?(?:正确|对|选|$)|(?:全部?|都|均|皆)(?:是|属于|符合|包括|可))|(?:全部?|都|均|皆)(?:是(?!否)|属于|符合|正确|对|选))"
)
_IN_BRACKETS = re.compile(r"\s*[(\[]\s?(?P<letter>[A-J])\s?[)\]]")
_ANOTHER = re.compile(rf"(?!\s?\([A-Ja-j][^)\s]){AND}{ITEM}\s?(?:{AND}{ITEM}|[.。]?$)|\s?[、/&+和与及]\s?{ITEM}")
_EXPLANATION = re.compile(r"\n\n(?!\s?(?:选项)?[A-Ja-j](?:选?项)?[.。、,]?\s*(?:\n|\Z))[^\n]{6}")  # B⏎⏎A、C、D三项均为干扰项
_NEXT_ITEM = re.compile(r"[\n。;][\s\-•(]{0,20}(?:选项)?[A-Ja-j](?:选?项)?[.、:)\s]")
_ITEM_SEPARATOR = re.compile(r"(?:选?项)?\s?[:、,(—-]")
NEXT_QUESTION = re.compile(
    r"\n\s?(?:(?:以下是|请你做)[^\n]{2,40}选择题|(?:下一|新)?(?:问题|题目|题干|题)\s?\d{0,2}\s?:|(?:请回答)?下一?题|第\s?\d{1,3}\s?题|\d{1,3}\s?[.、]\s?[^\n]{4,}\(\s?\)"
    r"|(?:下列|以下)[^\n]{4,80}(?:\(\s?\)|[?:]|是)\s?(?:\n|$)|(?:user|human|question|用户|问)\s?\d{0,2}\s?:"
    r"|[\[【<]\s?(?:新?题目?|问题|题干|试题|例题|病例|案例|下一?题|question)\s?\d{0,2}\s?[\]】>])",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"。|\n(?!\s?(?:[-•]|\(?\d{1,2}\s?[.、)]))")
_OR = re.compile("或|还是|要么|or |/")
_LETTERS = re.compile(LETTERS)
_INCLUDING = re.compile(rf"(?<![不没])(?:有|包[括含])[:\s]?(?P<run>{RUN})")
Known = Mapping[str, str]


def read_single(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the single letter that a reply commits to, or None."""
    letters = _read(reply, options, many=False)
    return letters if letters and len(letters) == 1 else None


def read_folded(text: str, options: Mapping[str, str], many: bool = False) -> str | None:
    """Return the result of read_single or read_several for a folded text."""
    letters = _read_folded(text, known_options(options), many)
    return letters if letters and (many or len(letters) == 1) else None


def read_several(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the set of letters that a reply commits to, sorted, or None."""
    return _read(reply, options, many=True)


def chosen_by_label(text: str, options: Mapping[str, str]) -> str | None:
    """Return the single letter after a label or a choosing verb of a folded text, or None."""
    known = known_options(options)
    text = prepared(text, known)
    answer = labelled(text, STRONG, many=False) or labelled(text, WEAK, many=False)
    return checked(answer, known, one=True) if answer else None


def known_options(options: Mapping[str, str]) -> Known:
    """Return options in the form in which replies are parsed."""
    return _known_of(tuple(options.items()))


@lru_cache(maxsize=1 << 15)
def _known_of(options: tuple[tuple[str, str], ...]) -> Known:
    """Return options in the form in which replies are parsed, the longest text first, so that none matches within another."""
    known = [(letter, option_text(option)) for letter, option in options if option and option.strip()]
    return dict(sorted(known, key=lambda each: -len(each[1])))


def _read(reply: str, options: Mapping[str, str], many: bool) -> str | None:
    known = known_options(options)
    if quick := _QUICK.fullmatch(reply):
        return checked(quick[1], known)
    if (quick := _QUICK_TEXT.fullmatch(reply)) and option_text(quick["text"]) == known.get(quick["letter"]):
        return quick["letter"]
    return _read_folded(folded(reply), known, many)


def _read_folded(text: str, known: Known, many: bool) -> str | None:
    if quick := _QUICK.fullmatch(text):
        return checked(quick[1], known)
    if many and (quick := _QUICK_LIST.fullmatch(text)):
        return checked(quick[1].replace("、", "").replace(",", ""), known)
    if "\n" in text and (turn := NEXT_QUESTION.search(text)) and turn.start() and (answer := _answer(text[: turn.start()], known, many)):
        return answer
    return _answer(text, known, many)


def _by_field(fields: list[re.Match[str]], known: Known, many: bool) -> str | None:
    """Return the answer of the first field that names options: fields called an answer before those that may list the options."""
    for field in sorted(fields, key=lambda field: _ANSWER_KEY.search(field["key"]) is None):
        if answer := checked(letters_of(field["value"]), known) or named_by_text(field["value"], known, many):
            return answer
    return None


def _answer(text: str, known: Known, many: bool) -> str | None:
    """Return the answer by the strongest kind of evidence in the text."""
    if ('"' in text or "'" in text) and (fields := list(_JSON.finditer(text))):
        return _by_field(fields, known, many)
    if "{" in text and (judged := judged_fields(text, 0 if many else len(known))) is not None:
        return checked(judged, known, one=not many)
    text = prepared(without_question(text, known), known)
    if answer := _judged(text, known, many):
        return answer
    if answer := by_exclusion(text, known, many):
        return answer
    if not has_letters(text):
        return _option_after(text, known, many) or _by_text(text, known, many)
    if "就是" in text and EITHER.search(text):
        return None
    text = without_cases(text)
    before, text = text, without_rejected(text)
    if ends_without_answer(text) and not labelled(text, STRONG, many):
        return None
    turning = TURNING.search(text)
    if turning and (answer := corrected(text, many)):
        return checked(answer, known)
    for label in (STRONG, WEAK):
        if label is WEAK and "也" in text and ALSO.search(text):
            return None
        if (answer := labelled(text, label, many)) is not None:
            return checked((turning and later_choice(text, many)) or answer, known)
        if label is STRONG and (answer := _option_after(text, known, many)):
            return answer
    if _OR.search(text) and EITHER.search(text):
        return None
    if turning and (answer := later_choice(text, many)):
        return checked(answer, known)
    answer = _bare(text, many)
    if many and answer and set(answer) < set(approved := letters_approved(text)):
        answer = approved  # A、B两项正确，D、E两项也正确
    if not many and not answer and (apart := _set_apart(text, before, known)):
        return apart
    if (answer is None or (many and len(answer) == 1)) and (judged := judged_one_by_one(before, 0 if many else len(known))) is not None:
        return checked(judged, known, one=not many)
    if answer is not None:
        return checked(answer, known)
    rejected = rejected_letters(before) if before != text else set()
    if approved := letters_approved(text):
        return checked(approved, known, one=not many)
    return _by_text(text, known, many, rejected)


def _judged(text: str, known: Known, many: bool) -> str | None:
    """Return the answer of a reply that judges every option: those called right, or the one that differs from all others."""
    judged = all_judged(text, known)
    if not judged:
        return None
    right, wrong = judged
    return right or None if many else next((each for each in (right, wrong) if len(each) == 1 and right), None)


def _set_apart(text: str, before: str, known: Known) -> str | None:
    """Return the one option that is called wrong while all others are called right: A、B、D三项均正确，C项错误."""
    if before == text:
        return None
    others = known.keys() - set(letters_approved(text))
    return "".join(others) if len(known) > 2 and len(others) == 1 and others <= rejected_letters(before) else None


def _by_text(text: str, known: Known, many: bool, rejected: AbstractSet[str] = frozenset()) -> str | None:
    """Return the options whose text a reply without a letter choice concludes, or else its loose letters."""
    if undecided(text) and text.rstrip("。.") not in known.values():
        return None
    left = {letter: option for letter, option in known.items() if letter not in rejected} if rejected else known
    listed = _INCLUDING.search(text) if many else None
    if listed and len(letters := letters_of(listed["run"])) > 1 and not rejected & set(letters):
        return checked(letters, known)  # 注射给药的途径有B、C、D，口服（A）不是
    loose = "".join(letter for letter in _single_letters(text) if letter.upper() not in rejected)
    return named_by_text(text, left, many, concluded=True) or checked(loose, known, one=not many)


def checked(letters: str, known: Known, one: bool = False) -> str | None:
    """Return letters as a sorted set; None if there are none, one is not an option, or there are several for a single choice."""
    chosen = "".join(sorted(set(letters.upper())))
    if not chosen or not known.keys() >= set(chosen) or (one and len(chosen) > 1):
        return None
    return chosen


def _bare(text: str, many: bool) -> str | None:
    """Return the letters of a reply that consists of letters, or begins with them."""
    match = (RUN_AFTER if many else ONE_AFTER).match(text)
    if not match or "√" in text:
        return None
    rest = text[match.end() : match.end() + 400]
    if len(letters_of(match["run"])) == 1 and (many or _ITEM_SEPARATOR.match(rest)) and _NEXT_ITEM.search(rest):
        return None  # options discussed one by one
    if not many and _ANOTHER.match(rest) and not _EXPLANATION.match(rest):
        return ""  # a list of letters for a single choice
    if (bracketed := _IN_BRACKETS.match(text)) and len(_LETTERS.findall(text)) == 1:
        return bracketed["letter"]  # （B）强化物的撤除, whatever words of other options it contains
    return letters_of(match["run"]) if _BARE_END.match(rest) else None


def _option_after(text: str, known: Known, many: bool) -> str | None:
    """Return the options whose text follows the last strong label."""
    ends = [match.end() for match in STRONG.finditer(text)]
    return named_by_text(_SENTENCE_END.split(text[ends[-1] :].lstrip(" :\n"), maxsplit=1)[0], known, many) if ends else None


def _single_letters(text: str) -> str:
    """Return the isolated letters in a reply; rejected ones were removed before."""
    return "".join(match[0] for match in _LETTERS.finditer(text) if len(match[0]) == 1)
