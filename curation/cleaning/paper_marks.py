"""What a paper or site prints around a question, as named rules: numbers, tags, scores, page references, origins, adverts."""

import re

from curation.cleaning.markup import BLANK
from curation.cleaning.rules import Rule, run_rules
from curation.normalize import RULES

_TYPE = (
    r"(?:单项选择题?|多项选择题?|不定项选择题?|单选题?|多选题?|不定项题?|选择题"
    r"|判断题|是非题|填空题|简答题|论述题|名词解释|[ABX][1-4]?[1-4]?型题?)"
)
_LIST_OF_NUMBERS = r"\d+(?:\.\d+)?\s*[、，,和与及~：:]"
SEPARATED = (
    rf"\s*(?:、(?!{_LIST_OF_NUMBERS})|[.．)）:：](?!\d{{1,2}}(?!\d)))"  # 1、 and 1、90项 and 1.1879年, but neither 1.5 nor 8、26、10
)
_ASKS = r"(?:试[用述论比]|简[述答要]|什么是|请|举例|如何|论述|根据|对于?[该本]|使用|下列|以下|关于)"
_NUMBER = re.compile(
    rf"^\d{{1,2}}(?={_ASKS})"
    r"|^(?:第\s*\d{1,3}\s*[题小]题?[:：、.]?|[（(]\d{1,3}[）)](?![×/=+*])"
    rf"|\d{{1,3}}{SEPARATED})\s*(?=\S)|^\d{{1,3}}\s*[、.．)）]$"
)
_BARE_TYPE = r"[单多]选题?(?![题测的与和及或法项是为可中由型答]|量表|问卷)(?=[\u4e00-\u9fff“（])"
_START_TAG = re.compile(
    rf"^(?:\d{{1,3}}\s*[、.．]?\s*)?(?:(?:[\[【（〔]\s*({_TYPE})\s*[\]】）〕][:：]?|({_TYPE})[:：])\s*(?:\d{{1,3}}{SEPARATED})?\s*"
    rf"|({_BARE_TYPE}))"
)
_END_TAG = re.compile(rf"(?:[\[【（〔]\s*({_TYPE})\s*[\]】）〕]|(?<!\w)({_TYPE})|([单多]选)题?)[。.：:]?$")
_SPEAKS_OF_TYPES = re.compile(r"题型|试卷|试题|这种题|类题|选择题|判断题|客观题")
_NEAR_CHARS = 20
_TAG_SIGN = re.compile("[选题型释项]")
_LONGEST_TAG_CHARS = 12
_LONGEST_ADVERT_CHARS = 200
_TAG_IN_BLANK = re.compile(r"[（(]\s*(?:单选|多选)题?[。.]?$")
_SCORE = r"[\[【（(〔]\s*(?:本题|每题|每小题|共|满分)*\s*[l\d]{1,3}(?:\.\d)?\s*分\s*[\]】)）〕]"
_SCORE_TAG = re.compile(rf"^{_SCORE}\s*(?=\S)|(?<=\S)\s*{_SCORE}(?:[。.]?$|(?=[：:]))")
_PAGE = re.compile(r"^[（(【\[]\s*[\dIVX]{0,3}\s*[Pp]\.?\s*\d{1,3}(?:[-~、,，]\d{1,3})*\s*[）)】\]]\s*(?=\S)")
_PAGE_NAMED = re.compile(r"[（(【\[]\s*(?:参?见)?(?:教材|课本|书)?\s*(?:第\s*\d{1,3}\s*页|(?<=[见材本书])\s*[Pp]\.?\s*\d{1,3})\s*[）)】\]]")
_PAGE_AT_END = re.compile(
    r"(?<=[\u4e00-\u9fff])\d{1,2}-\d{3}$|(?<=。)\d{2,3}$|(?<=[）。？！”])\s*(?:(?:\d{1,2}-\d{1,3}(?:/\d{1,3})?\s*)+"
    r"|[（(【\[]?\s*\d{0,2}\s*[Pp]\.?\s*\d{1,3}\s*[）)】\]]?)$|(?<=[^\W\d_数位为即是])[（(【\[]\s*\d{0,2}\s*[Pp]\.?\s*\d{1,3}\s*[）)】\]]。?$"
)
_ORIGIN = re.compile(
    r"[（(\[【][^（()）\[\]【】]{0,12}(?:大学|师大|北大|学院|真题|统考|联考|自考|考研)?"
    r"\d{4}(?:年\d{0,2}月?)?(?:研|真题|统考|联考|自考)[）)\]】][。.]?$"
)
_MORE = re.compile(r"(?:……)?\s*[\[【（(]\s*(?:详细|更多|展开|收起|查看全部|查看详情|全文|点击查看|阅读全文)\s*[\]】）)]\s*$")
_SITES = r"(?:考试酷|答案圈|考试吧|考试大|学易网|华夏心理网|有问必答|中华考试网|233网校|微信公众号|扫码|更多试题)"
_BUTTON = r"(?:(?<=\S)确认答案|(?<=[）。？！])(?:显示|查看|提交|隐藏)(?:参考)?答案)"
_BUTTON_IN_FRONT = re.compile("^上一段(?![话文对谈落中的])|^上一段(?=对[于该本])")
_ADVERT = re.compile(
    r"\s*(?:[（(【\[]?\s*(?:(?:https?://|www\.)[\w./?=&%#-]+"
    r"|(?:本题|试题|文章|内容|资料)?(?:来源|来自|转自|转载自|出处|选自)[:：]\s*[^，。；：？！\n]{2,20}"
    rf"|[^，。；：？！\n（()）]{{0,6}}{_SITES}[^，。；：？！\n（()）]{{0,12}}"
    rf"|{_BUTTON}|纠错或评论[:：]?.{{0,12}})\s*[）)】\]]?)\s*[。.]?\s*$"
)
_INSTRUCTION = re.compile(r"^请在每小题的?空格中填上正确答案[，。]?错填、?不填均无分。?\s*")
_LOST_BRACKET = re.compile(r"^([^（(]{4,}[\u4e00-\u9fff])[）)](?=[。？]?$)")
_STRAY_IN_BLANK = re.compile(r"（[，、]）(?=[。？]?$)")
_STEM_START = re.compile(r"^(?:-{3,}|[?？!！。，、；：,;:]|[.．](?!\d))+\s*")
_STEM_END = re.compile(r"(?<=（ ）)[，、：:’'.]+$|[：:]$")
_NEEDS_EDGES = re.compile(r"^[-?？!！。，、；：,;:.．]|[，、：:’'.]$|、（ ）$").search
_ASKED_ENOUGH = re.compile(r"^((?:简|论|试|阐)[述论析].{4,})[、，]$")
_ANSWER_MARK = re.compile(
    r"^[【\[]?(?:参考答案|正确答案|标准答案|答案要点|答案|答)[】\]]?[:：】]\s*|^【(?:答案要点|答案|参考答案|解析)】\s*"
)
_EXPLANATION_MARK = re.compile(r"^[【\[（]?(?:试题解析|答案解析|解析|分析|本题解析)[】\]）]?[:：]\s*(?=\S)|^【解析】\s*")


