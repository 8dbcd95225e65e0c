"""A cell with a complete question: its text -> stem, options, and the answer if it states one."""

import re
from collections.abc import Sequence
from typing import Any

from atomexam.text.option_letters import LETTERS, are_in_turn
from crawlers.read.lines.paper import read_paper
from crawlers.read.lines.questions.banks import read_choice
from crawlers.read.lines.questions.draft import Draft
from crawlers.read.tables.roles.records import Roles, options_of
from crawlers.read.vocabulary.labels import flat

_A, _B = (re.compile(rf"(?:^|(?<=[\s)\]】?:。(]))[{letters}](?:\s{{0,2}}[.、:)\]]|\s{{0,2}}[\u4e00-\u9fff])") for letters in ("Aa", "Bb"))
_A_GLUED = re.compile(r"(?<=[是为有于括])A[.、]")
_A_IN_TURN = re.compile(r"(?:(?<=[\u4e00-\u9fff])|(?<=素[A-EK]))A[.、](?![A-J][.、])")
_GLUED = re.compile(r"[A-J][.、]")
_NUMBERED = re.compile(r"[(第]?\s?\d{1,4}\s?[、.)题](?!\d)")
_NUMBER = "1、"
_OWN_LETTER = re.compile(r"[A-K][\u4e00-\u9fff]")
_ANSWER_AT_END = re.compile(r"(?:正确|参考|标准)答案\s?:?\s?[A-Ja-j]\s?$")
_LONGEST_ANSWER_CHARS = 16
_BOTH_VERDICTS = 2
_ANSWER_BEHIND = re.compile(r"\s(?:正确|参考|标准)答案\s?:?\s?(?P<letter>[ABab]?)\s{0,3}$")
_COUNTER = re.compile(r"\s{0,3}\d{1,4}\s?(?:[/.|]?\s?\d{1,6}\s?[单多判][^\d\s，,。？?（(]{1,3}\n|/\s?\d{1,6}\s?[单多判]?[选断]题)")
"""A question counter, as shown by apps above a question: 18/473单选题."""
_QUESTIONS_BELOW = re.compile(r"\n\s{0,9}(?:请|试)?回答(?:下列|以下|有关|相关)?(?:的)?问题")
"""The start of the questions that refer to the text above them."""
IN_CELL = "(answer in the cell)"
"""Record key of the answer found in the stem's cell."""
_RINGS = re.compile(r"[①-⑳]")
_WRAPPED = re.compile(r"(?<![\s。？?！!：:；;])\s{0,3}\n\s{0,3}")


def parts_of_stem(text: str) -> dict[str, Any]:
    """Return the raw fields of a question written into one cell as in a paper: `知觉是（ ） A.甲 B.乙`.

    Empty if no options are found; only `doubt` if their letters are not distinct and in order.
    """
    line = flat(text)
    if verdicts := _verdicts_at_end(text, line):
        return verdicts
    first = _A.search(line) or _A_GLUED.search(line)
    led = _A_IN_TURN.search(line) if first is None else None
    led = led if led and _is_glued(line[led.start() :]) else None
    first = first or led
    if first is None and _ANSWER_AT_END.search(line, max(0, len(line) - _LONGEST_ANSWER_CHARS)):
        return {"doubt": "options_unreadable"}  # the option letters were lost, the answer's letter was not
    if first is None or not (_B.search(line, first.end()) or _is_glued(line[first.start() :])):
        return {}
    if _QUESTIONS_BELOW.search(line, first.end()):
        return {"stem_raw": text}
    number = "" if _NUMBERED.match(line) else _NUMBER
    drafts = read_paper(f"{number}{text}".split("\n")).drafts
    if len(drafts) > 1 and (parts := _behind_rings(text, line, drafts)):
        return parts
    if len(drafts) != 1 or not (drafts[0].options or drafts[0].doubt):
        return {"doubt": "options_unreadable"} if led else {}
    if drafts[0].doubt:
        return {"doubt": drafts[0].doubt}
    if not any(_agree(drafts[0].options, line[mark.start() :]) for mark in (first, *_A.finditer(line, first.end()))):
        return {"doubt": "options_unreadable"}
    options = _unglued(drafts[0].options)
    if options is None:
        return {"doubt": "options_unreadable"}
    parts = {"stem_raw": drafts[0].stem.removeprefix(number), "options_raw": options}
    if drafts[0].answer:
        parts["answer_raw"] = drafts[0].answer
    if drafts[0].explanation:
        parts["explanation_raw"] = drafts[0].explanation
    return parts


