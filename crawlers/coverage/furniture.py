"""Parts of a source other than its questions that may be left out: numbers, letters, labels, headings, page numbers, markup.

The classes are small and closed, and each pattern matches a complete stretch or nothing: words that no pattern knows stay unread.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from crawlers.papers.signs.answer_marks import flat

_NUMERAL = r"[一二三四五六七八九十百\d]{1,4}"
_KIND = (
    r"(?:单项?选?择?|多项?选?择?|不定项选?择?|选择|判断|是非|填空|简答|问答|论述|名词解释|案例分析?|病例分析?|计算|综合|材料分析?|配伍"
    r"|共用题干|共用选项|[ABX][1-4]型|[ABX]型(?=题))"
)
_ANSWER = r"(?:参考|正确|标准|试题|本题|该题|考题|最佳)?的?(?:参考|正确|标准)?答案(?:要点|解析|与解析|及解析)?(?:[是为选应]{1,2})?"
_LABEL = (
    rf"(?:{_ANSWER}|答|(?:试题|答案|参考|本题|名师|题目)?(?:解析|分析|详解|点评|解释|解题思路)|故?(?:本题)?(?:正确)?应?选(?!项)|answer|key|explanation|题干|题目|问题|选项"
    r"|备选答案|考点|知识点|题号|序号|章节|来源|出处|题型|类型|分值)"
)
_OWN = r"(?:我|你|您|考生|学员|用户)的?(?:答案|作答|选择)\s?[:：]?\s?(?:[A-J]{1,10}|正确|错误|对|错|未答|√|×)?"
_REMARK = r"(?:难度|难易度?|难度系数|正确率|得分|分值)\s?:?\s?(?:易|中|难|较易|较难|容易|中等|困难|简单|\d{1,3}(?:\.\d{1,3})?%?分?)?"
_POINTS = r"\d{1,3}(?:\.\d{1,2})?\s?分"
_STATISTICS = (
    r"(?:全站|全国|平均|本题|总)?(?:正确率|错误率|答对率|得分率)[为是]?\s?:?\s?\d{1,3}(?:\.\d{1,3})?\s?%?"
    r"|(?:本题)?共?被?(?:作答|答题|做题|答对|答错|浏览|阅读|收藏|点赞|评论)(?:人数|人次|次数|总?数|量)?\s?:?\s?\d{1,8}\s?[人次个条]{0,2}"
    r"|易错(?:选项|项)?[为是]?\s?:?\s?[A-J](?:[,、]?[A-J]){0,5}"
)
"""What platforms write of others' answers: it is never the key."""
_WEIGHT = r"难度\s?:?|较?[易中难]|容易|中等|困难|简单"
_INNER = rf"(?:{_KIND}题?|{_WEIGHT}|{_POINTS}|[,;、\s]|每[小]?题|共|\d{{1,4}}\s?[小道]?题|满分|总分|合计|必[考答]题?|题型)"
_TAG = rf"[(\[【]\s?{_INNER}{{1,12}}\s?[)\]】]"
_MARKUP = r"</?[a-z][^<>]{0,300}>|\\[nrt]|&[a-z]{2,6};|&#\d{1,6};|\*\*|\||" + (
    r"::[^:]{1,200}::|%-?\d{1,3}(?:\.\d{1,5})?%|\[(?:html|markdown|plain|moodle)\]|\{(?:TRUE|FALSE|T|F)\}"  # of GIFT
)
_SIGNS = r"[^\w\s]|_"
_WITHIN = re.compile(
    rf"(?P<markup>{_MARKUP})|(?P<tag>{_TAG}|{_OWN}|{_STATISTICS}|{_REMARK}|{_POINTS})|(?P<label>[【\[(<]?\s?{_LABEL}\s?[】\])>]?\s?:?)"
    rf"|(?P<number>第\s?\d{{1,4}}\s?[题道问小]{{0,2}}|[【\[(]\s?(?:题号\s?)?\d{{1,4}}\s?[】\])]|[【\[]题号[】\]]\s?\d{{1,4}}|\d{{1,4}}\s?[.、:)])"
    rf"|(?P<letter>[(\[]?(?:[A-Ja-jT]|true|false)\s?[.、:)\]]|[①-⑩])|(?P<sign>{_SIGNS})",
    re.I,
)
_NUMBER_FIRST = re.compile(r"(?:Q\s?|题\s?|No\.?\s?)?\d{1,4}", re.I)
_LETTER_LAST = re.compile(r"[A-J甲乙丙丁戊己庚辛壬癸]\W{0,3}|T|true|false", re.I)
_HEADING = re.compile(
    rf"\$CATEGORY:[^\n]{{1,300}}|[#\s]{{0,7}}[(【\[]?(?:(?:第\s?{_NUMERAL}\s?(?:[章节篇编讲课卷套]|单元|部分|大题)[、.:\s]{{0,3}}[^。?？;；]{{0,40}})"
    rf"|(?:(?:(?:{_NUMERAL}\s?[、.)]\s?|第?{_NUMERAL}大?题[、.:]?\s?){_KIND}题?|{_KIND}题|[ABX][1-4]型)[】\])]?[\s:、(,]{{0,3}}{_INNER}{{0,20}}[)\]】]?[:。.]?)"
    rf"|(?:[一二三四五六七八九十]{{1,3}}\s?[、.)]\s?[^。?？;；]{{0,30}}(?:题|题库|部分|选择|判断)\s?(?:[(（][^()（）]{{0,60}}[)）])?[:。.]?))"
    r"|[(【\[]?\s?(?:第?\d{1,4}\s?[-、]\s?第?\d{1,4}\s?小?题?)?\s?[均是]?\s?(?:共用|共享)(?:同一|一个)?"
    r"(?:题干|病例|案例|材料|资料|备选答案|备选项|选项)\s?[)】\]]?:?"  # the note above the part that several questions share
)
_NOTE = re.compile(
    r"[(\[【]?\s?(?:第?\s?\d{1,4}\s?-\s?第?\d{1,4}\s?[题小道]{0,2}|以下[一二两三四五六七八九十\d]{0,3}[小道]?题)?\s?共用\s?(?:题干|备选答案|选项|备选项|病例|材料)?[)\]】]?[:。]?"
)
_PAGE_NUMBER = re.compile(
    r"[-·—\s]{0,5}\d{1,4}[-·—\s]{0,5}|第?\s?\d{1,4}\s?/\s?共?\s?\d{1,4}\s?页?|第\s?\d{1,4}\s?页(?:[,\s]{0,3}共\s?\d{1,4}\s?页)?|p(?:age)?\.?\s?\d{1,4}(?:\s?(?:of|/)\s?\d{1,4})?",
    re.I,
)
_ENTRY = re.compile(
    r"(?P<first>\d{1,4})\s?(?:-\s?(?P<last>\d{1,4}))?\s?[题.、:)\]】|,\s]{0,4}(?P<answers>[A-J](?:[\s,、]{0,3}[A-J])*(?![a-z])|[√×对错TF](?:[\s,、]{0,3}[√×对错TF])*(?![a-z])|正确|错误)"
)
_BETWEEN = re.compile(rf"[\s,;.、。|()\[\]【】:-]*(?:(?:{_LABEL}|{_KIND}题?)[\s,;.、。|()\[\]【】:-]*)?", re.I)
_ANSWER_AT = re.compile(rf"(?:{_ANSWER}|答|answer|ans|key|应?选)[】\])>]?[:为是选]{{0,2}}[(\[【]?$", re.I)
_OWN_AT = re.compile(r"(?:我|你|您|考生|学员|用户)的?(?:答案|作答|选择):?$")
_SHORT_ANSWER = re.compile(
    rf"[【\[(<]?\s?{_LABEL}\s?[】\])>]?\s?:?\s?(?:[A-J](?:[,、\s]{{0,2}}[A-J]){{0,9}}|正确|错误|[√×对错TF])[。.;]?(?:\s?[【\[]?{_LABEL}[】\]]?:?)?"
)
_OPENS_QUESTION = re.compile(r"[(第【\[Q]?\s?\d{1,4}\s?[、.题)】\]:](?!\d)\s?.{4}")
_ASKS = re.compile(r"\(\s{0,20}\)|[?]|__|[是为有]:?$")
_ANSWERED = re.compile(rf"{_ANSWER}\s?[:为是]")


