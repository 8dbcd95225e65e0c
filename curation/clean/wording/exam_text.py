"""Stems, answers, explanations and cases without the text a paper prints around them: numbers, tags, scores, page references."""

import re
from functools import lru_cache

from atomexam.text.characters import CJK
from atomexam.text.markup import BLANK
from atomexam.text.normalize import RULES, CleanText, normalize_with, rule_of_signs, run_rules
from atomexam.text.option_letters import letters_in
from curation.clean.wording.answer_keys import is_placeholder, read_verdict
from curation.clean.wording.noise import ADVERT, LEAKED_ANSWER, MISREADINGS, MORE
from curation.clean.wording.options import OPTION_RULES

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
_ASKS_AT_ONCE = r"(?:试[用述论比]|简[述答要]|什么是|请|举例|如何|论述|根据|对于?[该本]|使用|下列|下述|以下|关于)"
_NUMBER_BEFORE_FIGURE = (  # 12.3岁儿童 and 7.5-羟色胺, but not 1.5岁
    r"\d{1,3}[.．](?=\d{1,2}(?:世纪|型|号|-[\u4e00-\u9fff])|16PF|\d+\.\d|(?!(?:5|25|50|75)(?!\d))\d{1,2}(?:岁|个月|小时|天|周))"
)
_NUMBER_IN_WORDS = (
    r"(?:[Qq]|[Nn][Oo][.．]?|题目?|试题|问题|题号|例)\s*\d{1,4}\s*[、.．:：]|#\s*\d{1,4}\s*|第[一二三四五六七八九十]{1,3}题[、.．:：]?"
    r"|[一二三四五六七八九十]{1,3}[、。](?![一二三四五六七八九十两]|" + TYPE + ")"
)
_GROUP = r"【第?\d{1,3}\s?[-~～—–至]\s?\d{1,3}题?】(?!\s*(?:[岁个天周月年次分]|小时|[A-Za-zμ%]))"
"""The question numbers of a group; 【5-10】岁 is a range."""
_OWN_NUMBER = re.compile(
    rf"^\d{{1,2}}(?={_ASKS_AT_ONCE})|^(?:{_NUMBER_BEFORE_FIGURE}|{_NUMBER_IN_WORDS}|{_GROUP}|[\[【]第?\d{{1,3}}题?[\]】]|[⑴-⒛](?!.*[⑴-⒛]))\s*(?=\S)"
    r"|^\d{1,3}(?:[，。]|……)(?=[\u4e00-\u9fff（《“])(?!（\s*）\s*[，、]\s*\d)|^\d{1,2}-\d{1,3}[、.．]\s*(?=[^\d\s])"
    r"|^(?:第\s*\d{1,4}\s*[题小]题?[:：、.]?|[（(]\d{1,3}[）)](?![×/=+*])"
    rf"|\d{{1,3}}{SEPARATED}|\d{{4}}(?!\s*[:：]){SEPARATED}(?=\s*\D))\s*(?=\S)|^\d{{1,3}}\s*[、.．)）]$|^案例[一二三四五六七八九十\d]{{1,3}}(?:[（(]\d{{1,3}}[）)])?[：:](?=.{{6}})"
)

NUMBER = rule_of_signs("number", lambda text: _OWN_NUMBER.sub("", text), (_OWN_NUMBER.pattern,))


def without_number(text: str, number_raw: str | None) -> str:
    """Return a normalized stem without its number in the paper, if the source also gives the number separately."""
    number = _FIRST_NUMBER.search(number_raw) if number_raw else None
    if not number:
        return text
    if named := re.match(rf"第\s*{number[0]}\s*小?题\s*[:：、.．]?\s*", text):
        return text[named.end() :]
    if not text.startswith((number[0], "（" + number[0], "(" + number[0])):
        return text
    mark = _NUMBER_MARK.match(text, text.index(number[0]) + len(number[0]))
    return text[mark.end() :] if mark else text


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