def has_options_below(row: dict[str, Any], stem: str) -> bool:
    """Return whether a row's stem cell also contains its options."""
    text = row.get(stem)
    return isinstance(text, str) and bool(options_of(row, [stem], stem) or parts_of_stem(text))


def with_cell_divided(record: dict[str, Any], row: dict[str, Any], roles: Roles) -> dict[str, Any]:
    """Return the record of a row whose stem cell contains the options, and perhaps the answer, as in a paper."""
    parts = parts_of_stem(text) if roles.options == [roles.stem] and isinstance(text := row.get(roles.stem), str) else {}
    if not parts.get("options_raw") or not parts.get("answer_raw"):
        return record
    own = {key: parts[key] for key in ("stem_raw", "options_raw")} | {IN_CELL: parts["answer_raw"]}
    return record | own | {key: record.get(key) or parts.get(key) for key in ("answer_raw", "explanation_raw")}


def _behind_rings(text: str, line: str, drafts: Sequence[Draft]) -> dict[str, Any]:
    """Return the parts of a cell whose stem lists ①, ②, ③, which the paper reader would mistake for questions; empty for any other cell."""
    *listed, last = drafts
    if not _RINGS.search(line) or last.doubt or len(last.options) < _BOTH_VERDICTS or any(each.options or each.answer for each in listed):
        return {}
    start = text.rfind(last.options[0])
    return {"stem_raw": text[:start].rstrip(), "options_raw": last.options} if start > 0 else {}


def _verdicts_at_end(text: str, line: str) -> dict[str, Any]:
    """Return the parts of a cell that ends in two verdicts such as 是 B否 and an answer label: letters may be lost, but not their order."""
    label = _ANSWER_BEHIND.search(line, max(0, len(line) - _LONGEST_ANSWER_CHARS))
    if label is None or len(line) != len(text):
        return {}
    counter = _COUNTER.match(line)
    choice = read_choice(text[counter.end() if counter else 0 : label.start()], 0)
    if not choice.sure or len(choice.options) != _BOTH_VERDICTS or not choice.stem:
        return {}
    letter = {"answer_raw": label["letter"].upper()} if label["letter"] else {}
    return {"stem_raw": _WRAPPED.sub(_joint, choice.stem), "options_raw": choice.options} | letter


def _joint(wrapped: re.Match[str]) -> str:
    """Return the replacement of a line break: a space between Latin words, nothing between Chinese ones."""
    text, (start, end) = wrapped.string, wrapped.span()
    sides = text[start - 1 : start] + text[end : end + 1]
    return " " if len(sides) == 2 and sides.isascii() and sides.isalnum() else ""


def _agree(options: list[str], marked: str) -> bool:
    """Return whether all options have their own letter or none has, and whether the first one begins at the A in the cell.

    If a letter was lost, the reader mistakes the lines for options: 以上处分。A警告 is not one.
    """
    own = [flat(option).lstrip(" ([").upper().startswith(letter) for option, letter in zip(options, LETTERS, strict=False)]
    first = re.sub(r"\W", "", flat(options[0])) if options else ""
    return not any(own) or (all(own) and re.sub(r"\W", "", marked)[: len(first)].upper() == first.upper())


def _unglued(options: list[str]) -> list[str] | None:
    """Return options without letters glued to their words, `A警告`, `B记过`; None if the letters may be part of the words.

    If the texts after the letters are equal, as in `A型`, `B型`, `C型`, the letters are the options.
    """
    words = [option[1:] for option, letter in zip(options, LETTERS, strict=False) if _OWN_LETTER.match(option) and option[0] == letter]
    if len(words) < len(options) or len({word[0] for word in words}) == 1:
        return options
    return words if len({word[0] for word in words}) > len(words) / 2 else None


def _is_glued(options: str) -> bool:
    """Return whether A.甲B.乙C.丙 has each letter once and with the same sign, so that no letter is the end of a word."""
    letters = _GLUED.findall(options)
    return len(letters) > 2 and are_in_turn(letter[0] for letter in letters) and len({mark[1] for mark in letters}) == 1
