"""What a paper or site prints around and within answers in words, explanations and cases, as named rules."""

import re

from curation.clean.questions.adverts import ADVERT, MORE
from curation.clean.questions.misreadings import MISREADINGS
from curation.text.rules import Group, rule_of_signs

_ANSWER_MARK = re.compile(
    r"^[【\[]?(?:参考答案|正确答案|标准答案|答案要点|答案|答)[】\]]?[:：】]\s*|^【(?:答案要点|答案|参考答案)】\s*"
    r"|(?<=[。；！？])\s*参见(?:参考)?答案。?$"
)
_EXPLANATION_MARK = re.compile(r"^[【\[（]?(?:试题解析|答案解析|解析|分析|本题解析)[】\]）]?[:：]\s*(?=\S)|^【解析】\s*")
_PAGES = r"[Pp]\.?\s*\d{1,3}(?:\s*[-~、，]\s*[Pp]?\.?\s*\d{1,3})*\s*[）)]"
_PAGE_WITHIN = re.compile(
    rf"[（(]\s*见?\s*第?\s*\d{{1,3}}\s*页\s*[）)]|[（(]见\s*\d{{1,3}}[）)](?=[。；]?$)"
    rf"|[（(]\s*\d{{1,2}}\s*{_PAGES}|(?<=[。！？；])\s*[（(]\s*{_PAGES}|(?<=[。！？])[ ]*\d{{1,3}}$"
)
_ELSEWHERE = re.compile(r"(?:参[考见照]|见|同|解析同)(?:(?:上|前|第\s*\d{1,3}\s*)题(?:的?解析)?|上)。?")
_WRAPPED = re.compile(
    r"(?<=[\u4e00-\u9fffA-Za-z0-9，、“（])\n"
    r"(?![（(]?(?:\d{1,2}|[一二三四五六七八九十]{1,2}|[A-Za-z])[)）、.．]|[①-⑳⑴-⒇]|\d{1,2}[\u4e00-\u9fff]|第[一二三四五]|[\u4e00-\u9fff]{2,8}[：:])"
)
_WRAPPED_LINE_CHARS = 40  # a heading, after which the line ends for good, is shorter
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