_DIGIT = "[0-9lIⅠ-Ⅻ]"  # as scanned: Pl05, PⅢ
_LEAF = rf"(?=[lIO]{{0,2}}[0-9Ⅰ-Ⅻ]){_DIGIT}[0-9lIOⅠ-Ⅻ]{{0,2}}"
_VOLUME = r"(?!IP)[\dlIVX][\dlIOVX]{0,2}"  # of several books; IP3 is a second messenger
_PAGES = rf"[Pp]\.?\s*+{_LEAF}(?:\s*+[-~—、,，]\s*+[Pp]?\.?\s*+{_LEAF})*+页?"
_LONE_PAGES = rf"(?!P[24]O\d){_PAGES}"  # P2O5 is an oxide
_OPENED, _CLOSED = r"[（(【\[〔]\s*+", r"\s*+[）)】\]〕]"
_OF_VOLUME = rf"{_OPENED}{_VOLUME}\s*+{_PAGES}{_CLOSED}"
_LONE = rf"{_OPENED}{_LONE_PAGES}{_CLOSED}"
_SPEAKS_ON = (  # after a bracket that is part of the sentence: （P53）基因, （P2）亢进
    r"(?![的是为与和或及]|基因|蛋白|受体|抗[原体]|成分|电位|波|酶|亢进|增|减|升|降|分裂|阳性|阴性)"
)
_NAMES = r"(?<!基因|蛋白|电位|受体|成分|抗原|色素)(?<![波音酶磷])"  # 抑癌基因（P53）, 第二心音（P2）
_PAGE = re.compile(rf"^(?:{_OF_VOLUME}\s*+|{_LONE}\s*+{_SPEAKS_ON})(?=\S)|^[\dl]{{1,2}}[Pp][\dl]{{2,3}}(?=[\u4e00-\u9fff])")
_BOOK = (
    r"(?:参?见)?(?:(?:第?[一二三四五六七八九\d]{1,2}|[\u4e00-\u9fff]{2,4})[版级]|教材|课本|书|[上中下]册|(?:基础|理论)(?:知识)?|技能){0,3}"
    r"(?:第\s*+[\d一二三四五六七八九十]{1,3}\s*+[章节])*"
)
_PAGE_NAMED = re.compile(
    rf"[（(【\[〔]\s*+{_BOOK}"
    rf"(?:\s*+第\s*+\d{{1,3}}\s*+页|(?<=[见材本书册章节识能版级础论])\s*+{_PAGES})\s*+[）)】\]〕]|(?<=[）。？！”])\s*+页[码数][:：]\s*+\d{{1,3}}$"
)
_PAGE_OF_THREE = r"P(?!(?:[1-6]00|450)(?!\d))[\dl]{3}"  # P53 is a gene, P300 a wave of the brain, P450 an enzyme
_PAGE_AT_END = re.compile(
    r"(?<=[\u4e00-\u9fff])\d{1,2}-\d{3}$|(?<=（ ）)\s*+\d{1,2}-$|(?<=。)\d{2,3}$"
    rf"|(?<=[）。？！”])\s*+(?:(?:\d{{1,2}}-\d{{1,3}}(?:/\d{{1,3}})?\s*+)+|\d{{0,2}}\s*+{_LONE_PAGES}|{_LONE})。?$"
    rf"|{_OF_VOLUME}。?$|(?<=[）。？！”])\s*+[\dl]{{1,2}}P[\dl]{{2,3}}$"
    rf"|(?<=[^\W\d_数位为即是]){_NAMES}{_OPENED}[Pp]\.?\s*+\d{{1,3}}\s*+页?{_CLOSED}。?$"
    rf"|{_OPENED}[Pp]\.?\s*+{_LEAF}\s*+[-~—、,，]\s*+[Pp]?\.?\s*+{_LEAF}\s*+页?{_CLOSED}。?$"
    rf"|(?<=[为即是])[（(【\[]\s*+{_PAGE_OF_THREE}\s*+[）)】\]]。?$|(?<=[\u4e00-\u9fff])[\dl]{{1,2}}{_PAGE_OF_THREE}$"
)
_TERM_WITH_PAGE = re.compile(r"^([\u4e00-\u9fff“”]{2,12})(\d{1,2})-(\d{2,3})$")
_PAGES_A_CHAPTER = 10


def without_origin(text: str) -> str:
    """Remove the paper's name, or its date, at either end."""
    start = max(0, len(text) - _LONGEST_CHARS)
    for pattern in (_AT_END, _SCHOOL_AT_END):
        if match := pattern.search(text, start):
            text = text[: match.start()].rstrip()
    return _IN_FRONT.sub("", text)


