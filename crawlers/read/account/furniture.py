"""Parts of a source other than its questions that may be left out: numbers, letters, labels, headings, page numbers, markup.

The classes are small and closed, and each pattern matches a complete stretch or nothing: words that no pattern knows stay unread.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from crawlers.read.lines.pages.page import PAGE_NUMBER, PAGE_WITHIN
from crawlers.read.vocabulary.entries import listed_in
from crawlers.read.vocabulary.headings import heads, inquires, note_in
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat, has_part, parts_of
from crawlers.read.vocabulary.numbers import TYPE, number_of
from crawlers.read.vocabulary.words import ANSWER_NAME, OWN_ANSWER_NAME, any_of

_LABEL = (
    rf"(?:{ANSWER_NAME}(?:要点|解析|与解析|及解析)?(?:[是为选应]{{1,2}})?|{any_of('answer_in_brackets', 'explanation', 'stem', 'options')}"
    r"|故?(?:本题)?(?:正确)?应?选(?!项)|[^\W\d_]{0,2}(?:解析|分析|详解)|explanation|题号|序号)"
)
_OWN = rf"{OWN_ANSWER_NAME}\s?:?\s?(?:[A-J]{{1,10}}|正确|错误|对|错|未答|√|×)?"
_WEIGHT = r"较?[易中难]|容易|中等|困难|简单"
_POINTS = r"\d{1,3}(?:\.\d{1,3})?\s?[%分]?"
_REMARK = rf"(?:{any_of('remark')})(?:\s?:?\s?(?:{_WEIGHT}|{_POINTS}))?"
_STATISTICS = (
    rf"(?:全站|全国|平均|本题|总)?(?:正确率|错误率|答对率|得分率)[为是]?\s?:?\s?{_POINTS}"
    r"|(?:本题)?共?被?(?:作答|答题|做题|答对|答错|浏览|阅读|收藏|点赞|评论)(?:人数|人次|次数|总?数|量)?\s?:?\s?\d{1,8}\s?[人次个条]{0,2}"
    r"|易错(?:选项|项)?[为是]?\s?:?\s?[A-J](?:[,、]?[A-J]){0,5}"
)
"""What platforms write of others' answers: it is never the key."""
_WORTH = r"[,;、\s]|每[小]?题|共|\d{1,4}\s?[小道]?题|满分|总分|合计"
_TAG = rf"[(\[【]\s?(?:{TYPE}|难度\s?:?|{_WEIGHT}|\d{{1,3}}(?:\.\d{{1,2}})?\s?分|{_WORTH}){{1,12}}\s?[)\]】]"
_GIFT = r"::[^:]{1,200}::|%-?\d{1,3}(?:\.\d{1,5})?%|\[(?:html|markdown|plain|moodle)\]|\{(?:TRUE|FALSE|T|F)\}|\$CATEGORY:[^\n]{1,300}"
_MARKUP = rf"</?[a-z][^<>]{{0,300}}>|\\[nrt]|&[a-z]{{2,6}};|&#\d{{1,6}};|\*\*|\||{_GIFT}"
_WITHIN = re.compile(
    rf"(?P<markup>{_MARKUP})|(?P<tag>{_TAG}|{_OWN}|{_STATISTICS}|{_REMARK}|\d{{1,3}}(?:\.\d{{1,2}})?\s?分)"
    rf"|(?P<label>[【\[(<]?\s?{_LABEL}\s?[】\])>]?\s?:?)"
    rf"|(?P<number>第\s?\d{{1,4}}\s?[题道问小]{{0,2}}|[【\[(]\s?(?:题号\s?)?\d{{1,4}}\s?[】\])]|[【\[]题号[】\]]\s?\d{{1,4}}|\d{{1,4}}\s?[.、:)])"
    rf"|(?P<letter>[(\[]?(?:[A-Ja-jT]|true|false)\s?[.、:)\]]|[①-⑩])|(?P<sign>[^\w\s]|_)",
    re.I,
)
_NUMBER_FIRST = re.compile(r"(?:Q\s?|题\s?|No\.?\s?)?\d{1,4}", re.I)
_LETTER_LAST = re.compile(r"[A-J甲乙丙丁戊己庚辛壬癸]\W{0,3}|T|true|false", re.I)


def class_of_line(text: str) -> str | None:
    """Return the class of a complete line that is in no item; None if it is not known furniture."""
    line = flat(text).strip()
    number = PAGE_WITHIN.sub("", line).strip("-·, ") if any(map(str.isalnum, line)) else line
    if not number or PAGE_NUMBER.fullmatch(line) or (number.isdecimal() and len(number) < 5):
        return "page_number"
    note = note_in(line)
    if heads(line.strip("【】[]#* ")) or (note and not note["rest"]):
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


def behind_furniture(text: str) -> str:
    """Return what follows the labels, letters and signs that begin a text; the text if nothing does."""
    line, position = flat(text), 0
    while (match := _WITHIN.match(line, position)) and match.end() > position:
        position = match.end()
    return text[position:] or text


def is_short_answer(text: str) -> bool:
    """Return whether a stretch is only an answer in letters or a verdict after its label, or a list of such answers."""
    answers = [(kind, WHOLE_ANSWER.fullmatch(flat(words))) for kind, words in parts_of(text) if words]
    return is_list(text) or (bool(answers) and all(kind == "answer" and whole for kind, whole in answers))


def is_list(text: str) -> bool:
    """Return whether a text is nothing but a list of answers."""
    listed = listed_in(text.strip())
    return bool(listed.entries) and not any(map(str.isalnum, "".join(words for _, words in parts_of(listed.rest))))


def asks(text: str) -> bool:
    """Return whether a line begins like a numbered question and asks something."""
    line = flat(text).strip(" #*")
    number = number_of(line)
    return number is not None and number.style not in ("hanzi", "tight") and inquires(line)


def says_answer(text: str) -> bool:
    """Return whether a line contains a question's answer."""
    return has_part(text, "answer")
