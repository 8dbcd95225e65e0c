"""What a paper or site prints around and within answers in words, explanations and cases, as named rules.

Answers have additional ones: scores and remarks of a marking scheme, quotes of a file.
"""

import re

from curation.clean.questions.adverts import ADVERT, MORE
from curation.clean.questions.misreadings import MISREADINGS
from curation.text.rules import Group, rule_of_signs

_ANSWER_MARK = re.compile(
    r"^[【\[]?(?:参考答案|正确答案|标准答案|答案要点|答案|答)[】\]]?[:：】]\s*|^【(?:答案要点|答案|参考答案)】\s*"
    r"|(?<=[。；！？])\s*参见(?:参考)?答案。?$"
)
_EXPLANATION_MARK = re.compile(r"^[【\[（]?(?:试题解析|答案解析|解析|分析|本题解析)[】\]）]?[:：]\s*(?=\S)|^【解析】\s*")
_PAGES = r"[Pp]\.?\s*+\d{1,3}(?:\s*+[-~、，]\s*+[Pp]?\.?\s*+\d{1,3})*\s*+[）)]"
_PAGE_WITHIN = re.compile(
    rf"[（(]\s*+见?\s*+第?\s*+\d{{1,3}}\s*+页\s*+[）)]|[（(]见\s*+\d{{1,3}}[）)](?=[。；]?$)"
    rf"|[（(]\s*+\d{{1,2}}\s*+{_PAGES}|(?<=[。！？；])\s*+[（(]\s*+{_PAGES}|(?<=[。！？])[ ]*\d{{1,3}}$"
)
_ELSEWHERE = re.compile(r"(?:参[考见照]|见|同|解析同)(?:(?:上|前|第\s*\d{1,3}\s*)题(?:的?解析)?|上)。?")
_WRAPPED = re.compile(
    r"(?<=[\u4e00-\u9fffA-Za-z0-9，、“（])\n"
    r"(?![（(]?(?:\d{1,2}|[一二三四五六七八九十]{1,2}|[A-Za-z])[)）、.．]|[①-⑳⑴-⒇]|\d{1,2}[\u4e00-\u9fff]|第[一二三四五]|[\u4e00-\u9fff]{2,8}[：:])"
)
_WRAPPED_LINE_CHARS = 40  # a heading, whose line end is intended, is shorter
_PRIVATE = re.compile("[\ue000-\uf8ff]+")


def _explains(text: str) -> str:
    return "" if _ELSEWHERE.fullmatch(text) else _EXPLANATION_MARK.sub("", text)


def _unwrapped(text: str) -> str:
    def join(end: re.Match[str]) -> str:
        return "" if end.start() - text.rfind("\n", 0, end.start()) > _WRAPPED_LINE_CHARS else "\n"

    return _WRAPPED.sub(join, text)


PROSE_RULES = Group(
    (
        ADVERT,
        MORE,
        rule_of_signs(
            "answer_mark",
            "words such as 答案： in front, 参见答案 behind",
            lambda text: _ANSWER_MARK.sub("", text),
            ("答",),
            "答案：甲",
            "甲",
        ),
        rule_of_signs(
            "explanation_mark",
            "words such as 解析： in front, and 参考第3题 alone",
            _explains,
            ("析", "题", "^同上"),
            "解析：甲",
            "甲",
        ),
        rule_of_signs(
            "page_within",
            "references to pages of a textbook within or behind prose",
            lambda text: _PAGE_WITHIN.sub("", text),
            ("[Pp页]", "（见", r"\d$"),
            "信度是结果的一致性程度。（6P148）",
            "信度是结果的一致性程度。",
        ),
        rule_of_signs(
            "private_signs",
            "signs of a private font that no other font shows",
            lambda text: _PRIVATE.sub("", text),
            ("[\ue000-\uf8ff]",),
            "由应激源引起的\ue003身心紧张状态",
            "由应激源引起的身心紧张状态",
        ),
        rule_of_signs(
            "wrapped_lines",
            "ends of printed lines within a sentence",
            _unwrapped,
            ("\n",),
            "思维是借助语言、表象或动作实现的对客观事物概括和间接的认识，是认识的高级形式。它能\n揭示事物的本质。",
            "思维是借助语言、表象或动作实现的对客观事物概括和间接的认识，是认识的高级形式。它能揭示事物的本质。",
        ),
        *MISREADINGS,
    )
)