def class_of_line(text: str) -> str | None:
    """Return the class of a complete line that is in no item; None if it is not known furniture."""
    line = flat(text).strip()
    if _PAGE_NUMBER.fullmatch(line):
        return "page_number"
    if _HEADING.fullmatch(line) or _NOTE.fullmatch(line):
        return "heading"
    parts = parts_of_stretch(text, True, False)
    return next((kind for kind, _ in parts if kind != "sign"), "sign") if parts else None


@lru_cache(maxsize=1 << 10)  # the same labels are before each answer
def parts_of_stretch(text: str, is_first: bool, before_claimed: bool) -> Sequence[tuple[str, str]]:
    """Return class and text of the parts of a stretch; nothing if any of it is not known furniture.

    Args:
        is_first: the stretch begins its line, where a bare number is the question's.
        before_claimed: a text of an item follows, before which a bare letter is the option's.
    """
    line, position, parts = flat(text), 0, []
    if is_first and (number := _NUMBER_FIRST.match(line.lstrip(" #*>-"))):
        start = len(line) - len(line.lstrip(" #*>-"))
        after = line[start + number.end() : start + number.end() + 1]
        if (not after and before_claimed) or (after and not after.isalnum() and after != "%"):
            parts.append(("number", text[: start + number.end()]))
            position = start + number.end()
    while position < len(line):
        if line[position].isspace():
            position += 1
            continue
        match = _WITHIN.match(line, position)
        if match is None or match.end() == position:
            letter = _LETTER_LAST.fullmatch(line, position)
            if not (letter and before_claimed):
                return []
            parts.append(("letter", text[position:]))
            break
        parts.append((str(match.lastgroup), text[position : match.end()]))
        position = match.end()
    return parts


@lru_cache(maxsize=1 << 10)
def answers_listed(text: str) -> Sequence[tuple[int, int | None, str]] | None:
    """Return first number, last number and answers of each entry of an answer list; None if a text contains anything else."""
    line, position, entries = flat(text), 0, []
    while match := _ENTRY.search(line, position):
        if not _BETWEEN.fullmatch(line, position, match.start()):
            return None
        entries.append((int(match["first"]), int(match["last"]) if match["last"] else None, match["answers"]))
        position = match.end()
    return entries if entries and _BETWEEN.fullmatch(line, position) else None


def is_short_answer(text: str) -> bool:
    """Return whether a stretch is only an answer in letters or a verdict after its label, or a list of such answers."""
    return _SHORT_ANSWER.fullmatch(flat(text).strip()) is not None or answers_listed(text) is not None


def announces_answer(before: str) -> bool:
    """Return whether the characters before a position announce an answer."""
    return _ANSWER_AT.search(before) is not None and _OWN_AT.search(before) is None


def asks(text: str) -> bool:
    """Return whether a line begins like a numbered question and asks something."""
    line = flat(text).strip(" #*\u3000")
    return _OPENS_QUESTION.match(line) is not None and _ASKS.search(line) is not None


def says_answer(text: str) -> bool:
    """Return whether a line contains a question's answer."""
    return _ANSWERED.search(flat(text)) is not None
