"""Remarks on the paper or the textbook's page a question comes from -> the stem without them."""

import re

_OPEN, _CLOSE = r"[（(\[【]\s*", r"\s*[）)\]】]"
_YEAR = r"(?:19|20)\d{2}"
_EXAM = (
    r"(?:真题|统考|联考|自考|考研|研(?=\s*[）)\]】])|[国省高]考|全国卷|考试|招聘|[三二]级|执业|第\d{1,3}题"
    r"|[上下]半年|年[上下]?(?=[·.])|[上下](?=[·.])|·)"
)
_NO_BRACKET = r"[^（()）\[\]【】。；？！]"
_PAPER = rf"{_OPEN}(?={_NO_BRACKET}{{0,20}}{_YEAR})(?={_NO_BRACKET}{{0,30}}{_EXAM}){_NO_BRACKET}{{4,36}}{_CLOSE}"
_DATE = rf"{_OPEN}{_YEAR}(?:年\d{{1,2}}月|[.．/]\d{{1,2}}|-\d{{1,3}}){_CLOSE}"
_LABEL = rf"{_OPEN}(?:历年|考研|经典|高频|\d{{2}}年)?真题{_CLOSE}"
_IN_FRONT = re.compile(rf"^(?:{_PAPER}|{_DATE}|{_LABEL})\s*(?=\S)")
_AT_END = re.compile(
    rf"(?<=[）。？！”])\s*(?:{_PAPER}|{_DATE}|{_LABEL}|——?{_YEAR}年?[\u4e00-\u9fff]{{0,8}}(?:国考|省考|真题|统考|联考))[。.]?$"
)
_SCHOOL_AT_END = re.compile(
    r"[（(\[【][^（()）\[\]【】]{0,12}(?:大学|师大|北大|学院|真题|统考|联考|自考|考研)?\d{4}(?:年\d{0,2}月?)?(?:研|真题|统考|联考|自考)"
    r"(?:[，、；,]\s*[^（()）\[\]【】，、；,]{2,12}\d{4}(?:年\d{0,2}月?)?(?:研|真题|统考|联考|自考))*[）)\]】][。.]?$"
)
_LONGEST_CHARS = 90

_PAGES = r"[Pp]\.?\s*\d{1,3}(?:\s*[-~、,，]\s*[Pp]?\.?\s*\d{1,3})*"
_DIGIT = "[0-9lIⅠ-Ⅻ]"  # as a scan has them: Pl05, PⅢ
_PAGE = re.compile(
    rf"^[（(【\[]\s*[\dlIVX]{{0,3}}\s*[Pp]\.?\s*{_DIGIT}{{1,3}}(?:[-~、,，]\d{{1,3}})*\s*[）)】\]]\s*(?=\S)|^[\dl]{{1,2}}[Pp][\dl]{{2,3}}(?=[\u4e00-\u9fff])"
)
_BOOK = r"(?:参?见)?(?:教材|课本|书|[上中下]册|(?:基础|理论)知识|技能)?(?:第\s*[\d一二三四五六七八九十]{1,3}\s*[章节])*"
_PAGE_NAMED = re.compile(
    rf"[（(【\[]\s*{_BOOK}\s*(?:第\s*\d{{1,3}}\s*页|(?<=[见材本书册章节识能])\s*{_PAGES})\s*[）)】\]]|(?<=[）。？！”])\s*页[码数][:：]\s*\d{{1,3}}$"
)
_PAGE_AT_END = re.compile(
    r"(?<=[\u4e00-\u9fff])\d{1,2}-\d{3}$|(?<=（ ）)\s*\d{1,2}-$|(?<=。)\d{2,3}$|(?<=[）。？！”])\s*(?:(?:\d{1,2}-\d{1,3}(?:/\d{1,3})?\s*)+"
    rf"|[（(【\[]?\s*\d{{0,2}}\s*{_PAGES}\s*[）)】\]]?)$|[（(【\[]\s*[\dl]{{1,2}}\s*P\s*{_DIGIT}{{1,3}}\s*[）)】\]]$|(?<=[）。？！”])\s*[\dl]{{1,2}}P[\dl]{{2,3}}$|(?<=[^\W\d_数位为即是])[（(【\[]\s*\d{{0,2}}\s*[Pp]\.?\s*\d{{1,3}}\s*[）)】\]]。?$"
)
_TERM_WITH_PAGE = re.compile(r"^([\u4e00-\u9fff“”]{2,12})(\d{1,2})-(\d{2,3})$")
_PAGES_A_CHAPTER = 10


def without_origin(text: str) -> str:
    """Remove the paper's name, or its date, at either end."""
    start = max(0, len(text) - _LONGEST_CHARS)
    for pattern in (_AT_END, _SCHOOL_AT_END):
        if found := pattern.search(text, start):
            text = text[: found.start()].rstrip()
    return _IN_FRONT.sub("", text)


def without_pages(text: str) -> str:
    """Remove references to pages of a textbook."""
    term = _TERM_WITH_PAGE.match(text)
    if term and int(term[3]) > _PAGES_A_CHAPTER * int(term[2]):  # 关键期3-78 is chapter 3, page 78; 少年期12-15 is an age
        return term[1]
    return _PAGE_AT_END.sub("", _PAGE_NAMED.sub("", _PAGE.sub("", text)))
