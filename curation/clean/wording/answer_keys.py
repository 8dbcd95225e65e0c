"""Answers -> letters, from `B,D`, `a c`, `答案：ACD`, `D、行为倾向`, an option's own text, 正确 or ×; 略 and the like are no answers."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from atomexam.text.canonical import canonical
from atomexam.text.normalize import normalize
from atomexam.text.numerals import value_of
from atomexam.text.option_letters import LETTERS, letters_in, next_letter
from atomexam.text.verdicts import CODES, FALSE, SURE_VERDICTS, TRUE, VERDICTS, verdict_of

_WHAT = r"(?:参考|正确|标准)?(?:答案|解析|解答|分析|说明)"
_NOTHING = re.compile(
    rf"[（(【\[]?(?:本题)?(?:{_WHAT}[:：]?)?(?:从?略|暂?无|没有|暂缺|缺|未知|未提供|未给出|不详|待(?:补充|完善|更新|定)|加载中|(?:需要?|开通)(?:VIP|会员)|(?:章节测[验试]\s*)?(?:已|未)完成|见(?:后|下|书)|空|null|none|nan|n/?a|undefined)"
    rf"(?:{_WHAT})?[）)】\]]?[。.!！]?",
    re.I,
)
_ELSEWHERE = re.compile(
    rf"[（(]?(?:{_WHAT}[:：]?)?(?:请?(?:参见|参考|参阅|详见|见|看))(?:教材|课本|书本?|讲义|笔记|{_WHAT}|上[题文]?|下[题文]?|原文)[^。，；\n]{{0,10}}[）)]?[。.]?"
)
_TO_PAY = re.compile(
    r"(?:[^。，\n]{0,8}(?:VIP|会员|登[录陆]|购买|付费|扫码|关注)[^。，\n]{0,6}(?:可见|查看|后|获取|显示)[^。\n]{0,10})[。.]?", re.I
)


def is_placeholder(text: str) -> bool:
    """Return whether a text is a placeholder for a missing answer or explanation."""
    return any(pattern.fullmatch(text) for pattern in (_NOTHING, _ELSEWHERE, _TO_PAY))


_MARK = re.compile(
    r"^[【\[（]?(?:本题)?(?:(?:[Aa]nswer|ANSWER)(?=[:：])|参考答案|正确答案|标准答案|答案|正确选项|选项|答|[故应]?选)"
    r"[】\]）]?[:：是为]?\s*(?:选|选项)?"
)
_EXPLAINED = re.compile(
    r"^([（(【\[]?[A-J](?:[、，,\s]*[A-J])*[）)】\]]?)[。.；;，,\s]*[【\[（(]?(?:答案|试题)?解析[】\]）)]?[:：]?.*$", re.S
)
_QUOTES = re.compile("[\"'“”‘’\\[\\]]+")
_LETTER_NEXT = r"(?=[（(\[【]?[A-J][）)\]】]?\s*[、.．:：])"
_BETWEEN_PARTS = re.compile(rf"[、，,；;|\n]\s{{0,40}}{_LETTER_NEXT}|(?<=[\u4e00-\u9fff ]){_LETTER_NEXT}")
_BETWEEN_TEXTS = re.compile(r"[、，,；;|\n]")
_IN_ORDER = re.compile("A?B?C?D?E?F?G?H?I?J?")
_ONLY_LETTERS = re.compile(r"^[（(\[【]?[A-Ja-j](?:[\s,，、;；.。/|+&和及与]*[A-Ja-j])*[）)\]】]?(?:选?项)?[\s,，、;；.．。（(]*$")
_LETTER_AND_TEXT = re.compile(r"^[（(\[【]?([A-J])[）)\]】]?\s*[、.．:：，,\s]?\s*(?=\S)(.+)$", re.S)
_SAYS_VERDICT = re.compile(r"正确(?!率)|错误|[√×]|[:：是为]\s?[对错]$")
_PAIRS_OF_LETTERS = frozenset({"TF", "FT", "YN", "NY", "RW", "WR", "OX", "XO"})

_POINTS_ELSEWHERE = re.compile(
    r"(?:案)?例[一二三四五六七八九十\d]{1,2}[：:]?|[（(]?(?:参?见)?(?:教材|课本|书)?[Pp]\.?\s*\d{1,3}(?:\s*[-~、，,]\s*[Pp]?\d{1,3})*[)）]?。?|(?:参?见)?(?:教材|课本|书)?第\d{1,3}页。?"
)
"""A page number, or the heading of the next case, instead of an answer."""


_ELSEWHERE_IN_PART = re.compile(r"(?:^|[：:])\s*(?:参见|详见|见)(?:本章|本书|本节|教材|课本|前面|上题|上一?章)[^。\n]{0,12}(?:。|\n|$)")
_OPTION_INSTEAD = re.compile(r"[（(]?([A-H])[）)、.．]\s*(?=[\u4e00-\u9fff“])")
_ASKED_FOR = re.compile(
    r".{0,40}(?:每小?题|各题|全文|字数).{0,12}(?:不?[少低多]于|至少|不超过|限|控制在)?\s?\d{2,4}\s?字.{0,12}|.{0,40}(?:不[少低]于|不少於|至少)\s?\d{2,4}\s?字.{0,12}",
    re.DOTALL,
)
"""Instructions on how to answer, given in place of an answer: `结合实例，不少于300字`."""
_CUT_OFF = re.compile(r"(?:如下|以下|下列|几[个种点]?方面|几[个种]|几点)[^。；：\n]{0,12}[:：]$")
_OF_OPTIONS = re.compile(r"正确答案\s?[是为选:：]?\s?[A-J](?![A-Za-z])")
"""Text that explains which option is right does not answer an open question."""
_NAMED_LAST = re.compile(r"(?:正确答案|答案|故选|应选)\s?[是为选:：]?\s?([A-J](?:[、，,\s]{0,2}[A-J])*)[。.\s]{0,3}$")
_LIST_CUT_OFF = re.compile(r"(?:1\s*[)）、.．]|[（(]1[）)]|①)(?!\d|.*(?:2\s*[)）、.．]|②))[^。；;\n]{1,40}[。；;]?")


_LONGEST_LETTERS_CHARS = 40


class AnswerKey(NamedTuple):
    """Sorted letters, or None; `displaced` is an option that the source put in the answer field."""

    letters: str | None
    rule: str | None = None
    """Name of the repair, None if none was needed."""
    displaced: tuple[str, str] | None = None
    in_order: bool = True
    """The letters are in strict alphabetical order."""
    repeated: bool = False
    """A letter is repeated."""


def read_letters(raw: str | None, options: list[str]) -> AnswerKey:
    """Return the letters of a choice question's answer."""
    if raw and _IN_ORDER.fullmatch(raw):
        return AnswerKey(raw)
    text = _EXPLAINED.sub(r"\1", _MARK.sub("", normalize(raw or "").text))
    if not text:
        return AnswerKey(None)
    if not text.isalpha() and options[: len(LETTERS)].count(text) == 1:  # E for `B+C` where that is the fifth option
        return AnswerKey(LETTERS[options.index(text)], "answer_as_text")
    if _ONLY_LETTERS.match(_QUOTES.sub("", text)):
        named_letters = letters_in(text)
        letters = "".join(sorted(set(named_letters)))
        rule = None if letters == (raw or "").strip() else "answer_letters"
        return AnswerKey(letters, rule, in_order=named_letters == list(letters), repeated=len(named_letters) > len(letters))
    whole = _by_text(text, options)  # B超 and DNA are texts of options, not a letter with its text
    if whole.letters or (several := _several(text, options)).letters is None:
        if whole.letters is None and (last := _NAMED_LAST.search(text, max(0, len(text) - _LONGEST_LETTERS_CHARS))):
            return read_letters(last[1], options)._replace(rule="answer_letters")  # an explanation in place of the key, ending with the key
        named = None if whole.letters else _LETTER_AND_TEXT.match(text)
        return _letter_and_text(named[1], named[2], options) if named else whole
    return several