def type_tag(text: str) -> str | None:
    """Return the type a stem says of itself, such as 单选."""
    tag = _START_TAG.match(text) or _end_tag(text)
    return next(filter(None, tag.groups())) if tag else None


def _end_tag(text: str) -> re.Match[str] | None:
    start = max(0, len(text) - _LONGEST_TAG_CHARS)
    tag = _END_TAG.search(text, start) if _TAG_SIGN.search(text, start) else None
    speaks = tag and tag[3] and _SPEAKS_OF_TYPES.search(text, max(0, tag.start() - _NEAR_CHARS), tag.start())
    return None if speaks else tag  # 这种题型是单选 is part of the question


def one_line(text: str) -> str:
    """Join the lines of a text that is one sentence or two."""
    return run_rules(text.replace("\n", " "), RULES[-1:]).text


def _without_advert(text: str) -> str:
    text = _BUTTON_IN_FRONT.sub("", text)
    advert = _ADVERT.search(text, max(0, len(text) - _LONGEST_ADVERT_CHARS))
    return text[: advert.start()] if advert else text


def _without_tags(text: str) -> str:
    text = _START_TAG.sub("", _TAG_IN_BLANK.sub(BLANK, text))
    return text[: tag.start()].rstrip() if (tag := _end_tag(text)) else text


