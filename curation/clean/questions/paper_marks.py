"""What a paper or site prints around a question, as named rules: numbers, tags, scores, page references, the source paper."""

import re

from curation.clean.questions.adverts import ADVERT, LEAKED_ANSWER, MORE
from curation.clean.questions.misreadings import MISREADINGS
from curation.clean.questions.stem_numbers import NUMBER, SEPARATED, TYPE
from curation.text.markup import BLANK
from curation.text.normalize import RULES
from curation.text.rules import Group, rule_of_signs, run_rules

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
    """Remove references to pages of a textbook."""
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
"""Characters that are stray only before Chinese words: △ABC and /s/ keep theirs."""
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


STEM_RULES = Group(
    (
        ADVERT,
        MORE,
        LEAKED_ANSWER,
        rule_of_signs(
            "page_reference",
            "references to pages of a textbook",
            without_pages,
            (r"[Pp]\.?\s*[\dlIⅠ-Ⅻ]", "页", r"\d-(?:\d|$)", r"。\d{2,3}$"),
            "(7 P179)表情可分为（ ）",
            "表情可分为（ ）",
        ),
        rule_of_signs(
            "origin",
            "remarks on the paper a question comes from",
            without_origin,
            (r"\d\d{3}", r"真题[）)\]】]"),
            "这种说法对吗？[南开大学2004研]",
            "这种说法对吗？",
        ),
        rule_of_signs(
            "type_tag",
            "tags that say the question's type",
            _without_tags,
            (_START_TAG.pattern, rf"{_TAG_SIGN.pattern}(?s:.{{0,{_LONGEST_TAG_CHARS - 1}}})\Z"),
            "初步诊断是（ ）。单选",
            "初步诊断是（ ）。",
        ),
        rule_of_signs(
            "score_tag",
            "tags that say the score",
            lambda text: _SCORE_TAG.sub("", text),
            (r"[分'′]\s*[\]】)）〕］]", r"分[值数]?\s*[:：]"),
            "注意的品质有（ ）。[1分]",
            "注意的品质有（ ）。",
        ),
        NUMBER,
        rule_of_signs(
            "instruction",
            "instructions that belong to the paper",
            lambda text: _INSTRUCTION.sub("", text),
            ("^请在每小题", "^请?(?:判断|在).{0,40}√", "^请?[在从]?(?:每小?题|以下|下列)[^。：]*选项", "^[一二三四五六七八九十]{1,3}、"),
            "请在每小题的空格中填上正确答案。错填、不填均无分。简述气质的类型。",
            "简述气质的类型。",
        ),
        rule_of_signs(
            "lost_bracket",
            "a blank that lost a bracket, has one too many, or holds or follows a stray sign",
            _repair_blank,
            (r"[）)](?<=[\u4e00-\u9fff，、？?….—-].)[。？]?$", "[（(]（ ）", "。（ ）", "—[。？]?$", "[（(][。？]$"),
            "“人力资本”理论创建于)",
            "“人力资本”理论创建于（ ）",
        ),
        rule_of_signs(
            "stem_edges",
            "signs left at either end",
            _repair_edges,
            (rf"^[-{_BULLETS}?？!！。，、；：,;:.．{_BEFORE_WORDS}]", "[，、：:’'.`]$", "、（ ）$"),
            "?抽象运算的阶段是（ ）：",
            "抽象运算的阶段是（ ）",
        ),
        rule_of_signs("lines", "line ends inside a stem", one_line, ("\n",), "下列\n属于知觉的是（ ）。", "下列属于知觉的是（ ）。"),
        *MISREADINGS,
    )
)
