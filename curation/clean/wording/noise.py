"""Text that sites add (adverts, watermarks, buttons, links) and characters misread by scanning, as named rules."""

import re

from atomexam.text.markup import BLANK
from atomexam.text.normalize import Rule, rule_of_signs

_LONGEST_ADVERT_CHARS = 200
_MORE = re.compile(
    r"(?:……\s*|(?<!\s)\s+)?[\[【（(]\s*(?:详细|更多|展开|收起|查看全部|查看详情|全文|点击查看|阅读全文)\s*[\]】）)]\s*$|>>\s*(?:更多|详细|全文)\s*$"
)
_WORD_ON = "纲多家部概约致体型都量全赛学师军小于王楼幅会题"  # 考试大纲 is not a site
_SITE_NAMES = (
    *(
        "考试酷",
        "答案圈",
        "考试吧",
        f"考试大(?![{_WORD_ON}])",
        "百考试题",
        "学易网",
        "华夏心理网",
        "有问必答",
        "中华考试网",
        "233网校",
        "中大网校",
    ),
    *(
        "环球网校",
        "医学教.?育网",
        "医学全在线",
        "百度文库",
        "考试宝典",
        "帮考网",
        "无忧考网",
        "上学吧",
        "出国留学网",
        "考试资料网",
        "微信公众号[:：]",
    ),
    *("扫码(?<![被可经]扫码)(?![设枪器支识读登])", "更多试题"),
)
_SITES = f"(?:{'|'.join(_SITE_NAMES)})"
ADDRESS = r"[A-Za-z0-9_./?=&%#:~+-]{1,200}"
"""The address of a site, without Chinese text after it: 打开www.abc.com后应当."""
_BUTTON = (
    r"(?:(?<=\S)确认答案|(?<=[）。？！])(?:点击)?(?:显示|查看|提交|隐藏|展开)(?:参考|正确)?(?:答案|解析)"
    r"|(?<=[：）。？！])(?:参考|正确|标准)答案[:：]?)"
)
_BEHIND = (  # never part of a question, at the end and after a complete sentence
    r"(?<=[）。？！])\s*(?:[^。？！\n]{0,14}(?:公众号|QQ群|qq群|微信群|微信号|微信搜索|[搜收]集整理|APP)[^。？！\n]{0,24}"
    r"|版权所有[^。\n]{0,20}|未经(?:许可|授权)[^。\n]{0,6}不得转载|(?:我要)?(?:收藏(?:本题)?|纠错|加入错题本|[做添加]{1,2}笔记))[。.]?$"
    r"|[（(【\[](?:[^（()）\[\]【】]{0,8}(?:公众号|微信号?|QQ群?)[:：]?[^（()）\[\]【】]{0,16}"
    r"|收藏|纠错|笔记|(?:点击)?查看(?:答案|解析)|(?:参考|正确|标准)?答案)[）)】\]]$|(?<=\S)(?:点击)?查看(?:答案|解析)$"
)
_INTERFACE = re.compile(  # after （ ）。 no question mentions these; only 2 of 9,600 published choice questions have text there
    r"(?<=（ ）[。？！])\s*[^，。；？！\n①-⑳]{0,16}(?:网|论坛|题库|下载|打印|分享|展开|[收查][起看]|二维码|[上下]一题|免费|VIP|vip|会员)"
    r"[^，。；？！\n①-⑳]{0,12}$"
)
_SITE_IN_FRONT = re.compile(rf"^[^，。；：]{{0,4}}{_SITES}(?:整理|收集|搜集|提供|发布)*[:：]\s*(?=\S)")
_ADVERT_BEHIND = re.compile(_BEHIND)
_LEAKED_ANSWER = re.compile(
    r"(?<=\S)\s*(?:[（(【\[](?:正确|参考|标准)?答案[:：]?\s*[A-J]{1,6}[）)】\]]"
    r"|(?:[【\[](?:正确|参考|标准)?答案[】\]]\s*+[:：]?|(?:正确|参考|标准)?答案\s*[:：])\s*[A-J]{1,6}(?![A-Za-z\d]))"
    r"[。.]?(?:\s*[【\[]?(?:答案)?解析[】\]]?[:：]?.*)?$",
    re.S,
)
_LEAKED_IN_BLANK = re.compile(r"(?<=[\u4e00-\u9fff])[（(](?:正确|参考)?答案[:：]?\s*[A-J]{1,6}[）)](?=[。？]?$)")
_BUTTON_IN_FRONT = re.compile("^上一段(?![话文对谈落中的])|^上一段(?=对[于该本])")
_ADVERT = re.compile(
    rf"(?:(?<!\s)\s+)?(?:[（(【\[]\s*+)?(?:(?<![\u4e00-\u9fff“：/])(?:https?://|www\.){ADDRESS}"
    r"|(?:本题|试题|文章|内容|资料)?(?:来源|来自|转自|转载自|出处|选自)[:：]\s{0,20}[^，。；：？！\n]{2,20}"
    rf"|[^，。；：？！\n（()）]{{0,6}}{_SITES}[^，。；：？！\n（()）]{{0,12}}"
    rf"|{_BUTTON}|纠错或评论[:：]?.{{0,12}})\s*+(?:[）)】\]]\s*+)?(?:[。.]\s*+)?$"
)
_ADVERT_WITHIN = re.compile(
    rf"[（(【\[][^（）()\[\]【】。]{{0,8}}{_SITES}[^（）()\[\]【】。]{{0,12}}[）)】\]]#?|(?<=[。；！？])考试大(?![{_WORD_ON}])#?"
)


