"""Remove question numbers from stems: the number that the source gives separately, and any that a paper prints before it."""

import re

from curation.text.rules import rule_of_signs

_FIRST_NUMBER = re.compile(r"\d+")
_NUMBER_MARK = re.compile(r"\s*[）)、.．:：]+\s*")
TYPE = (
    r"(?:单项选择题?|多项选择题?|不定项选择题?|单选题?|可?多选题?|不定项题?|最佳选择题|选择题"
    r"|判断题|是非题|填空题|简答题|论述题|名词解释|[ABX][1-4]?(?:/?[ABX]?[1-4])?型题?)"
)
_LIST_OF_NUMBERS = r"\d+(?:\.\d+)?\s*[、，,和与及~：:]"
SEPARATED = (
    rf"\s*+(?:、(?!{_LIST_OF_NUMBERS})|[.．)）:：](?!\d{{1,2}}(?!\d)))"  # 1、 and 1、90项 and 1.1879年, but neither 1.5 nor 8、26、10
)
_ASKS = r"(?:试[用述论比]|简[述答要]|什么是|请|举例|如何|论述|根据|对于?[该本]|使用|下列|下述|以下|关于)"
_NUMBER_BEFORE_FIGURE = (  # 12.3岁儿童 and 7.5-羟色胺, but not 1.5岁
    r"\d{1,3}[.．](?=\d{1,2}(?:世纪|型|号|-[\u4e00-\u9fff])|16PF|\d+\.\d|(?!(?:5|25|50|75)(?!\d))\d{1,2}(?:岁|个月|小时|天|周))"
)
_NUMBER_IN_WORDS = (
    r"(?:[Qq]|[Nn][Oo][.．]?|题目?|试题|问题|题号|例)\s*\d{1,4}\s*[、.．:：]|#\s*\d{1,4}\s*|第[一二三四五六七八九十]{1,3}题[、.．:：]?"
    r"|[一二三四五六七八九十]{1,3}[、。](?![一二三四五六七八九十两]|" + TYPE + ")"
)
_GROUP = r"【第?\d{1,3}\s?[-~～—–至]\s?\d{1,3}题?】(?!\s*(?:[岁个天周月年次分]|小时|[A-Za-zμ%]))"
"""The numbers of a group of questions; 【5-10】岁 is a range."""
_NUMBER = re.compile(
    rf"^\d{{1,2}}(?={_ASKS})|^(?:{_NUMBER_BEFORE_FIGURE}|{_NUMBER_IN_WORDS}|{_GROUP}|[\[【]第?\d{{1,3}}题?[\]】]|[⑴-⒛](?!.*[⑴-⒛]))\s*(?=\S)"
    r"|^\d{1,3}(?:[，。]|……)(?=[\u4e00-\u9fff（《“])(?!（\s*）\s*[，、]\s*\d)|^\d{1,2}-\d{1,3}[、.．]\s*(?=[^\d\s])"
    r"|^(?:第\s*\d{1,4}\s*[题小]题?[:：、.]?|[（(]\d{1,3}[）)](?![×/=+*])"
    rf"|\d{{1,3}}{SEPARATED}|\d{{4}}(?!\s*[:：]){SEPARATED}(?=\s*\D))\s*(?=\S)|^\d{{1,3}}\s*[、.．)）]$|^案例[一二三四五六七八九十\d]{{1,3}}(?:[（(]\d{{1,3}}[）)])?[：:](?=.{{6}})"
)

NUMBER = rule_of_signs(
    "number",
    "numbers of questions",
    lambda text: _NUMBER.sub("", text),
    (_NUMBER.pattern,),
    "12．下列属于知觉的是（ ）。",
    "下列属于知觉的是（ ）。",
)


def without_number(text: str, number_raw: str | None) -> str:
    """Return a normalized stem without its own number in the paper, if the source gives that separately."""
    number = _FIRST_NUMBER.search(number_raw) if number_raw else None
    if not number:
        return text
    if named := re.match(rf"第\s*{number[0]}\s*小?题\s*[:：、.．]?\s*", text):
        return text[named.end() :]
    if not text.startswith((number[0], "（" + number[0], "(" + number[0])):
        return text
    mark = _NUMBER_MARK.match(text, text.index(number[0]) + len(number[0]))
    return text[mark.end() :] if mark else text
