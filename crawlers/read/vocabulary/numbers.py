"""The number that begins a line of a paper, in all its forms: a line -> a value."""

import re
from functools import partial

from msgspec import Struct

from atomexam.text.numerals import HANZI, value_of
from crawlers.read.vocabulary.labels import per_line
from crawlers.read.vocabulary.words import any_of

TYPE = (
    rf"{any_of('type')}|[ABX]\d?型题?|[Ss]ingle(?:[\s-][Cc]hoice)?"
    r"|[Mm]ultiple(?:[\s-](?:[Cc]hoice|[Aa]nswers?|[Rr]esponse))?|[Tt]rue\s?(?:/|or)\s?[Ff]alse|T/F"
)
_TAG = rf"[【\[(]\s?(?:{TYPE})(?:[,、;\s]{{1,2}}\s?\d{{1,3}}(?:\.\d)?\s?分)?\s?[】\])]\s{{0,3}}"
_YEAR = r"[【\[(]\s?(?:19|20)\d\d\s?年?[^()\[\]【】]{0,12}(?:真题|考题|试题|原题|改编|考研|统考|联考)\s?[】\])]"
TAGS = re.compile(rf"(?:{_TAG}|[*★☆]{{1,5}}\s{{1,3}}(?=\S)|{_YEAR}\s{{0,3}}|[【\[(]\s?(?:19|20)\d\d\s?年?\s?[】\])]\s{{0,3}}){{1,3}}")
"""Tags after a number that state the question's type, points or year."""
BARE_TAG = re.compile(rf"(?:{TYPE})\s{{0,3}}(?:[(\[]\s?(?:本题)?\d{{1,3}}(?:\.\d)?\s?分\s?[)\]])?\s{{0,3}}$")
"""The type and points of a question after its number, if the stem begins on the next line."""
TAGS_AT_END = re.compile(rf"\s?{_YEAR}\s?$")
RINGS = "①-⑳㉑-㉟⑴-⒇⒈-⒛"

# The forms of numbers by style; # is the number. A form that is not kept is cut from the stem, since only this reader knows it.
_FORMS = (
    ("point", r"#\s{0,2}(?:[、:]\s?\.?|\.(?!\d)|,(?!\d))\s{0,4}"),
    ("paren", r"#\s{0,2}\)\s{0,4}[、.:]?\s{0,4}"),
    ("ordinal", r"第\s{0,2}#\s{0,2}小?题\s{0,3}[)、.:|]?\s{0,4}"),
    ("titled", r"[\[【(]第\s{0,2}#\s{0,2}小?题[\]】)]\s{0,3}[、.:]?\s{0,4}"),
    ("titled", rf"(?:{any_of('counts')})\s?#(?!\d)\s{{0,3}}[)、.:|]?\s{{0,4}}"),
    ("titled", rf"(?:{any_of('counts_in_english')})\s?\.?\s?#(?![\d-])\s{{0,3}}[)、.:|]?\s{{0,4}}"),
    ("titled", r"(?:[【\[]题号[】\]]\s{0,3}:?|题号\s?:)\s?#(?!\d)\s{0,4}"),
    ("titled", r"#(?:\s{0,2}。|\s{1,3}\||[|\x23](?!\s?\d{1,5}(?:[|\x23]|$)))\s{0,4}"),  # \x23 is a literal #
    ("bracket", r"[(\[【]\s{0,2}#\s{0,2}[)\]】]\s{0,3}[、.:]?\s{0,4}"),
    ("ringed", rf"(?P<R>[{RINGS}])\s{{0,3}}[、.]?\s{{0,4}}"),
    ("hanzi", rf"(?P<H>[{HANZI}]{{1,3}})\s{{0,2}}[、.:]\s{{0,4}}"),
    ("hanzi", rf"(?:第(?P<H>[{HANZI}]{{1,3}})题\s{{0,3}}[、.:]?|\((?P<H2>[{HANZI}]{{1,3}})\))\s{{0,4}}"),
    ("tight", r"#(?:\.(?=\d)|\s{1,6}(?=\D)|(?=[^\d\s.,:、)%/+*=×℃-])|\s{0,2}$)"),
    ("ocr", r"(?P<O>\d{0,2}[lIO][\dlIO]{0,2})\s?[、.](?!\d)\s{0,4}"),
)
STATED_TYPE = re.compile(f"{TYPE}|(?:单选|多选|判断|填空|简答)题?")
RETAINED_STYLES = ("point", "paren", "ordinal", "bracket")
"""Styles of numbers that are kept in the stem."""
_BEFORE = (
    r"(?P<before>\(\s{0,4}(?P<verdict>[√×TFXx对错]?)\s{0,4}\)\s{0,3}|[*★☆●◆■▲#>]{1,6}\s{0,3}"
    rf"|{_TAG}|(?:单选|多选|判断|填空|简答)题?\s?:\s?|(?:{TYPE})\s{{0,3}}(?=\d{{1,4}}\s?(?:、(?!\d{{1,4}}\s?[、-])|\.(?!\d))))?"
)