def without_pages(text: str) -> str:
    """Remove references to textbook pages."""
    term = _TERM_WITH_PAGE.match(text)
    if term and int(term[3]) > _PAGES_A_CHAPTER * int(term[2]):  # 关键期3-78 is chapter 3, page 78; 少年期12-15 is an age
        return term[1]
    return _PAGE_AT_END.sub("", _PAGE_NAMED.sub("", _PAGE.sub("", text)))


_TAG = (  # 单选，A1型题 and 单选题，2分 as well
    rf"[\[【（〔{{［《<＜〈]\s*+(?:题型[:：]\s*+)?({TYPE}|判断(?:对错|正误)?|填空|简答)(?:\s*+[/，,、]?\s*+(?:{TYPE}|\d{{1,2}}(?:\.\d)?分))*\s*+[\]】）〕}}］》>＞〉]"
)
_BARE_TYPE = r"[单多]项?选(?:择题|题)?+(?![题测的与和及或法项是为可中由型答]|量表|问卷)(?=[\u4e00-\u9fff“（])"
_START_TAG = re.compile(
    rf"^[\[【]([AB][1-4])[\]】]\s*+(?=[\u4e00-\u9fff“]{{4}})|^(?:\d{{1,3}}\s*+[、.．]?\s*+)?(?:(?:{_TAG}[:：]?(?:\s*+\*)?|({TYPE})[:：])\s*+(?:\d{{1,3}}{SEPARATED})?\s*+"
    rf"|({_BARE_TYPE}))"
)
_END_TAG = re.compile(rf"(?:{_TAG}(?:\s*+\*)?|(?<!\w)({TYPE})|([单多]选)题?)[。.：:]?$")
_SPEAKS_OF_TYPES = re.compile(r"题型|题目|问卷|试卷|试题|这种题|类题|选择题|判断题|客观题")
_NEAR_CHARS = 20
_TAG_SIGN = re.compile("[选题型释项断填答]")
_LONGEST_TAG_CHARS = 16
_TAG_IN_BLANK = re.compile(r"[（(]\s*(?:单选|多选)题?[。.]?$")
_SCORE = (
    r"[\[【（(〔［]\s*+(?:(?:本小?题|每小?题|共|满分|计)*\s*+[l\d]{1,3}(?:\.\d{1,2})?\s*+[分'′]"
    r"|(?:分值|分数|得分)\s*+[:：]\s*+\d{1,3}(?:\.\d{1,2})?\s*+分?)\s*+[\]】)）〕］]"
)
_SCORE_TAG = re.compile(rf"^{_SCORE}\s*+(?=\S)|(?<=\S)\s*+{_SCORE}(?:[。.]?$|(?=[：:]))")
_INSTRUCTION = re.compile(
    r"^请在每小题的?空格中填上正确答案[，。]?错填、?不填均无分。?\s*+"
    r"|^(?:请)?(?:判断|在)[^。，（]{0,16}[，。]?(?:正确|对)的[^。，]{0,12}[打画划]“?√”?[，；、](?:错误?|不正确|不对)的[^。，]{0,12}[打画划]“?×”?[。；]\s*+"
    r"|^请?(?:在|从)?(?:每小?题|以下|下列)[^。：，（]{0,20}选项[^。：（]{0,40}(?:选出|符合题|填写)[^。：（]{0,30}[。：]\s*+(?=\S{6})"
    rf"|^[一二三四五六七八九十]{{1,3}}、{TYPE}\s*+(?:[（(][^（）()]{{0,40}}[）)])?[。：:]?\s*+(?=\d{{1,3}}\s*+[、.．)）])"
)
_DOUBLE_BRACKET = re.compile(r"[（(]（ ）[）)]|[（(]（ ）(?=[。？]?$)")
_STOP_BEFORE_BLANK = re.compile(r"(?<=[是为即])。(?=（ ）)")
_LOST_BRACKET = re.compile(r"^([^（(]{4,}[\u4e00-\u9fff])[）)](?=[。？]?$)")
_STRAY_IN_BLANK = re.compile(r"（(?:[，、？?.]|……|[-—]+)）(?=[。？]?$)|(?<=[\u4e00-\u9fff])(?:—{3,}(?=[。？]?$)|[（(](?=[。？]$))")
_BULLETS = "*•·●■◆◇★☆►▶※"
_BEFORE_WORDS = r"#＃@&/／\\|｜~～^☞→➤➢➔▲△▸▹▪✦✎‖†‡§¶"
"""Characters that are removed only before Chinese words: △ABC and /s/ keep theirs."""
_STEM_START = re.compile(rf"^(?:-{{3,}}|[{_BULLETS}]|[?？!！。，、；：,;:]|[.．](?!\d)|[{_BEFORE_WORDS}](?=[\s\u4e00-\u9fff]))+\s*")
_STEM_END = re.compile(r"(?<=（ ）)[，、：:’'.]+$|[：:]$|(?<=[。？！])['`]+$")
_OPEN_QUESTION = re.compile(r"^((?:简|论|试|阐)[述论析].{4,})[、，]$")


