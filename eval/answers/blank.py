"""Parse the text that a reply fills into the blanks of a stem, and compare it with the key."""

import re
from itertools import permutations

from atomexam.records.question import accepted_words
from atomexam.text.canonical import canonical
from eval.answers.reply_text import folded, simplified

BLANK = "（ ）"
_LABEL = re.compile(
    r"(?<!空)(?:答案|答|填空?(?:的?内容)?|answer)\s?(?:依次|分别)?(?:应该?)?[为是]?\s?:\s*|(?<!空)答案(?:应该?)?[是为]\s*|[应该]填(?:入|写)?[:\s]*",
    re.IGNORECASE,
)
_REASONS = re.compile(
    r"\n\s*\n(?!\s*(?:第?\s?[\d一二三四五]|[(（]\d|空\d))|\n?[\[【(]?(?:解析|解释|理由|原因|说明|分析|依据)[\]】)]?\s?:|(?<=[。!])(?=[^\s\d(第空])|[,，]?因为"
)
_NONE = re.compile(r"(?:我|本题|该题)?(?:不知道|不清楚|(?:无法|不能|难以)(?:确定|回答|判断|填写)|(?:很|非常|十分)?抱歉|对不起)")
_GAP = re.compile(r"(?<=[\u4e00-\u9fff])[ \u3000]+(?=[\u4e00-\u9fff])")  # folding would remove the gap
_ORDERED = re.compile("分别|依次|先后|之比|比例")
_MAX_CHARS = 200  # a longer reply without a label is an essay
_ENDS = " \n。.!,;:“”\"'"
_FIRST = re.compile(r"\A(?:第\s?[一1]\s?[个处]?空|[(（]\s?1\s?[)）]|1[.、](?!\d))\s*[:：]?\s*(?![\d\s.]*\Z)")
_SEPARATORS = [
    re.compile(each)
    for each in (
        r"(?:第\s?[一二三四五六七八九十\d]{1,2}\s?[个处]?空(?:的?答案)?|(?:空|答案)\s?\d{1,2}(?!\d)|[（(]\s?\d{1,2}\s?[)）]\s?\.?|(?<!\d)\d{1,2}\s?[.、)](?!\d))\s*[:：]?\s*",
        r"[;；\n]",
        "、",
        "[,，]",
        "以及|[和与及]",
        "[:：/~～—-]",
        r"\s+",
    )
]
"""Separators between the answers to several blanks, most reliable first. In three real question banks, 、 splits 37 of 39 such keys, and a
comma splits one."""
_PARALLEL = frozenset(["", "、", "，", "和", "与", "及", "以及", "或"])
"""If the text between the blanks is one of these, their answers may be in any order."""


def read_blank(reply: str, last: bool = False) -> str | None:
    """Return the text that a reply fills in: what follows its first (or last) label, or the reply up to its reasons.

    Return None if the reply is empty or a refusal, or if it is long and has no label.
    """
    text = simplified(folded(_GAP.sub(";", reply)))
    labels = list(_LABEL.finditer(text))
    start = labels[-1 if last else 0].end() if labels else 0
    answer = _REASONS.split(text[start : labels[1].start() if len(labels) > 1 and not last else None], maxsplit=1)[0].strip(_ENDS)
    return None if not canonical(answer) or len(answer) > _MAX_CHARS or _NONE.match(answer) else answer


def fills(answer: str, stem: str, key: str) -> bool:
    """Return whether the answers equal the key of each blank of a stem, in canonical form and in order.

    The answers may repeat the stem around a blank: 99.5% where % follows the blank, or the complete sentence. Blanks separated by nothing
    or by 和 may be filled in any order, unless the stem says 分别 or 依次; the same holds for several answers to one blank separated by 、.
    A key that cannot be split between the blanks is compared as a single text.
    """
    texts = stem.split(BLANK)
    around = [canonical(part) for part in texts]
    keys = _divided(key, len(around) - 1) or [key]
    if len(keys) != len(around) - 1:
        around = ["", ""]
    divisions = [parts for parts in (_by_sentence(canonical(answer), around), _divided(answer, len(keys))) if parts]
    is_free = len(keys) <= 5 and _PARALLEL.issuperset(map(str.strip, texts[1:-1])) and not _ORDERED.search(stem)
    orders = list(permutations(keys)) if is_free else [tuple(keys)]
    return any(all(map(_fits, parts, order, around, around[1:])) for parts in divisions for order in orders)


def _divided(text: str, blanks: int) -> list[str] | None:
    """Split an answer by blank; return None if no separator gives one part per blank."""
    if blanks == 1:
        return [_FIRST.sub("", text)]
    for separator in _SEPARATORS:
        parts = [part for part in map(str.strip, separator.split(text)) if canonical(part)]
        if len(parts) == blanks:
            return parts
    return None


def _by_sentence(text: str, around: list[str]) -> list[str] | None:
    """Split an answer at the stem's texts between blanks, such as 至 in 18.5至23.9; return None if one is missing."""
    parts, rest = [], text.removeprefix(around[0])
    for between in around[1:-1]:
        part, separator, rest = rest.partition(between) if between else ("", "", "")
        if not separator:
            return None
        parts.append(part)
    return [*parts, rest] if parts else None


def _fits(part: str, key: str, before: str, after: str) -> bool:
    """Return whether the answer to one blank matches its key, with or without adjacent text of the stem."""
    text = canonical(part)
    for accepted in accepted_words(key):
        form = canonical(folded(accepted).strip(_ENDS))
        start = text.find(form)
        if start >= 0 and before.endswith(text[:start]) and after.startswith(text[start + len(form) :]):
            return True
        if "、" in accepted and sorted(map(canonical, accepted.split("、"))) == sorted(map(canonical, re.split("[、,，;；和]", part))):
            return True
    return False