def _several(text: str, options: list[str]) -> AnswerKey:
    """Read A.甲、B.乙 and 甲，乙, or one text per line, provided that every part is an option."""
    for parts, named in ((text.split("\n"), False), (_BETWEEN_PARTS.split(text), True), (_BETWEEN_TEXTS.split(text), False)):
        if 1 < len(parts) <= len(options) and (letters := _letters_of(parts, named, options)):
            return AnswerKey(letters, "answer_as_text")
    return AnswerKey(None)


def _letters_of(parts: list[str], named: bool, options: list[str]) -> str:
    """Return the letters of the options that make up an answer; an empty string unless each part is a different option."""
    letters = set()
    for part in parts:
        match = _LETTER_AND_TEXT.match(part) if named else None
        letter = _by_text(match[2] if match else part, options).letters
        if not letter or (match and match[1] != letter):
            return ""
        letters.add(letter)
    return "".join(sorted(letters)) if len(letters) == len(parts) else ""


def _letter_and_text(letter: str, text: str, options: list[str]) -> AnswerKey:
    index = LETTERS.index(letter)
    if index < len(options) and options[index] and canonical(options[index]) == canonical(text):
        return AnswerKey(letter, "answer_with_text")
    if index >= len(options) or not options[index]:
        # `D、华生` with options A-C: the last option slipped into the answer field, and the answer is lost.
        return AnswerKey(None, "option_in_answer", (letter, text))
    return _by_text(text, options)