def type_tag(text: str) -> str | None:
    """Return the type in a stem's own tag, such as 单选 or A1."""
    tag = _START_TAG.match(text) or _end_tag(text)
    return next(filter(None, tag.groups())) if tag else None


def _end_tag(text: str) -> re.Match[str] | None:
    start = max(0, len(text) - _LONGEST_TAG_CHARS)
    tag = _END_TAG.search(text, start) if _TAG_SIGN.search(text, start) else None
    speaks = tag and tag[3] and _SPEAKS_OF_TYPES.search(text, max(0, tag.start() - _NEAR_CHARS), tag.start())
    return None if speaks else tag  # 这种题型是单选 is part of the question


def one_line(text: str) -> str:
    """Join the lines of a text of one or two sentences."""
    return run_rules(text.replace("\n", " "), RULES[-1:]).text


def _without_tags(text: str) -> str:
    text = _START_TAG.sub("", _TAG_IN_BLANK.sub(BLANK, text))
    return text[: tag.start()].rstrip() if (tag := _end_tag(text)) else text


def _repair_blank(text: str) -> str:
    text = _STOP_BEFORE_BLANK.sub("", _DOUBLE_BRACKET.sub(BLANK, text))
    return _STRAY_IN_BLANK.sub(BLANK, _LOST_BRACKET.sub(rf"\1{BLANK}", text))


def _repair_edges(text: str) -> str:
    text = _OPEN_QUESTION.sub(lambda match: match[1], _STEM_END.sub("", _STEM_START.sub("", text)))
    return text[: -len("、（ ）")] + BLANK if text.endswith("、（ ）") else text


STEM_RULES = (
    ADVERT,
    MORE,
    LEAKED_ANSWER,
    rule_of_signs("page_reference", without_pages, (r"[Pp]\.?\s*[\dlIⅠ-Ⅻ]", "页", r"\d-(?:\d|$)", r"。\d{2,3}$")),
    rule_of_signs("origin", without_origin, (r"\d\d{3}", r"真题[）)\]】]")),
    rule_of_signs("type_tag", _without_tags, (_START_TAG.pattern, rf"{_TAG_SIGN.pattern}(?s:.{{0,{_LONGEST_TAG_CHARS - 1}}})\Z")),
    rule_of_signs("score_tag", lambda text: _SCORE_TAG.sub("", text), (r"[分'′]\s*[\]】)）〕］]", r"分[值数]?\s*[:：]")),
    NUMBER,
    rule_of_signs(
        "instruction",
        lambda text: _INSTRUCTION.sub("", text),
        ("^请在每小题", "^请?(?:判断|在).{0,40}√", "^请?[在从]?(?:每小?题|以下|下列)[^。：]*选项", "^[一二三四五六七八九十]{1,3}、"),
    ),
    rule_of_signs(
        "lost_bracket",
        _repair_blank,
        (r"[）)](?<=[\u4e00-\u9fff，、？?….—-].)[。？]?$", "[（(]（ ）", "。（ ）", "—[。？]?$", "[（(][。？]$"),
    ),
    rule_of_signs("stem_edges", _repair_edges, (rf"^[-{_BULLETS}?？!！。，、；：,;:.．{_BEFORE_WORDS}]", "[，、：:’'.`]$", "、（ ）$")),
    rule_of_signs("lines", one_line, ("\n",)),
    *MISREADINGS,
)