def _without_answer(text: str) -> str:
    return _LEAKED_ANSWER.sub("", _LEAKED_IN_BLANK.sub(BLANK, text)) if _LEAKED_ANSWER.search(text) else text


def _without_advert(text: str) -> str:
    text = _ADVERT_WITHIN.sub("", _SITE_IN_FRONT.sub("", _BUTTON_IN_FRONT.sub("", text)))
    for pattern in (_ADVERT, _ADVERT_BEHIND, _INTERFACE):
        if advert := pattern.search(text, max(0, len(text) - _LONGEST_ADVERT_CHARS)):
            text = text[: advert.start()]
    return text


ADVERT = rule_of_signs(
    "advert",
    _without_advert,
    (
        *(r"https?://", r"www\.", *_SITE_NAMES, "答案", "解析", "来源", "来自", "转自", "转载", "出处", "选自", "纠错", "上一段"),
        *("公众号", "微信", "QQ", "qq", "集整理", "APP", "版权", "收藏", "笔记", "（ ）[。？！]."),
    ),
)
MORE = rule_of_signs("more_link", lambda text: _MORE.sub("", text), ("详细", "更多", "展开", "收起", "查看", "全文"))
LEAKED_ANSWER = rule_of_signs("leaked_answer", _without_answer, ("答案",))


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
    rule_of_signs("double_name", _with_dashes, (rf"一(?=\d|{'|'.join(second for _, second in _HALVES)})",)),
    rule_of_signs("misread_ones", _with_ones, ("[lI]", r"1(?=[a-z]{2}|[\dB]{0,2}B)", "[Oo](?=[—~-])", "MMP[!！1]")),
    rule_of_signs("lost_power", lambda text: _POWER.sub(lambda power: _RAISED[power[1]], text), ("10(?:9|12)/L",)),
    rule_of_signs("torn_decimal", lambda text: _TORN.sub(lambda torn: f"{torn[1] or 0}.", text), (r"\. ",)),
    rule_of_signs("turned_quotes", _with_quotes, ("^[^“”]*”", "‘‘", "’’")),
    rule_of_signs("stray_characters", lambda text: _STRAY.sub("", text), ("崐", "~(?: |(?<= ~))")),
    rule_of_signs(
        "doubled_marks",
        lambda text: _DOUBLED.sub(lambda marks: marks[1] or ("。" if marks[0] == "。。" else ""), text),
        ("，[，。]", "。。", "、、", "；；"),
    ),
)
