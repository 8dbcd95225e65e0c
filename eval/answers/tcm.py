"""Parse TCM replies: the answer field of TCMBench's format, under either family of tags (<eoe> <eoa>, <coe> <coas>)."""

import re
from collections.abc import Mapping

from atomexam.text.numerals import value_of
from eval.answers.choice import chosen_by_label, read_folded
from eval.answers.letters import LETTERS, letters_of
from eval.answers.reply_text import folded, settled
from eval.answers.structured import numbered_values

_ANSWER = (
    r"(?:[\[【<(]\s?(?:正确|标准|参考|最终)?(?:答案|answer)\s?[\]】>)]|<\s?(?:coas|eoa)\s?>(?=\s?[A-J]\s?<)|(?:^|(?<=\n))答案\s?(?=[:\n]))"
)
_ANALYSIS = r"[\[【<(]\s?(?:解析|分析|解题思路|analysis)\s?[\]】>)]"
_NUMERAL = r"\d{1,2}|[一二三四五六七八九十]"
_PART = re.compile(
    rf"第\s?(?P<ordinal>{_NUMERAL})\s?[小个]?[题问]\s?[.、:)]*\s?"
    rf"|(?:^|(?<=[\n;,。、:\s>\]】])|(?=[(\[【]))[(\[【]?(?:小?题目?|问题?|[Qq](?:uestion)?)?\s?(?P<number>{_NUMERAL})\s?(?:小?[题问])?\s?(?:(?:[)\]】]\s?)?[.、:)]+|[)\]】]|(?:--?|=|→|⇒|—)>?(?=\s?[A-J]\b))\s?"
    rf"|(?:^|(?<=[\n;,。、\s]))(?:题目?|问题?)\s?(?P<named>{_NUMERAL})\s?的?(?=答案|选|[A-J]\b)"
    r"|(?:^|(?<=\n))(?P<bare>\d{1,2}) (?=[A-J]\b)|(?:^|(?<=[\s,;、\]】]))(?P<joined>\d{1,2})(?=[A-J](?![A-Za-z0-9\u4e00-\u9fff]))"
)
_END = r"<\s?/?\s?(?:eoa|coas|答案)\s?>"
_FIELD = re.compile(rf"{_ANSWER}\s?:?(.*?)(?:{_END}|(?={_ANSWER}|{_ANALYSIS})|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<\s?/?\s?(?:eoe|coe|eoa|coas|答案|解析)\s?>", re.IGNORECASE)
_NUMBERED = (
    rf"[\n。;] ?[(\[]?(?:第\s?|问题\s?|小?题\s?)?(?:{_NUMERAL})\s?[小个]?[题问]?\s?[.、:)\]]*\s?"
    rf"(?:{_ANALYSIS}|{_ANSWER}|[A-J](?:\s?(?:[\n<]|\Z)|[\s,;]{{1,2}}\(?\d))"
)
_REASONING_FIELD = re.compile(
    rf"{_ANALYSIS}(?P<text>.*?)(?:<\s?/?\s?(?:eoe|coe|解析)\s?>|(?={_ANSWER})|(?={_NUMBERED})|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_EXAMPLE = re.compile(r"例如\s?:?\s?[\[【]\s?答案\s?[\]】]\s?:?\s?A?\s?<\s?(?:eoa|coas)\s?>", re.IGNORECASE)  # the prompt's own, repeated
_LETTER_FIRST = re.compile(r":?\s?(?P<letter>[A-J])\s?[。;](?=[^A-J])")  # D。饮邪流于四肢，故为…
_RETRACTION = re.compile(r"更正|修正|纠正|有误|等等|不对|重新|应为|应该是|抱歉")
_RANGE_OF_PARTS = re.compile(rf"(?<!\d)1\s?[-~至到]\s?(\d{{1,2}})\s?题?的?(?:答案)?\s?[:是为]\s?({LETTERS}(?:[\s、,;]{{0,2}}{LETTERS})*)")


def read_tcm(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the single letter of a TCM reply, or None."""
    return _read(folded(reply), options)


def without_example(text: str) -> str:
    """Return a folded reply without the prompt's own example of an answer field."""
    return _EXAMPLE.sub("", text) if "例如" in text else text


def answer_fields(text: str) -> list[str]:
    """Return the contents of the answer fields of a folded reply."""
    return [_TAG.sub("", field[1]).strip() for field in _FIELD.finditer(text)]


def _read(text: str, options: Mapping[str, str]) -> str | None:
    text = without_example(text)
    if len(text) < 4:
        return read_folded(text.strip(), options)
    fields = list(_FIELD.finditer(text))
    if len(fields) > 1 and _RETRACTION.search(text, fields[0].end(), fields[-1].start()):
        fields = fields[-1:]
    for field in fields:
        if first := _TAG.sub("", field[1]).strip().partition("\n")[0]:
            if (opening := _LETTER_FIRST.match(first)) and opening["letter"] in options and not _RETRACTION.search(first):
                return opening["letter"]
            return read_folded(first.strip(), options)  # an answer field in words, or with several letters, is not a choice
    rest = settled(_TAG.sub(" ", _REASONING_FIELD.sub("", text)))
    if chosen := read_folded(rest, options) if rest else None:
        return chosen
    return None if fields else chosen_by_label(" ".join(part["text"] for part in _REASONING_FIELD.finditer(text)), options)


def read_tcm_group(reply: str, options: list[Mapping[str, str]]) -> list[str | None]:
    """Return the letters of a reply to several numbered questions, aligned by number; a missing one is None."""
    text = _REASONING_FIELD.sub("", folded(reply))
    answers: list[str | None] = [None] * len(options)
    if match := _RANGE_OF_PARTS.search(text):
        letters = letters_of(match[2])
        if len(letters) == int(match[1]) == len(options):
            return [letter if letter in each else None for letter, each in zip(letters, options, strict=True)]
    if values := numbered_values(text):
        return [_read(values[number], each) if number in values else None for number, each in enumerate(options, 1)]
    marks = list(_PART.finditer(text))
    for mark, after in zip(marks, [*marks[1:], None][: len(marks)], strict=True):
        number = (value_of(mark["ordinal"] or mark["number"] or mark["named"] or mark["bare"] or mark["joined"]) or 0) - 1
        if 0 <= number < len(options) and answers[number] is None:
            part = text[mark.end() : after.start() if after else len(text)]
            answers[number] = _read(part.rstrip(";,。、([【 \n").strip(), options[number])
    return answers
