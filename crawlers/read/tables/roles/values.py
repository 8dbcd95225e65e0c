"""Values of a cell or a key, read as options or as an answer to given options, in every form that question banks use."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from atomexam.text import verdicts
from atomexam.text.numerals import CIRCLED_NUMBERS, HANZI, ROMAN, STEMS
from atomexam.text.option_letters import CIRCLED_AS_LETTERS, LETTERS
from crawlers.read.tables.tree import listed
from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.options import find_options, is_signed, letter_of, without_sign
from crawlers.read.vocabulary.words import ANSWER_NAME

_WRITTEN_LINE_END = re.compile(r"\\r?\\n|\\n(?=\s?[A-JＡ-Ｊ](?:[\s.．、:：)）]|[\u4e00-\u9fff]))")
"""A line break written as a backslash and an n."""
_VERDICTS = re.compile(rf"({verdicts.VERDICT})[\s/,，、]{{1,3}}({verdicts.VERDICT})")
_FEWEST, _MOST_CHARS_OF_TWO = 3, 16
"""Minimum number of consecutively numbered texts that count as options; maximum length of a text with only two, `①对 ②错`."""
_DIVIDERS = ("$;$", "^*^", "||", "|", "###", "##", "@@", ";;", "；", ";", "\t")
_DASHES = (*"-–—=→>#_",)
_BEFORE = " \t\n\r\u3000;；|,，。、$#@&^~/\\*!"
_ANSWER_PROMPT = re.compile(r"\s{0,9}(?:(?:正确|你的)?答案|(?:the )?(?:correct )?answer)(?:是|为|is)?\s?[:：]\s{0,9}$", re.IGNORECASE)
"""An answer label after the options, with the answer itself elsewhere."""
_LEADS = re.compile(r"^[&@^|]{1,4}(?=\s?[AＡ]\s?[.．、:：)）])")
"""The separator repeated before the first option."""
_TAIL_SIGNS = re.compile(r"[;；|$#@&^~/\\*!,，]{1,8}$")


def split_options(text: str) -> list[str]:
    """Return the options in a text, split at consecutive letters from A on, otherwise at line breaks, otherwise at a separator."""
    text = _LEADS.sub("", _WRITTEN_LINE_END.sub("\n", text).strip())
    if not text:
        return []
    if (both := _VERDICTS.fullmatch(text)) and {*map(verdicts.verdict_of, both.groups())} == {verdicts.TRUE, verdicts.FALSE}:
        return [*both.groups()]
    run = find_options(text) if letter_of(text) == "A" else None
    if run and run.sure and len(run.cuts) > 1 and min(run.cuts)[0] == 0:
        parts = run.texts(text)
        if all(map(is_signed, parts)) or "\n" not in parts[-1]:  # `A型血⏎B型血⏎O型血` are lines
            return _undashed(without_sign([part.rstrip(";；|").strip() for part in _without_separator(parts)]))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        return _undashed(lines)
    if numbered := _numbered(text):
        return numbered
    for separator in _DIVIDERS:
        parts = [part.strip() for part in text.split(separator)]
        if len([part for part in parts if part]) > 1:
            return _undashed(parts if parts[-1] else parts[:-1])
    return [text]


def _undashed(parts: list[str]) -> list[str]:
    """Return options with an unusual sign after the letter, `A-甲`, replaced by the usual one."""
    rests = [part[1:].lstrip() for part in parts]
    dashed = all(part[:1] == letter and rest[:1] in _DASHES for part, rest, letter in zip(parts, rests, LETTERS, strict=False))
    return [f"{part[0]}. {rest[1:].strip()}" for part, rest in zip(parts, rests, strict=True)] if dashed else parts


def _without_separator(parts: list[str]) -> list[str]:
    """Return lettered options without the separator between them, if it is the same throughout: `A.甲$;$B.乙$;$C.丙`."""
    ends = [match[0] if (match := _TAIL_SIGNS.search(part.rstrip())) else "" for part in parts[:-1]]
    if not ends or not ends[0] or len(set(ends)) > 1:
        return parts
    return [part.rstrip().removesuffix(ends[0]) for part in parts]


def options_below(text: str) -> tuple[str, list[str]]:
    """Return a question and the options after it, if they are certain: `知觉是 A、甲 B、乙 C、丙`; two options need lines of their own."""
    text = _ANSWER_PROMPT.sub("", _WRITTEN_LINE_END.sub("\n", text).strip())
    run = find_options(text)
    start = min(run.cuts)[0] if run and run.cuts else 0
    if run is None or not run.sure or not start or len(run.cuts) < (2 if text[start - 1] == "\n" else _FEWEST):
        return text, []
    return text[:start].strip(), run.texts(text)


def _numbered(text: str) -> list[str]:
    """Return the options of a line that are numbered in order, `①甲 ②乙 ③丙`, with their signs; empty if they are not."""
    for signs, after in ((CIRCLED_NUMBERS, r"\s?"), (STEMS, r"\s?[.．、:：)）]"), ("123456789", r"\s?[.．、:：)）](?!\d)")):
        starts: list[int] = []
        for sign in signs:
            found = re.compile(rf"(?<![^{re.escape(_BEFORE)}(（\[]){sign}{after}").search(text, starts[-1] + 1 if starts else 0)
            if found is None or (not starts and text[: found.start()].strip("(（[")):
                break
            starts.append(found.start())
        if len(starts) >= (_FEWEST if len(text) > _MOST_CHARS_OF_TWO else 2):
            parts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
            return [part.strip().rstrip("(（[;；|,，、").strip() for part in parts]
    return []


_YES = verdicts.words_for(verdicts.TRUE) | {"y", "正", "1"}
_NO = verdicts.words_for(verdicts.FALSE) | {"n", "误", "0", "", "none", "null"}
_PLACE_DIGITS = 5
"""A number with this many digits or more is not a position."""
_PLACE = re.compile(r"sort|^seq|order|^(?:idx|index|no|num|position|pos|rank|xh|序号|顺序|排序|次序)$", re.IGNORECASE)
"""Key names for the position at which an option is shown."""
FORMS = ("letters", "text", "from 0", "from 1")
"""Letters; the text of options; positions counted from 0; positions counted from 1."""
MARKED = "marked"
"""Another form: each option states whether it is correct."""
ALL_FORMS = (*FORMS, MARKED, "verdict", "words")
_AS_EMOJI, _AROUND = "\ufe0f", "()[]【】。. "
"""The variation selector after emoji; characters stripped around a truth value."""
EXAM_VERDICTS = {word for word in verdicts.SURE_VERDICTS if not word.isascii()}
"""Verdicts that occur only in tests, regardless of the column's name."""
WORDS_OF_EXAMS = {word for word in EXAM_VERDICTS if word.isalpha()}
_LETTERED = re.compile(r"[A-Ja-j](?:[\s,，、;；|/.$#@&^+_]{0,3}[A-Ja-j])*[.、。;；,]?")
_MOST_AROUND = 8
"""Maximum number of signs around the text of an option in an answer."""
_BRACKETS = "()[]{}【】〔〕<>《》 "
_ANSWER_LABEL = re.compile(rf"^(?:{ANSWER_NAME}|answer)\s{{0,3}}[:是为]\s{{0,3}}|^[故应]?选\s?", re.IGNORECASE)
_MARK = re.compile(r"^\s*[(（\[【]?[A-JＡ-Ｊa-j]\s?[)）\]】.．、:：]+\s*|^\s*[A-JＡ-Ｊ]\s+(?=\S)")
_SEPARATORS = re.compile(r"[\s,，、;；|$#@&^+]+")
_DIGITS = "123456789"
_OTHER_SIGNS = f"{STEMS}{CIRCLED_NUMBERS}{HANZI}{ROMAN}"
_AS_LETTERS = str.maketrans(STEMS, LETTERS) | CIRCLED_AS_LETTERS | str.maketrans(HANZI, LETTERS) | str.maketrans(ROMAN, LETTERS)
SIGNS = frozenset(f"{LETTERS}{_OTHER_SIGNS}")
"""Signs by which an answer names options."""
_ONLY_SIGNS = re.compile(rf"[\s,，、;；|{_OTHER_SIGNS}]+")
"""An option with such a text is named by that text and not by its position: `①②`."""
_SIGN = re.compile(
    rf"\s{{0,9}}(?:[(（\[【]\s?(?P<bracketed>[{STEMS}{_DIGITS}{HANZI}])\s?[)）\]】]|(?P<signed>[{STEMS}{_DIGITS}{HANZI}])\s?[.．、:：)）](?!\d)"
    rf"|(?P<circled>[{CIRCLED_NUMBERS}]))\s{{0,9}}(?=\S)"
)
"""A sign other than a letter before an option: 甲. ① 1."""
_LABELS = {"key", "label", "letter", "option", "id", "name", "code", "prefix", "ans", "tag", "no", "sort", "index"}
_SHORT_CHARS = 60
_CLOSING = re.compile(r"[\s。.；;]+")
_FLAG = re.compile(
    r"right|correct|true|is_?ans|^answer$|^ok$|^flag$|^(?:is)?_?key$|^(?:is)?_?(?:solution|hit|valid)$|正确|对错|正误|是否答案|是否为?正确|是否选",
    re.IGNORECASE,
)
_NO_FLAG = re.compile(
    r"del|activ|enabl|show|visib|hid|im(?:g|age)|pic|sort|seq|order|index|num|count|vote|default|hot|top|lock|must|requir|multi|exclu|other"
    r"|blank|input|status|state|type|level|score|id$|jump|skip|edit|new|draft|open|read|fixed",
    re.IGNORECASE,
)
"""Names of other yes-or-no properties of an option."""
_OWN = re.compile(r"user|my|check|select|chosen|我的|考生", re.IGNORECASE)