_OPEN, _CLOSE = r"[（(\[【]", r"[）)\]】]"
_REMARK = (
    r"(?:(?:以上)?各?要点需?[^（()）]{0,8}展开[^（()）]{0,6}|(?:考生)?(?:可|请)?结合[^（()）]{0,10}(?:略|论述|阐述|解释|说明)[^（()）]{0,6}"
    r"|(?:分别)?举例(?:说明|略)|(?:实例|举例|展开|解释|说明|论述|阐述)略|(?:任选|任答|答出)[^（()）]{0,10}|言之有理[^（()）]{0,8})[。；]?"
)
_SCORE = re.compile(
    rf"(?:(?<!\s)\s+)?(?:{_OPEN}\s*+(?:(?:各|共|计|每[点条项个问]?)\s*+)?(?:[1-9]\d?(?:\.5|[-—~][1-9]\d?)?|0\.5)\s*+分\s*+(?:[。；]\s*+)?{_CLOSE}"
    rf"|[（(][^（()）]{{0,60}}(?:酌情|的情|展开|程度加|基本内容|其[它他]各|第\d点)[^（()）]{{0,16}}分[^（()）]{{0,6}}[）)]"
    r"|[（(][^（()）]{0,60}给分。?[）)]$)"
)
_SPEAKS_OF_SCORES = re.compile(r"[评计记得积]分|[（(]\s*0\s*分|级量表|平均|分数线|及格")
_TO_THE_MARKER = re.compile(
    rf"[（(]{_REMARK}[）)]|^结合实际略。?|(?:（\d）)?(?:对上述各?个?要点|(?:以上)?各要点)的?(?:有?适当|简要)?[^。（）：]{{0,6}}[论表阐]述(?:[。；]|$)"
    r"|(?:(?:联系|结合)实际，?展开(?:阐述|论述)|(?<=[。；）])(?:适当阐述|实例说明|举例说明|结合实际(?:展开)?(?:阐述|论述|说明)))。?$"
    r"|[（(]\d{1,2}[）)](?:联系|结合)实际(?:展开|进行)?(?:分析|论述|阐述|说明){0,2}。?$"
)
_HEADING = re.compile(r"^(?:【(?:书上)?(?:知识点|提示|要点|参考要点|答题要点|评分标准)】[:：]?|(?:答题)?提示[:：])\s*")
_POINT = re.compile(r"[（(](\d{1,2})\s*[.．\]](?=[\u4e00-\u9fff])")
_STOP = re.compile(r"(?<=[A-Za-z0-9）)])\.$")
_STATE = re.compile(
    r"(?:(?:\A|\n)[ \t]*+[\u4e00-\u9fff]{0,6}(?:测[验试]|作业|练习|考试)题?[ \t]*+)?"
    r"(?:\A|\n)[ \t]*+(?:[已未]完成|[已未]提交|[已待]批[改阅])\s*+\Z"
)
_CHAPTER_AND_PAGE = re.compile(r"(?<=[\u4e00-\u9fff])\d{1,2}-\d{3}$")


def _without_scheme(text: str) -> str:
    text = _HEADING.sub("", _TO_THE_MARKER.sub("", text))
    return text if _SPEAKS_OF_SCORES.search(text) else _SCORE.sub("", text)


def _repair_edges(text: str) -> str:
    if "'" in text[:1] + text[-1:] and text.count("'") <= 2:
        text = text.strip("'")
    return _CHAPTER_AND_PAGE.sub("", _STOP.sub("。", _POINT.sub(r"（\1）", text)))


ANSWER_RULES = Group(
    (
        rule_of_signs(
            "page_state",
            "what a learning site's page says below an answer in words",
            lambda text: _STATE.sub("", text),
            ("完成", "提交", "批[改阅]"),
            "注意的品质有四种。\n章节测验\n已完成",
            "注意的品质有四种。",
        ),
        *PROSE_RULES,
        rule_of_signs(
            "marking_scheme",
            "scores and remarks to the marker in an answer in words",
            _without_scheme,
            ("分", "略", "述", "展开", "举例", "任选", "任答", "答出", "言之有理", "提示", "知识点", "要点", "说明", "系实际", "合实际"),
            "（1）定势（2分）（2）功能固着（2分）（举例略）",
            "（1）定势（2）功能固着",
        ),
        rule_of_signs(
            "answer_edges",
            "quotes of a file around an answer in words, half brackets of its points, a page at its end",
            _repair_edges,
            ("^'", r"[.'\d]$", _POINT.pattern),
            "'(1.脑电波 (2.皮肤电反应'",
            "（1）脑电波 （2）皮肤电反应",
        ),
    )
)
