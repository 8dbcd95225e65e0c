"""What sites add around and within a text, as named rules: adverts, watermarks, buttons, links."""

import re

from curation.text.markup import BLANK
from curation.text.rules import rule_of_signs

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
        "微信公众号",
    ),
    *("扫码(?<![被可经]扫码)(?![设枪器支识读登])", "更多试题"),
)
_SITES = f"(?:{'|'.join(_SITE_NAMES)})"
ADDRESS = r"[A-Za-z0-9_./?=&%#:~+-]{1,200}"
"""Of a site. Chinese words behind it are none of it: 打开www.abc.com后应当."""
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
_INTERFACE = re.compile(  # after （ ）。 no question mentions these; of 9,600 published choice questions only 2 continue there
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
    "adverts, watermarks, buttons and remarks on the source",
    _without_advert,
    (
        *(r"https?://", r"www\.", *_SITE_NAMES, "答案", "解析", "来源", "来自", "转自", "转载", "出处", "选自", "纠错", "上一段"),
        *("公众号", "微信", "QQ", "qq", "集整理", "APP", "版权", "收藏", "笔记", "（ ）[。？！]."),
    ),
    "下列属于感觉的是（ ）。来源：考试吧",
    "下列属于感觉的是（ ）。",
)
MORE = rule_of_signs(
    "more_link",
    "links such as [详细] at the end",
    lambda text: _MORE.sub("", text),
    ("详细", "更多", "展开", "收起", "查看", "全文"),
    "高血压是常见的慢性病……[详细]",
    "高血压是常见的慢性病",
)
LEAKED_ANSWER = rule_of_signs(
    "leaked_answer",
    "the answer, and what explains it, behind the question or its last option",
    _without_answer,
    ("答案",),
    "下列属于感觉的是（ ）。【答案】A",
    "下列属于感觉的是（ ）。",
)