_REASON = re.compile(r"why|reason|expla|analy|rationale|feedback|comment|hint|remark|解析|原因|理由|说明|反馈|点评", re.IGNORECASE)
"""Names of texts about an option."""


def word_of(value: Any) -> str:
    return "" if value is None else str(value).strip().removesuffix("\ufe0f").lower()


def in_stated_order(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return options sorted by the key that contains their numbers or letters: a database returns them in any order, but answers refer to
    the displayed order.
    """
    letters = list(LETTERS[: len(objects)])
    for key in objects[0] if objects else ():
        shown = [word_of(each.get(key)).upper() for each in objects]
        if sorted(shown) == letters:
            return [objects[shown.index(letter)] for letter in letters]
        places = [int(place) for each in objects if (place := str(each.get(key))).isdecimal() and len(place) < _PLACE_DIGITS]
        if _PLACE.search(key) and sorted(places) in ([*range(len(objects))], [*range(1, len(objects) + 1)]):
            return [objects[places.index(place)] for place in sorted(places)]
    return objects


def plain(text: str) -> str:
    """Return a text normalized for comparison: white space, width, case, closing punctuation."""
    return _CLOSING.sub("", unicodedata.normalize("NFKC", text)).lower()


def bare(option: str) -> str:
    """Return an option without its letter."""
    return _MARK.sub("", option, count=1)


def text_of(value: Any) -> str:
    """Return a value as text; lists, including those written as text, are joined by `、`."""
    if isinstance(value, bool):
        return "正确" if value else "错误"
    value = listed(value) if isinstance(value, str) else value
    if isinstance(value, list):
        return "、".join(text for each in value if not isinstance(each, dict | list) and (text := text_of(each)))
    return "" if value is None or isinstance(value, dict) else str(value).strip()


def _alphabet_of(options: list[str]) -> str:
    """Return the signs, other than letters, that precede all options in order, `1.` `2.` `3.`; empty if there are no such signs."""
    matches = [_SIGN.match(option) for option in options]
    signs = "".join(match["bracketed"] or match["signed"] or match["circled"] for match in matches if match)
    every = len(options) > 1 and all(matches)
    return next((one for one in (STEMS, CIRCLED_NUMBERS, HANZI, _DIGITS) if every and one.startswith(signs)), "")


def without_signs(options: list[str]) -> list[str]:
    """Return options without the signs other than letters that precede all of them in order."""
    return [_SIGN.sub("", option, count=1) for option in options] if _alphabet_of(options) else options


def options_in(value: Any) -> list[str]:
    """Return the options in one value, each with its letter if it has one; fewer than two if it is not a list of options."""
    if isinstance(value, str):
        parsed = listed(value)
        if isinstance(parsed, str):
            parts = split_options(parsed)
            lettered = sum(_MARK.match(part) is not None for part in parts)
            short = sum(map(len, parts)) <= _SHORT_CHARS * len(parts) and lettered == 0
            return parts if len(parts) <= len(LETTERS) and (short or lettered == len(parts)) else []
        value = parsed
    value = _as_objects(value)
    if isinstance(value, dict):
        keys = [str(key).strip() for key in value]
        ends = [key.upper()[-1:] for key in keys]
        in_turn = ends in (list(LETTERS[: len(keys)]), _digits(0, keys), _digits(1, keys))
        inner = list(value.values())
        are_objects = len(inner) > 1 and all(isinstance(each, dict) for each in inner)
        return [] if not in_turn else _of_objects(inner) if are_objects else _texts(inner)
    if not isinstance(value, list) or not 1 < len(value) <= len(LETTERS):
        return []
    if all(isinstance(each, dict) for each in value):
        return _of_objects(value)
    return _texts(value)


def lettered_options(value: Any) -> list[str]:
    """Return the options in a text, if each begins with its letter."""
    options = options_in(value) if isinstance(value, str) else []
    return options if all(map(_MARK.match, options)) else []


def _as_objects(value: Any) -> Any:
    """Return option objects in the order that they state; return any other value unchanged."""
    return in_stated_order(value) if isinstance(value, list) and all(isinstance(each, dict) for each in value) else value


def _digits(first: int, keys: Sequence[Any]) -> list[str]:
    return [str(index) for index in range(first, first + len(keys))]


def _texts(values: list[Any]) -> list[str]:
    if not all(each is None or (isinstance(each, str | int | float) and not isinstance(each, bool)) for each in values):
        return []
    texts = ["" if each is None else str(each).strip() for each in values]
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _of_objects(objects: list[dict[str, Any]]) -> list[str]:
    """Return the texts of option objects, taken from the key whose values differ and are not labels."""
    if all(len(each) == 1 for each in objects):
        return _texts([next(iter(each.values())) for each in objects])
    flag = _flag_of(objects)
    names = dict.fromkeys(key for each in objects for key in each)
    keys = [key for key in names if key != flag and all(isinstance(each.get(key), str) and each[key].strip() for each in objects)]
    signs = {key: [each[key].strip().upper() for each in objects] for key in keys}
    letters, digits = list(LETTERS[: len(objects)]), (_digits(0, objects), _digits(1, objects))
    labels = [key for key in keys if signs[key] == letters or signs[key] in digits]
    texts = [key for key in keys if key not in labels and not _are_codes([each[key] for each in objects])]
    texts = texts or [key for key in labels if signs[key] != letters and key.lower() not in _LABELS]  # values such as 1, 2, 3 and 4 years
    if len(texts) > 1:
        texts = [key for key in texts if key.lower() not in _LABELS and not _REASON.search(key)] or texts
    if len(texts) != 1 or any(key.lower() in ("answer", "analysis", "question") for key in names if key not in (*texts, *labels, flag)):
        return []
    return _texts([each[texts[0]] for each in objects])


def _flag_of(objects: list[dict[str, Any]]) -> str:
    """Return the key that states whether each option is correct; "" if there is none."""
    for key in dict.fromkeys(key for each in objects for key in each):
        words = {str(each.get(key)).strip().lower() for each in objects}
        if _FLAG.search(key) and not _OWN.search(key) and words <= _YES | _NO:
            return key
    others = [key for key in objects[0] if _is_some_flag(key, [each.get(key) for each in objects])]
    return others[0] if len(others) == 1 else ""


def _is_some_flag(key: str, values: list[Any]) -> bool:
    """Return whether an unknown key is true for some options and false for others; values of only 0 and 1 may be positions."""
    words = [word_of(value) for value in values]
    if {*words} == {"t", "f"}:
        return not _OWN.search(key)  # only a flag is T or F: {"type": "F", "content": "X"}
    has_both = any(word in _YES for word in words) and any(word in _NO for word in words)
    sure = all(isinstance(value, bool) for value in values) or len(values) > 2
    return has_both and sure and set(words) <= _YES | _NO and not _NO_FLAG.search(key) and not _OWN.search(key)


def _is_right(each: dict[str, Any], flag: str) -> bool:
    value = str(each.get(flag)).strip().lower()
    return value in _YES


def marked_letters(value: Any) -> str:
    """Return the letters of the options marked as correct."""
    value = _as_objects(listed(value) if isinstance(value, str) else value)
    if not isinstance(value, list) or not value or not all(isinstance(each, dict) for each in value):
        return ""
    flag = _flag_of(value)
    right = [letter for letter, each in zip(LETTERS, value, strict=False) if flag and _is_right(each, flag)]
    return "".join(right)


def _are_codes(texts: list[str]) -> bool:
    return all(re.fullmatch(r"[0-9a-f-]{16,}", text) for text in texts) or len(set(texts)) == 1


def as_verdict(value: Any) -> Any:
    """Return 1 and 0 as truth values, for columns whose name indicates truth values."""
    return value == 1 if type(value) is int and value in (0, 1) else value.strip() == "1" if value in ("0", "1") else value


def verdict_word(value: Any) -> str:
    """Return a cell's text without surrounding brackets, and with one sign for all kinds of ticks and another for all crosses."""
    text = str(value)
    return text if len(text) > _MOST_AROUND else flat(text).replace(_AS_EMOJI, "").strip(_AROUND)


def verdict_of(value: Any) -> str:
    """Return 正确 or 错误 for a text that means one of them; "" for any other."""
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else ""
    return verdicts.verdict_of(verdict_word(value))


def are_two_verdicts(options: Sequence[str]) -> bool:
    """Return whether the options are true and false, as for a statement."""
    return len(options) == 2 and {verdict_of(bare(option)) for option in options} == {verdicts.TRUE, verdicts.FALSE}


def answer_letters(value: Any, options: list[str], form: str) -> str:
    """Return the letters of the options that an answer in a given form names; "" if it does not fit them."""
    if isinstance(value, str):
        value = listed(value)
    parts = value if isinstance(value, list) else [value]
    if not parts or any(isinstance(each, dict | list | bool) or each is None for each in parts):
        return ""
    if form == "letters":
        in_words = are_two_verdicts(options)
        return _letters(parts, options) or (_by_text(parts, options) or _by_verdict(parts, options) if in_words else "")
    if form == "text":
        return _by_text(parts, options)
    pieces = [piece for each in parts for piece in _SEPARATORS.split(str(each).strip())]
    if len(pieces) == 1 and _are_packed(pieces[0], options, form):
        pieces = [*pieces[0]]
    if not all(re.fullmatch(r"\d{1,2}", piece) for piece in pieces):
        return ""
    indices = [int(piece) - (form == "from 1") for piece in pieces]
    if len(set(indices)) < len(indices):  # a 1 or a 0 for each option
        return ""
    return "".join(LETTERS[index] for index in sorted(set(indices))) if all(0 <= index < len(options) for index in indices) else ""


def _are_packed(digits: str, options: list[str], form: str) -> bool:
    """Return whether digits without separators are the positions of several options, `135`: they are in order, and the number is too large
    to be one position.
    """
    in_order = len(digits) > 1 and digits.isascii() and digits.isdigit() and all(one < other for one, other in pairwise(digits))
    return in_order and len(options) < len(_DIGITS) + (form == "from 1") and int(digits) > len(options)


def _by_verdict(parts: list[Any], options: list[str]) -> str:
    """Return the letter of the truth-value option that an answer names in other words: F for 错."""
    word = str(parts[0]).strip() if len(parts) == 1 else ""
    verdict = "" if word.isdigit() else verdict_of(word)
    return LETTERS[[verdict_of(bare(option)) for option in options].index(verdict)] if verdict else ""


def _letters(parts: list[Any], options: list[str]) -> str:
    texts = [_ANSWER_LABEL.sub("", _in_letters(str(each), options).strip()).strip(_BRACKETS) for each in parts]
    if not all(_LETTERED.fullmatch(text) for text in texts):
        return ""
    letters = sorted({sign.upper() for text in texts for sign in text if sign.isalpha()})
    return "".join(letters) if all(LETTERS.index(letter) < len(options) and options[LETTERS.index(letter)] for letter in letters) else ""


def _in_letters(answer: str, options: list[str]) -> str:
    """Return an answer in letters if it uses other signs, such as 甲 or ①, or the numbers before the options."""
    if answer.isascii() and answer.isalpha():  # letters alone
        return answer
    if any(map(_ONLY_SIGNS.fullmatch, options)):
        return unicodedata.normalize("NFKC", answer)
    numbers = str.maketrans(_DIGITS, LETTERS[: len(_DIGITS)]) if _alphabet_of(options) == _DIGITS else {}
    return unicodedata.normalize("NFKC", answer.translate(_AS_LETTERS)).translate(numbers)


def _by_text(parts: list[Any], options: list[str]) -> str:
    by_text: dict[str, str] = {}
    for letter, option in zip(LETTERS, options, strict=False):
        words = bare(option)
        text = plain(words)
        if text in by_text:
            return ""
        by_text[text] = letter
        if words != option:
            by_text.setdefault(plain(option), letter)
    letters = [by_text.get(plain(str(each)), "") or by_text.get(plain(bare(str(each))), "") for each in parts]
    if not all(letters) and len(parts) == 1:
        pieces = [plain(piece) for piece in re.split(r"[,，、;；|\n]+", str(parts[0])) if piece.strip()]
        letters = [by_text.get(piece, "") for piece in pieces] or [""]
    return "".join(sorted(set(letters))) if all(letters) and "" not in (plain(str(each)) for each in parts) else ""
