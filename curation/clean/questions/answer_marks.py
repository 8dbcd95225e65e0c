"""What a marking scheme prints into an answer in words: scores, remarks to the marker, quotes of a file; as named rules."""

import re

from curation.clean.questions.prose_marks import PROSE_RULES
from curation.text.rules import Group, rule_of_signs

_OPEN, _CLOSE = r"\s*[（(\[【]", r"[）)\]】]"
_REMARK = (
    r"(?:(?:以上)?各?要点需?[^（()）]{0,8}展开[^（()）]{0,6}|(?:考生)?(?:可|请)?结合[^（()）]{0,10}(?:略|论述|阐述|解释|说明)[^（()）]{0,6}"
    r"|(?:分别)?举例(?:说明|略)|(?:实例|举例|展开|解释|说明|论述|阐述)略|(?:任选|任答|答出)[^（()）]{0,10}|言之有理[^（()）]{0,8})[。；]?"
)
_SCORE = re.compile(
    rf"{_OPEN}\s*(?:各|共|计|每[点条项个问]?)?\s*(?:[1-9]\d?(?:\.5|[-—~][1-9]\d?)?|0\.5)\s*分\s*[。；]?\s*{_CLOSE}"
    rf"|\s*[（(][^（()）]{{0,60}}(?:酌情|的情|展开|程度加|基本内容|其[它他]各|第\d点)[^（()）]{{0,16}}分[^（()）]{{0,6}}[）)]"
    r"|\s*[（(][^（()）]{0,60}给分。?[）)]$"
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
_CHAPTER_AND_PAGE = re.compile(r"(?<=[\u4e00-\u9fff])\d{1,2}-\d{3}$")


def _without_scheme(text: str) -> str:
    text = _HEADING.sub("", _TO_THE_MARKER.sub("", text))
    return text if _SPEAKS_OF_SCORES.search(text) else _SCORE.sub("", text)


def _mend_edges(text: str) -> str:
    if "'" in text[:1] + text[-1:] and text.count("'") <= 2:
        text = text.strip("'")
    return _CHAPTER_AND_PAGE.sub("", _STOP.sub("。", _POINT.sub(r"（\1）", text)))


ANSWER_RULES = Group(
    (
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
            _mend_edges,
            ("^'", r"[.'\d]$", _POINT.pattern),
            "'(1.脑电波 (2.皮肤电反应'",
            "（1）脑电波 （2）皮肤电反应",
        ),
    )
)