def _named(at: int, group: re.Match[str]) -> str:
    """Return the opening of a form's group, with a unique name; the name of a form's second group ends in b."""
    return f"(?P<n{at}{group[1] and 'b'}>"


_NUMBER = re.compile(
    f"{_BEFORE}(?:"
    + "|".join(
        re.sub(r"\(\?P<[RHO](2?)>", partial(_named, at), form.replace("#", rf"(?P<n{at}>\d{{1,6}})")) for at, (_, form) in enumerate(_FORMS)
    )
    + ")"
)
_GROUPS = [(name, _FORMS[int(re.sub(r"\D", "", name))][0]) for name in _NUMBER.groupindex if re.match(r"n\d", name)]
_RINGS = ((0x2460, 1, 20), (0x3251, 21, 15), (0x2474, 1, 20), (0x2488, 1, 20))
_LIST = re.compile(r"\d{1,3}、(?:\d{1,3}、){3,400}")
_UNIT = re.compile(
    r"(?:岁|年|月|日|天|周|个|例|次|小时|分钟|秒|分|h|d|mg|ml|mL|kg|g|cm|mm|μg|ug|L|U|fl|mol|mmol|%|℃|°|‰|倍|层|型|级|期|度|项|点|元|人|名|条"
    r"|种|只|米|千|万|亿|号|代|胎|孕|w|多|余|左右|以上|以下)"
)


class Number(Struct, frozen=True, gc=False):
    """The number at the start of a line."""

    value: int
    style: str
    """`point` (1、 1. 1：), `paren` (1)), `ordinal` (第1题), `titled` (题1 Q1: 【题号】1), `bracket` ((1) 【1】), `ringed` (①), `hanzi`
    (一、), `tight` (a number without punctuation) or `ocr` (l0.: letters that a scan shows in place of digits)."""
    end: int
    """Index where the text after it begins."""
    begin: int = 0
    """Index where the number begins, after a tag or a blank for true or false."""
    sign: str = ""
    """The punctuation after it."""
    verdict: str = ""
    """True or false, if written before the number."""
    counted: bool = False
    """Whether a unit follows, as in 18岁."""

    @property
    def is_of_question(self) -> bool:
        """Return whether it has a form used almost only for main questions."""
        return self.style in ("point", "ordinal", "titled")


@per_line
def number_of(line: str) -> Number | None:
    """Return the number that begins a flat line."""
    match = _NUMBER.match(line)
    if match is None:
        return None
    listed = _LIST.match(line)
    if listed and listed.end() > match.end():  # in 2、3、4、5、题干, the last one counts
        match = _NUMBER.match(line, line.rfind("、", 0, listed.end() - 1) + 1) or match
    name, style = next((name, style) for name, style in _GROUPS if match[name])
    value = _value(match[name], style)
    if not value or (match["verdict"] is not None and style == "tight"):
        return None
    begin = match.end("before") if match["before"] else match.start()
    sign = line[begin : match.end()].rstrip()[-1:].strip("0123456789")
    counted = style == "tight" and bool(_UNIT.match(line, match.end()))
    return Number(value, style, match.end(), begin, sign, match["verdict"] or "", counted)


def opens_question(line: str) -> bool:
    """Return whether a flat line begins with a number in the form used for main questions."""
    number = number_of(line)
    return number is not None and number.is_of_question


def type_of(line: str, number: Number) -> str:
    """Return the type in a tag before or after a number, `1.[判断题]` or `（多选题）3.`; empty if there is none."""
    behind = TAGS.match(line, number.end) or BARE_TAG.match(line, number.end)
    tag = STATED_TYPE.search(line[: number.begin]) or (STATED_TYPE.search(behind[0]) if behind else None)
    return tag[0] if tag else ""


def _value(words: str, style: str) -> int | None:
    if style == "hanzi":
        return value_of(words)
    if style == "ringed":
        return next((ord(words) - first + value for first, value, count in _RINGS if first <= ord(words) < first + count), None)
    if style == "ocr":
        mended = words.translate(str.maketrans("lIO", "110"))
        return int(mended) if mended != words else None
    return int(words)
