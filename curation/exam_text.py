"""Stems, options and answers without what a paper prints around them: numbers, letters, tags, scores, page references, adverts."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from curation.normalize import BLANK, RULES, Cleaned, Rule, run_rules
from records.question import LETTERS

_TYPE = (
    r"(?:单项选择题?|多项选择题?|不定项选择题?|单选题?|多选题?|不定项题?|选择题"
    r"|判断题|是非题|填空题|简答题|论述题|名词解释|[ABX][1-4]?[1-4]?型题?)"
)
_LIST_OF_NUMBERS = r"\d+(?:\.\d+)?\s*[、，,和与及~：:]"
_SEPARATED = (
    rf"\s*(?:、(?!{_LIST_OF_NUMBERS})|[.．)）:：](?!\d{{1,2}}(?!\d)))"  # 1、 and 1、90项 and 1.1879年, but neither 1.5 nor 8、26、10
)
_ASKS = r"(?:试[用述论比]|简[述答要]|什么是|请|举例|如何|论述|根据|对于?[该本]|使用|下列|以下|关于)"
_NUMBER = re.compile(
    rf"^\d{{1,2}}(?={_ASKS})"
    r"|^(?:第\s*\d{1,3}\s*[题小]题?[:：、.]?|[（(]\d{1,3}[）)](?![×/=+*])"
    rf"|\d{{1,3}}{_SEPARATED})\s*(?=\S)|^\d{{1,3}}\s*[、.．)）]$"
)
_START_TAG = re.compile(
    rf"^(?:\d{{1,3}}\s*[、.．]?\s*)?(?:[\[【（〔]\s*({_TYPE})\s*[\]】）〕][:：]?|({_TYPE})[:：])\s*(?:\d{{1,3}}{_SEPARATED})?\s*"
)
_END_TAG = re.compile(rf"(?:[\[【（〔]\s*({_TYPE})\s*[\]】）〕]|(?<![是为即于的作做道])(单选|多选)题?)[。.：:]?$")
_TAG_IN_BLANK = re.compile(r"[（(]\s*(?:单选|多选)题?[。.]?$")
_SCORE = r"[\[【（(〔]\s*(?:本题|每题|每小题|共|满分)*\s*[l\d]{1,3}(?:\.\d)?\s*分\s*[\]】)）〕]"
_SCORE_TAG = re.compile(rf"^{_SCORE}\s*(?=\S)|(?<=\S)\s*{_SCORE}[。.]?$")
_PAGE = re.compile(r"^[（(【\[]\s*[\dIVX]{0,3}\s*[Pp]\s*\d{1,3}(?:[-~、,，]\d{1,3})*\s*[）)】\]]\s*(?=\S)")
_PAGE_AT_END = re.compile(
    r"(?<=[\u4e00-\u9fff])\d{1,2}-\d{3}$|(?<=[）。？！”])\s*(?:(?:\d{1,2}-\d{1,3}(?:/\d{1,3})?\s*)+"
    r"|[（(【\[]?\s*\d{0,2}\s*[Pp]\s*\d{1,3}\s*[）)】\]]?)$"
)
_ORIGIN = re.compile(
    r"[（(\[【][^（()）\[\]【】]{0,12}(?:大学|师大|北大|学院|真题|统考|联考|自考|考研)?"
    r"\d{4}(?:年\d{0,2}月?)?(?:研|真题|统考|联考|自考)[）)\]】][。.]?$"
)
_MORE = re.compile(r"(?:……)?\s*[\[【（(]\s*(?:详细|更多|展开|收起|查看全部|查看详情|全文|点击查看|阅读全文)\s*[\]】）)]\s*$")
_SITES = r"(?:考试酷|答案圈|考试吧|考试大|学易网|华夏心理网|有问必答|中华考试网|233网校|微信公众号|扫码|更多试题)"
_ADVERT = re.compile(
    r"\s*(?:[（(【\[]?\s*(?:(?:https?://|www\.)[\w./?=&%#-]+"
    r"|(?:本题|试题|文章|内容|资料)?(?:来源|来自|转自|转载自|出处|选自)[:：]\s*[^，。；：？！\n]{2,20}"
    rf"|[^，。；：？！\n（()）]{{0,6}}{_SITES}[^，。；：？！\n（()）]{{0,12}}"
    r"|纠错或评论[:：]?.{0,12})\s*[）)】\]]?)\s*[。.]?\s*$"
)
_INSTRUCTION = re.compile(r"^请在每小题的?空格中填上正确答案[，。]?错填、?不填均无分。?\s*")
_STEM_START = re.compile(r"^(?:-{3,}|[?？!！。，、；：,;:]|[.．](?!\d))+\s*")
_STEM_END = re.compile(r"(?<=（ ）)[，、：:’'.]+$|[：:]$")
_ASKED_ENOUGH = re.compile(r"^((?:简|论|试|阐)[述论析].{4,})[、，]$")
_LEAKED_ANSWER = re.compile(r"[（(]\s*([A-J]{1,6})\s*[）)](?=[。？！.?!]?$)")
_ANSWER_MARK = re.compile(
    r"^[【\[]?(?:参考答案|正确答案|标准答案|答案要点|答案|答)[】\]]?[:：】]\s*|^【(?:答案要点|答案|参考答案|解析)】\s*"
)
_EXPLANATION_MARK = re.compile(r"^[【\[（]?(?:试题解析|答案解析|解析|分析|本题解析)[】\]）]?[:：]\s*(?=\S)|^【解析】\s*")
_OPTION_EDGE = re.compile(r"^[、，；：。,;:?？]\s*|^[.．](?!\d)\s*|\s*[；;，,、]+$")
_FULL_STOP = re.compile(r"^([^。]*)。$")
_OPTION_LETTER = re.compile(r"^[（(【\[]?\s*([A-Ja-j])\s*(?:[）)】\]]\s*[、.．:：]?|[、.．:：，,。])\s*")
_LETTER_BEFORE_CHINESE = re.compile(r"^([A-J])[.、]\s*(?=[\u4e00-\u9fff])")
_BARE_LETTER = re.compile(r"^([A-J])\s*(?=[\u4e00-\u9fff])")

STEM_RULES: tuple[Rule, ...] = (
    Rule("advert", "adverts, watermarks and remarks on the source", lambda text: _ADVERT.sub("", text)),
    Rule("more_link", "links such as [详细] at the end", lambda text: _MORE.sub("", text)),
    Rule("page_reference", "references to pages of a textbook", lambda text: _PAGE_AT_END.sub("", _PAGE.sub("", text))),
    Rule("origin", "remarks on the paper a question comes from", lambda text: _ORIGIN.sub("", text)),
    Rule("type_tag", "tags that say the question's type", lambda text: _without_tags(text)),
    Rule("score_tag", "tags that say the score", lambda text: _SCORE_TAG.sub("", text)),
    Rule("number", "numbers of questions", lambda text: _NUMBER.sub("", text)),
    Rule("instruction", "instructions that belong to the paper", lambda text: _INSTRUCTION.sub("", text)),
    Rule("stem_edges", "signs left at either end", lambda text: _mend_edges(text)),
)
_OPTION_RULES = (
    Rule("advert", "adverts, watermarks and remarks on the source", lambda text: _ADVERT.sub("", text)),
    Rule("more_link", "links such as [详细] at the end", lambda text: _MORE.sub("", text)),
    Rule("option_edges", "signs around an option", lambda text: _FULL_STOP.sub(r"\1", _OPTION_EDGE.sub("", text))),
)
_PROSE_RULES = (
    *(rule for rule in STEM_RULES if rule.name in {"advert", "more_link"}),
    Rule("answer_mark", "words such as 答案： in front", lambda text: _ANSWER_MARK.sub("", text)),
    Rule("explanation_mark", "words such as 解析： in front", lambda text: _EXPLANATION_MARK.sub("", text)),
)


def _without_tags(text: str) -> str:
    return _END_TAG.sub("", _START_TAG.sub("", _TAG_IN_BLANK.sub(BLANK, text))).rstrip()


def _mend_edges(text: str) -> str:
    text = _ASKED_ENOUGH.sub(r"\1", _STEM_END.sub("", _STEM_START.sub("", text)))
    return text[: -len("、（ ）")] + BLANK if text.endswith("、（ ）") else text


class Options(NamedTuple):
    """Options in order; an empty one keeps its place, so that letters stay right."""

    texts: list[str]
    rules: tuple[str, ...]


def one_line(text: str) -> str:
    """Join the lines of a text that is one sentence or two."""
    return run_rules(text.replace("\n", " "), RULES[-1:]).text


def clean_stem(text: str) -> Cleaned:
    """Return the question proper."""
    join = Rule("lines", "line ends inside a stem", one_line)
    return run_rules(text, (*RULES, *STEM_RULES, join))


def clean_prose(text: str | None) -> Cleaned:
    """Return an explanation, a case or an answer in words; its lines stay. An empty one is `""`."""
    return run_rules(text or "", (*RULES, *_PROSE_RULES))


def clean_options(raw: Sequence[str]) -> Options:
    """Return options without their letters and edges; empty ones behind the fourth, places of a form left unused, are dropped."""
    marks = [rule for rule in RULES if rule.name != "letters_in_words"]  # A.blood is option A, and no word
    cleaned = [run_rules(text, marks) for text in raw]
    names = [name for option in cleaned for name in option.rules]
    texts = [option.text.replace("\n", " ") for option in cleaned]
    lettered = sum(_own_letter(_OPTION_LETTER, text, place) for place, text in enumerate(texts)) * 2 > len(texts)
    for place, text in enumerate(texts):
        for pattern in (_OPTION_LETTER, _BARE_LETTER) if lettered else (_LETTER_BEFORE_CHINESE,):
            if _own_letter(pattern, text, place):
                texts[place] = _LETTER_BEFORE_CHINESE.sub("", pattern.sub("", text, count=1))
                names.append("option_letter")
                break
    for place, text in enumerate(texts):
        texts[place], rules = run_rules(text, (*RULES, *_OPTION_RULES))
        names += rules
    while len(texts) > 4 and not texts[-1]:
        texts.pop()
    return Options(texts, tuple(dict.fromkeys(names)))


def _own_letter(pattern: re.Pattern[str], text: str, place: int) -> bool:
    letter = pattern.match(text)
    return bool(letter) and place < len(LETTERS) and letter[1].upper() == LETTERS[place]


def without_number(text: str, number_raw: str | None) -> str:
    """Return a normalized stem without its own number in the paper, where the source tells that apart."""
    number = re.search(r"\d+", number_raw or "")
    return re.sub(rf"^[（(]?{number[0]}\s*[）)、.．:：]+\s*", "", text, count=1) if number else text


def type_tag(text: str) -> str | None:
    """Return the type a stem says of itself, such as 单选."""
    for pattern in (_START_TAG, _END_TAG):
        if tag := pattern.search(text):
            return tag[1] or tag[2]
    return None


def open_blank(stem: str, answer: str | None) -> str:
    """Return a stem whose last blank no longer shows the answer."""
    leaked = _LEAKED_ANSWER.search(stem)
    if leaked and leaked[1] == answer:
        return stem[: leaked.start()] + BLANK + stem[leaked.end() :]
    return stem