def _without_pages(text: str) -> str:
    return _PAGE_AT_END.sub("", _PAGE_NAMED.sub("", _PAGE.sub("", text)))


def _mend_edges(text: str) -> str:
    text = _ASKED_ENOUGH.sub(lambda asked: asked[1], _STEM_END.sub("", _STEM_START.sub("", text)))
    return text[: -len("、（ ）")] + BLANK if text.endswith("、（ ）") else text


ADVERT = Rule(
    "advert",
    "adverts, watermarks, buttons and remarks on the source",
    lambda text: _without_advert(text),
    re.compile(rf"https?://|www\.|来源|来自|转自|转载|出处|选自|{_SITES[3:-1]}|答案|纠错或评论|上一段").search,
    "下列属于感觉的是（ ）。来源：考试吧",
    "下列属于感觉的是（ ）。",
)
MORE = Rule(
    "more_link",
    "links such as [详细] at the end",
    lambda text: _MORE.sub("", text),
    re.compile("详细|更多|展开|收起|查看|全文").search,
    "高血压是常见的慢性病……[详细]",
    "高血压是常见的慢性病",
)
STEM_RULES: tuple[Rule, ...] = (
    ADVERT,
    MORE,
    Rule(
        "page_reference",
        "references to pages of a textbook",
        _without_pages,
        re.compile(r"[Pp]\.?\s*\d|页|\d-\d|。\d{2,3}$").search,
        "(7 P179)表情可分为（ ）",
        "表情可分为（ ）",
    ),
    Rule(
        "origin",
        "remarks on the paper a question comes from",
        lambda text: _ORIGIN.sub("", text),
        re.compile(r"\d{4}").search,
        "这种说法对吗？[南开大学2004研]",
        "这种说法对吗？",
    ),
    Rule(
        "type_tag",
        "tags that say the question's type",
        _without_tags,
        re.compile("选|不定项|题|名词解释|型").search,
        "初步诊断是（ ）。单选",
        "初步诊断是（ ）。",
    ),
    Rule(
        "score_tag",
        "tags that say the score",
        lambda text: _SCORE_TAG.sub("", text),
        re.compile(r"分\s*[\]】)）〕]").search,
        "注意的品质有（ ）。[1分]",
        "注意的品质有（ ）。",
    ),
    Rule(
        "number",
        "numbers of questions",
        lambda text: _NUMBER.sub("", text),
        re.compile(r"^[\d（(第]").search,
        "12．下列属于知觉的是（ ）。",
        "下列属于知觉的是（ ）。",
    ),
    Rule(
        "instruction",
        "instructions that belong to the paper",
        lambda text: _INSTRUCTION.sub("", text),
        re.compile("^请在每小题").search,
        "请在每小题的空格中填上正确答案。错填、不填均无分。简述气质的类型。",
        "简述气质的类型。",
    ),
    Rule(
        "lost_bracket",
        "a blank at the end of which one bracket was lost, or which holds a stray sign",
        lambda text: _STRAY_IN_BLANK.sub(BLANK, _LOST_BRACKET.sub(rf"\1{BLANK}", text)),
        re.compile(r"[）)][。？]?$").search,
        "“人力资本”理论创建于)",
        "“人力资本”理论创建于（ ）",
    ),
    Rule("stem_edges", "signs left at either end", _mend_edges, _NEEDS_EDGES, "?抽象运算的阶段是（ ）：", "抽象运算的阶段是（ ）"),
    Rule("lines", "line ends inside a stem", one_line, re.compile("\n").search, "下列\n属于知觉的是（ ）。", "下列属于知觉的是（ ）。"),
)
PROSE_RULES: tuple[Rule, ...] = (
    ADVERT,
    MORE,
    Rule(
        "answer_mark", "words such as 答案： in front", lambda text: _ANSWER_MARK.sub("", text), re.compile("答").search, "答案：甲", "甲"
    ),
    Rule(
        "explanation_mark",
        "words such as 解析： in front",
        lambda text: _EXPLANATION_MARK.sub("", text),
        re.compile("析").search,
        "解析：甲",
        "甲",
    ),
)
