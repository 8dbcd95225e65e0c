"""Characters that scanning or format conversion changed in a question, an option or prose, as named rules; certain ones only."""

import re

from curation.text.rules import Rule, rule_of_signs

_CJK = "\u4e00-\u9fff"
# The first and the second half of double names that the subjects' textbooks print with a dash.
_HALVES = (
    ("詹姆斯", "兰格"),
    ("坎农", "巴德"),
    ("耶克斯", "多德森"),
    ("耶基斯", "多德森"),
    ("斯坦福", "比[奈纳内]"),
    ("阿斯平", "威尔士"),
    ("刺激", "反应"),
    ("认知", "(?:评价|结构|同化|发现|目的|行为)"),
    ("评定", "兴奋"),
    ("认识", "领悟"),
    ("文化", "历史"),
    ("理性", "情绪"),
    ("联结", "试误"),
    ("完形", "顿悟"),
    ("事件", "相关"),
    ("整体", "局部"),
    ("手段", "目的"),
    ("托马斯", "切斯"),
    ("比", "西量表"),
    ("斯", "比量表"),
    ("尝试", "错误"),
)
_DASH = re.compile("|".join(f"(?<={first})一(?={second})" for first, second in _HALVES))
_SCALE_DASH = re.compile(r"(?<=[A-Z]{2})一(?=\d)")
_SHARE_DASH = re.compile(r"(?<=\d[%％])一(?=\d)")
_MEASURES = "年|岁|周|天|个|种|项|条|名|人|题|道|次|世纪|分钟|小时|PF"
_ONE = re.compile(
    rf"(?<![A-Za-z0-9])[lI](?=\d{{1,3}}(?:{_MEASURES}))|(?<=[nNkKpqrRC][-+])[lI](?![A-Za-z0-9])|(?<=[a-z]{{2}})1(?=[a-z]{{2}})|(?<=[a-z][—-])1(?=[a-z]{{2}})"
)
_NOUGHT = re.compile(r"(?<![A-Za-z0-9])[Oo](?=[—~-]\d)")
_ELEVEN = re.compile(rf"(?<![A-Za-z0-9])ll(?=(?:{_MEASURES}))")
_YEAR = re.compile(r"(?<![A-Za-z0-9])[1l](?=[\dB]{0,2}B)[\dB]{3}(?=年)")
_MMPI = re.compile(r"(?<![A-Za-z])MMP[!！1l](?![A-Za-z])")
_POWER = re.compile(r"(?<=[×xX*])\s?10(9|12)(?=/L(?![A-Za-z]))")
_RAISED = {"9": "10⁹", "12": "10¹²"}
_TORN = re.compile(r"(?<![\d.])0\. (?=\d)|(?<=[=≥≤<>≈~±+(（\-−为是在于到与和出约达])( ?\d{1,3})\. (?=\d)")
_SINGLE_PAIR = re.compile("‘‘|’’")
_TURNED = re.compile("”([^“”\n]{1,40})”")
_STRAY = re.compile(r"崐(?![山仑崙剧曲])|(?<=\d) +(?=~ ?\d)|(?<=\d~) +(?=\d)")
_DOUBLED = re.compile(r"([，、；])\1+|(?<!。)。。(?!。)|，(?=。)")


def _with_dashes(text: str) -> str:
    return _SHARE_DASH.sub("~", _SCALE_DASH.sub("-", _DASH.sub("—", text)))


def _with_quotes(text: str) -> str:
    text = _SINGLE_PAIR.sub(lambda pair: "“" if pair[0] == "‘‘" else "”", text)
    return text if "“" in text else _TURNED.sub(r"“\1”", text)


def _with_ones(text: str) -> str:
    if "（I）" in text and "（2）" in text and "（1）" not in text:
        text = text.replace("（I）", "（1）", 1)
    text = _ONE.sub(lambda sign: "l" if sign[0] == "1" else "1", text)
    text = _YEAR.sub(lambda year: year[0].replace("B", "8").replace("l", "1"), _ELEVEN.sub("11", text))
    return _NOUGHT.sub("0", _MMPI.sub("MMPI", text))


MISREADINGS: tuple[Rule, ...] = (
    rule_of_signs(
        "double_name",
        "一 for the dash of a double name, a scale or a range",
        _with_dashes,
        (rf"一(?=\d|{'|'.join(second for _, second in _HALVES)})",),
        "刺激一反应，SCL一90，60%一70%",
        "刺激—反应，SCL-90，60%~70%",
    ),
    rule_of_signs(
        "misread_ones",
        "letters for digits in years, counts and degrees of freedom, and 1 for l within a word",
        _with_ones,
        ("[lI]", r"1(?=[a-z]{2}|[\dB]{0,2}B)", "[Oo](?=[—~-])", "MMP[!！1]"),
        "197B年，ll种，n-l，Badde1ey",
        "1978年，11种，n-1，Baddeley",
    ),
    rule_of_signs(
        "lost_power",
        "a power of ten that lost its place",
        lambda text: _POWER.sub(lambda power: _RAISED[power[1]], text),
        ("10(?:9|12)/L",),
        "WBC12×109/L",
        "WBC12×10⁹/L",
    ),
    rule_of_signs(
        "torn_decimal",
        "a blank inside a decimal",
        lambda text: _TORN.sub(lambda torn: f"{torn[1] or 0}.", text),
        (r"\. ",),
        "当Z≥2. 58时",
        "当Z≥2.58时",
    ),
    rule_of_signs(
        "turned_quotes",
        "an opening quote that was turned round, or two single ones for it",
        _with_quotes,
        ("^[^“”]*”", "‘‘", "’’"),
        "强调”以学生为中心”的心理学家",
        "强调“以学生为中心”的心理学家",
    ),
    rule_of_signs(
        "stray_characters",
        "a character of an old word processor's line ends, and blanks around ~",
        lambda text: _STRAY.sub("", text),
        ("崐", "~(?: |(?<= ~))"),
        "获取知识崐的工具，10 ~15个月",
        "获取知识的工具，10~15个月",
    ),
    rule_of_signs(
        "doubled_marks",
        "a comma or full stop twice",
        lambda text: _DOUBLED.sub(lambda marks: marks[1] or ("。" if marks[0] == "。。" else ""), text),
        ("，[，。]", "。。", "、、", "；；"),
        "从认知的角度出发，，儿童的发展",
        "从认知的角度出发，儿童的发展",
    ),
)