_ANSWER_MARK = re.compile(
    r"^[【\[]?(?:参考答案|正确答案|标准答案|答案要点|答案|答)[】\]]?[:：】]\s*|^【(?:答案要点|答案|参考答案)】\s*"
    r"|(?<=[。；！？])\s*参见(?:参考)?答案。?$"
)
_EXPLANATION_MARK = re.compile(r"^[【\[（]?(?:试题解析|答案解析|解析|分析|本题解析)[】\]）]?[:：]\s*(?=\S)|^【解析】\s*")
_PROSE_PAGES = r"[Pp]\.?\s*+\d{1,3}(?:\s*+[-~、，]\s*+[Pp]?\.?\s*+\d{1,3})*\s*+[）)]"
_PAGE_WITHIN = re.compile(
    rf"[（(]\s*+见?\s*+第?\s*+\d{{1,3}}\s*+页\s*+[）)]|[（(]见\s*+\d{{1,3}}[）)](?=[。；]?$)"
    rf"|[（(]\s*+\d{{1,2}}\s*+{_PROSE_PAGES}|(?<=[。！？；])\s*+[（(]\s*+{_PROSE_PAGES}|(?<=[。！？])[ ]*\d{{1,3}}$"
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


PROSE_RULES = (
    ADVERT,
    MORE,
    rule_of_signs("answer_mark", lambda text: _ANSWER_MARK.sub("", text), ("答",)),
    rule_of_signs("explanation_mark", _explains, ("析", "题", "^同上")),
    rule_of_signs("page_within", lambda text: _PAGE_WITHIN.sub("", text), ("[Pp页]", "（见", r"\d$")),
    rule_of_signs("private_signs", lambda text: _PRIVATE.sub("", text), ("[\ue000-\uf8ff]",)),
    rule_of_signs("wrapped_lines", _unwrapped, ("\n",)),
    *MISREADINGS,
)


_LEFT, _RIGHT = r"[（(\[【]", r"[）)\]】]"
_REMARK = (
    r"(?:(?:以上)?各?要点需?[^（()）]{0,8}展开[^（()）]{0,6}|(?:考生)?(?:可|请)?结合[^（()）]{0,10}(?:略|论述|阐述|解释|说明)[^（()）]{0,6}"
    r"|(?:分别)?举例(?:说明|略)|(?:实例|举例|展开|解释|说明|论述|阐述)略|(?:任选|任答|答出)[^（()）]{0,10}|言之有理[^（()）]{0,8})[。；]?"
)
_PROSE_SCORE = re.compile(
    rf"(?:(?<!\s)\s+)?(?:{_LEFT}\s*+(?:(?:各|共|计|每[点条项个问]?)\s*+)?(?:[1-9]\d?(?:\.5|[-—~][1-9]\d?)?|0\.5)\s*+分\s*+(?:[。；]\s*+)?{_RIGHT}"
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
    return text if _SPEAKS_OF_SCORES.search(text) else _PROSE_SCORE.sub("", text)


def _repair_prose_edges(text: str) -> str:
    if "'" in text[:1] + text[-1:] and text.count("'") <= 2:
        text = text.strip("'")
    return _CHAPTER_AND_PAGE.sub("", _STOP.sub("。", _POINT.sub(r"（\1）", text)))


ANSWER_RULES = (
    rule_of_signs("page_state", lambda text: _STATE.sub("", text), ("完成", "提交", "批[改阅]")),
    *PROSE_RULES,
    rule_of_signs(
        "marking_scheme",
        _without_scheme,
        ("分", "略", "述", "展开", "举例", "任选", "任答", "答出", "言之有理", "提示", "知识点", "要点", "说明", "系实际", "合实际"),
    ),
    rule_of_signs("answer_edges", _repair_prose_edges, ("^'", r"[.'\d]$", _POINT.pattern)),
)


TEXT_RULES = {rule.name: rule for rule in (*RULES, *STEM_RULES, *ANSWER_RULES, *OPTION_RULES)}
"""All rules for single texts, by name."""
_CACHED_CHARS = 4_000
_LETTERS_IN_STEM = re.compile(r"[（(【\[［]\s*+[A-Ja-j](?:[、，,\s]*+[A-Ja-j])*+\s*+[.．、]?\s*+[）)】\]］]|（ ）[A-J]{1,6}（ ）")
_VERDICT_IN_STEM = re.compile(r"^[（(【\[][^（）()【】\[\]]{1,2}[）)】\]]|[（(【\[][^（）()【】\[\]]{1,2}[）)】\]](?=[。？！.?!]?$)")
_GAP = re.compile(rf"(?<=[{CJK}，、“《：])[ \u3000\xa0]{{3,12}}(?=[{CJK}，、。；”》])|(?<=[{CJK}])[ \u3000\xa0]{{2}}(?=[{CJK}])")
_NUMBER = re.compile(r"\s{0,9}第\s?[\d一二三四五六七八九十百]{1,5}\s?题\s{1,12}")
"""A question number and the blanks after it, which are not a gap."""
_SPACED = re.compile(f"(?<=[{CJK}])[ \u3000\xa0](?=[{CJK}])")
_MOST_GAPS = 4
_ASKS_WITHOUT_BLANK = re.compile("(?:[是为有于的者]|包括|如下)[:：]?$|[^）)】\\]][？?]$")  # 与血型（B）有关的是


def open_gaps(stem: str) -> str:
    """Return a raw stem with a blank where a paper left a gap to be filled in: `倡导的“ ”的命题`.

    Spaces between words are not gaps if they occur throughout the stem, as in tables and in scanned words with wide spacing.
    """
    if "  " not in stem and "\u3000" not in stem and "\xa0" not in stem:
        return stem
    number = match.end() if (match := _NUMBER.match(stem)) else 0
    opened, gaps = _GAP.subn(BLANK, stem[number:])
    opened = stem[:number] + opened
    return opened if 0 < gaps <= _MOST_GAPS and not _SPACED.search(opened) else stem


_OPEN_END = re.compile(r"\s{0,9}[，、；,;]$")
_CLAUSE_END = re.compile("[，,；;。？?！!\\n]")
_ASKS = re.compile(r"下列|(?<![\d岁])以下|哪|(?<!任)何|什么|[是为有含括指于在和与及或的称]$")  # not 3岁以下, nor 任何


def close_end(stem: str, has_options: bool) -> str:
    """Repair the end of a normalized stem whose last clause asks the question: drop a final comma, or close the bracket of a blank."""
    opens_blank = has_options and stem.endswith("（")
    asked = stem[:-1] if opens_blank else _OPEN_END.sub("", stem)
    if asked == stem or not (BLANK in asked or _ASKS.search(_CLAUSE_END.split(asked.rstrip("？?：:。"))[-1])):
        return stem
    return f"{asked}{BLANK}" if opens_blank else asked


def clean_stem(text: str, normal: bool = False) -> CleanText:
    """Return the cleaned stem; `normal` says that the text is already normalized."""
    return normalize_with(text, STEM_RULES, normal)


def clean_prose(text: str | None) -> CleanText:
    """Return a cleaned explanation or case, keeping its line breaks; `""` if there is none."""
    if not text:
        return CleanText("", ())
    return _clean_prose(text) if len(text) <= _CACHED_CHARS else normalize_with(text, PROSE_RULES)


@lru_cache(maxsize=1 << 10)  # the questions of one case are processed in succession
def _clean_prose(text: str) -> CleanText:
    return normalize_with(text, PROSE_RULES)


def clean_answer(text: str | None) -> CleanText:
    """Return a cleaned answer that is given in words; `""` if there is none."""
    return normalize_with(text, ANSWER_RULES) if text else CleanText("", ())


def clean_explanation(text: str | None) -> str | None:
    """Return an explanation, None if it is a placeholder."""
    explanation = clean_prose(text).text
    return None if not explanation or is_placeholder(explanation) else explanation


def open_blank(stem: str, answer: str | None, true_or_false: bool = False) -> str:
    """Return a stem without the answer filled into its blank."""
    if answer is None or BLANK in stem.replace(f"{BLANK}{answer}{BLANK}", ""):
        return stem
    if true_or_false:
        verdict = _VERDICT_IN_STEM.search(stem)
        return stem[: verdict.start()] + BLANK + stem[verdict.end() :] if verdict and read_verdict(verdict[0][1:-1]) == answer else stem
    brackets = list(_LETTERS_IN_STEM.finditer(stem))
    if len(brackets) != 1 or _ASKS_WITHOUT_BLANK.search(stem):
        return stem
    letters = "".join(sorted(set(letters_in(brackets[0][0]))))
    return stem[: brackets[0].start()] + BLANK + stem[brackets[0].end() :] if letters == answer else stem