def _by_text(text: str, options: list[str]) -> AnswerKey:
    same = [LETTERS[index] for index, option in enumerate(options[: len(LETTERS)]) if option and canonical(option) == canonical(text)]
    if len(same) == 1:
        return AnswerKey(same[0], "answer_as_text")
    return AnswerKey(None)


def read_verdict(raw: str | None) -> str | None:
    """Return A for 正确, B for 错误, None for anything else."""
    text = _MARK.sub("", normalize(raw or "").text).rstrip("。.").strip("（()）[]【】")
    return {TRUE: "A", FALSE: "B"}.get(verdict_of(text, VERDICTS | CODES)) or (text if text in ("A", "B") else None)


def read_verdict_line(raw: str | None) -> str | None:
    """Read the first line of an answer with `read_verdict`, ignoring what the page adds below: 错⏎章节测验⏎已完成."""
    first_line, *behind = normalize(raw or "").text.split("\n")
    verdict = read_verdict(first_line)
    if not behind:
        return verdict
    differs = any(read_verdict(line) != verdict and (read_verdict(line) or _SAYS_VERDICT.search(line)) for line in behind)
    return verdict if verdict_of(first_line, SURE_VERDICTS) and not differs else None


def are_verdicts(options: Sequence[str]) -> bool:
    """Return whether two options are 正确 and 错误 in some wording; X and Y are not, and neither are 对 and 正确."""
    if len(options) != 2 or {read_verdict(option) for option in options} != {"A", "B"}:
        return False
    return not all(len(option) == 1 and option.isascii() for option in options) or "".join(options).upper() in _PAIRS_OF_LETTERS


def are_opposites(options: Sequence[str]) -> bool:
    """Return whether two options are a word and its negation: 可以 and 不可以, 有 and 没有."""
    first, second = sorted(options, key=len) if len(options) == 2 else ("", "")
    return bool(first) and second in {negation + first for negation in ("不", "没", "未", "非", "无", "不是", "没有")}


_NUMBER_OF_BLANK = re.compile(r"(?:（(?P<digit>\d{1,2})）|第(?P<place>[一二三四五六七八九]|\d{1,2})空(?:[:：、.]|(?=\s)))\s*")


def without_numbers(text: str, blanks: int) -> str:
    """Return the words for the blanks of a stem, separated by ；, without the numbers before them: `（1）每年\n（2）省级`."""
    numbers = [*_NUMBER_OF_BLANK.finditer(text)]
    values = [int(number["digit"]) if number["digit"] else value_of(number["place"]) for number in numbers]
    if not numbers or numbers[0].start() or values != [*range(1, blanks + 1)]:
        return text
    ends = [number.start() for number in numbers[1:]] + [len(text)]
    words = [text[number.end() : end].strip(" \n；;，,") for number, end in zip(numbers, ends, strict=True)]
    return "；".join(words) if all(words) else text


def read_words(text: str) -> AnswerKey:
    """Return the answer to an open question from its cleaned text."""
    return AnswerKey(text if canonical(text) and not _is_no_answer(text) else None)


def is_page_reference(text: str) -> bool:
    """Return whether a text is a page reference instead of an answer."""
    return bool(_POINTS_ELSEWHERE.fullmatch(text))


def _is_no_answer(text: str) -> bool:
    """Return whether a text refers elsewhere, is a displaced option, or is the first item of a list whose other items are missing."""
    if (
        is_placeholder(text)
        or _POINTS_ELSEWHERE.fullmatch(text)
        or _ASKED_FOR.fullmatch(text)
        or _ELSEWHERE_IN_PART.search(text)
        or _CUT_OFF.search(text)
        or _OF_OPTIONS.search(text)
        or _LIST_CUT_OFF.fullmatch(text)
    ):
        return True
    option = _OPTION_INSTEAD.match(text)
    return option is not None and not re.search(rf"(?<![A-Za-z]){next_letter(option[1])}\s*[）)、.．]", text[option.end() :])
