"""Two names -> whether one implies the other, or is its sibling or kind. Names are in canonical form."""

import re
from functools import cache

from atomexam.text.canonical import canonical
from curation.vocab.reader import read_vocabulary

KIND_CHARS = 3
"""Minimum length of a head that ends a tail and names its kind, 青光眼 and 急性闭角型青光眼; 嵌顿痔 is a complication of 痔."""
_ORDINARY = re.compile("急性|慢性|小儿|老年人?|新生儿|原发性|继发性")
_MODIFIER = re.compile(
    "^(?:急性|慢性|反复|持续性?|进行性|局部|明显|严重|剧烈|轻度|重度|弥漫性|多发性?|[\u4e00-\u9fff]{1,3}性)(?=[\u4e00-\u9fff]{2})"
)
_ORIGIN = re.compile(r"(.)源性")
_OPPOSITE = str.maketrans("高低多少", "低高少多")
_NO_KIND = re.compile("(?:血症|综合[征症]|中毒|障碍|衰竭|疾病|.病)$")


@cache
def _rows() -> dict[str, tuple[str, int]]:
    rows = read_vocabulary("same")["same"]
    return {canonical(name): (canonical(row[0]), rank) for row in rows for rank, name in enumerate(row)}


def plain_name(named: str) -> tuple[str, int]:
    """Return the representative name of a tail and its synonyms, and how far the tail is from it."""
    return _rows().get(named, (named, 0))


def implies(name: str, named: str, bare: bool) -> bool:
    """Return whether a head implies its tail: 噪声性耳聋 implies 听力减退 and, with `bare`, 中枢性耳聋."""
    kernel = _MODIFIER.sub("", named) if bare else named
    plain, _ = plain_name(kernel)
    return kernel in name or plain in name or (len(kernel) >= KIND_CHARS and set(kernel) <= set(name))


def is_sibling(name: str, named: str) -> bool:
    """Return whether two diseases are of one kind, or the second is the origin of the first.

    They end alike (圆形糠疹, 单纯糠疹), begin alike (颈淋巴结结核, 颈淋巴结炎), share characters (颈动脉体瘤, 动脉瘤), or have 耳源性.
    """
    one, other = _ORDINARY.sub("", name), _ORDINARY.sub("", named)
    if other.endswith(one) or (one[-1:] == other[-1:] and set(other) <= set(one)):
        return True
    if (origin := _ORIGIN.search(one)) and origin[1] in other:
        return True
    ends_alike = one[-2:] == other[-2:] and not _NO_KIND.search(one)
    return len(one) >= KIND_CHARS and (ends_alike or one[:-1] == other[:-1] or (one[:3] == other[:3] and not other.startswith(one)))


def is_kind(name: str, named: str) -> bool:
    """Tell 膀胱瘘 and 膀胱阴道瘘, 高钾血症 and 低钾血症."""
    one, other = _ORDINARY.sub("", name), _ORDINARY.sub("", named)
    if one != other and one.translate(_OPPOSITE) == other:
        return True
    return len(one) >= KIND_CHARS and one[:2] == other[:2] and one[-1] == other[-1] != "病" and one[2] != "性"
