"""Characters that a change of encoding lost or spoilt: a text -> whether it holds any."""

import re

from curation.text.characters import needs_simplifying

_MOJIBAKE = re.compile(
    "\ufffd|锟|烫{3}|屯{3}|[\ue000-\uf8ff]|â€|ï¼"
    "|(?:[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff][\u00a1-\u00ff]){2}"
    "|(?:[ÃÂä-é][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2020-\u2022\u2030-\u203a\u20ac\u2122]{1,2}){2}"
)
_FEWEST_RARE = 4
_FILLER = re.compile("烫{3}|屯{3}")  # what Windows shows of memory never written
_RUN = re.compile("[\u0080-\uffe6]{4,}")
_CHINESE = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]")
_CHINESE_RUN = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]+")


def has_lost_characters(text: str) -> bool:
    """Tell whether a normalized text holds characters that nobody wrote."""
    if not needs_simplifying(text) and not _FILLER.search(text):  # common characters alone
        return False
    return bool(_MOJIBAKE.search(text)) or _is_rare(text) or any(map(_read_as_gbk, _RUN.findall(text)))


def _is_rare(text: str) -> bool:
    """Tell whether a quarter of the Chinese characters stand in no table of simplified ones: UTF-8 read as GBK, with some lost."""
    chinese = "".join(_CHINESE_RUN.findall(text))
    rare = len(chinese) - len(chinese.encode("gb2312", "ignore")) // 2
    return rare >= _FEWEST_RARE and rare * 4 >= len(chinese)


def _read_as_gbk(run: str) -> bool:
    """Tell whether a run of characters is UTF-8 that was read as GBK: taken back, most of it is Chinese again."""
    restored = run.encode("gb18030", "ignore").decode("utf-8", "ignore")
    return len(_CHINESE.findall(restored)) * 2 > len(run)
