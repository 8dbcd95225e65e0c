"""Headings of sections and cases, notes about shared content, and the wording of questions. A flat line -> its kind."""

import re

from atomexam.text.numerals import HANZI, to_roman
from atomexam.text.verdicts import VERDICT
from crawlers.read.vocabulary.labels import LETTERS, per_line
from crawlers.read.vocabulary.words import any_of

_NUMERAL = f"[{HANZI}]{{1,3}}"
_ROMAN_NUMERAL = "I{1,3}|I?V|VI{1,3}|I?X"
_ALONE = r"(?=$|[\s:(【\[])"
_KIND = (
    rf"(?:{any_of('choice', 'multiple', 'verdict', 'blank', 'words', 'shared', 'other_types')}|[A-EKX]\d?(?:/A\d)?\s?型)[^\s,;。]{{0,3}}题"
    rf"|{any_of('section')}|[Tt]rue|[Cc]hoice|[Cc]hoose|[Bb]lank|(?:独立|综合|共用题干|其他|其它|操作|读图|情景)题{_ALONE}"
    rf"|(?:{any_of('type', 'heading', 'choice', 'multiple', 'verdict', 'blank', 'words')}){_ALONE}"
)
_OPENS = (
    rf"(?:第{_NUMERAL}(?:部分|单元|大题|节|章)|第[IV1-9]{{1,3}}(?:部分|卷)|[(]{_NUMERAL}[)]|{_NUMERAL}\s?[、.,:]|{_NUMERAL}(?=\s)"
    rf"|(?:Part|PART|Section|SECTION)\s?[IVX\dA-Z]{{1,4}}(?=[\s.:,])|(?:{_ROMAN_NUMERAL})\s?[、.:\s](?=[^A-Za-z]))"
)
_HEADING = re.compile(rf"[【\[#*\s]{{0,5}}{_OPENS}[^。?!]{{0,20}}?(?:{_KIND})|第{_NUMERAL}部分\s")
_BARE_HEADING = re.compile(
    rf"[【\[#*◆■●★\s]{{0,5}}(?:{any_of('heading')}|单[个一独](?:病例|病历|案例)(?:分析)?题?"
    r"|\[?[A-EKX]\d?(?:[/、,-]?A\d)?\]?\s?型(?:选择|单选|多选)?题?)(?:部分)?"
    r"[】\]]?[*\s]{0,3}(?:(?!:\s?\d{1,5}\s?[、.]|\(\s?[A-Ja-j]\s?\)|\(\s{0,9}\)\s{0,3}\w)[(:].{0,200})?$"
)
_CASE_HEADING = re.compile(
    rf"(?P<heading>[【\[(]?(?:案例|病例|病案|材料|个案)(?:分析)?(?:题)?\s?(?:[(]?(?:{_NUMERAL}|\d{{1,5}})[)]?)[】\])]?)\s?"
    r"(?P<rest>[:、.,\s].{0,4000})?$"
    rf"|(?P<passage>(?:短文|资料|语篇)(?:{_NUMERAL}|\d{{1,2}})|(?:Passage|PASSAGE|Text|TEXT|Case|CASE)\s(?:[A-H]|\d{{1,2}}|[IVX]{{1,4}}|One|Two|Three|Four|Five|Six))\s?"
    r"(?P<rest2>[:.].{0,4000})?$"
)
_CASE_MARK = re.compile(
    r"[【\[](?:案例|病例|病案|材料|病历摘要|病例摘要|共用题干|案例资料|(?:案例|病例)(?:分析)?题)[】\]]\s?:?\s?(?P<rest>.{0,4000})$"
    r"|(?:案例|病例|病历摘要|材料)\s?:\s?(?P<rest2>.{0,4000})$"
)
NUMERAL_ALONE = re.compile(rf"(?:[(\[]?第?{_NUMERAL}[)\]]?(?:部分|大题)?|{_ROMAN_NUMERAL})\s?[、.:]?\s?")
_RANGE = r"(?:\(?第?\s?(?P<first>\d{1,5})\s?\.?题?\s?[-、和与及]{1,2}\s?第?(?P<last>\d{1,5})\s?\.?小?题?)"
_RANGE2 = _RANGE.replace("first", "first2").replace("last", "last2")
_COUNT = r"(?:(?:以下|下列|下面)?\s?(?P<count>[一二两三四五六七八九十]|\d{1,2})?\s?个?道?小?题)"
_THESE = r"(?:以下|下列|下面|下述|上述|同一|此|该|本)?(?:的)?"
_TEXT = f"(?:{any_of('text')})"
_END = r"\s?[)】\]]?\s?[:。]?\s?"
_SHARED = re.compile(
    rf"[(【\[]?\s?(?:题目?|问题)?\s?(?:{_RANGE}|{_COUNT})?\s?(?:题目)?\s?(?:均|是|为)?\s?(?:共用|共享|使用|公用)\s?"
    r"(?:同一|一个|以下|下列|下面|一组|下述)?(?:的)?\s?"
    r"(?:(?P<case>题干|病例|案例|材料|资料|病历)|(?P<options>备选答案|备选项|选项|答案))"
    rf"\s?(?:[(\[]?{_RANGE2}[)\]]?)?{_END}(?P<rest>.{{0,4000}})$"
)
_OF_TEXT = re.compile(
    rf"[(【\[]?\s?(?:请?(?:根据|结合|依据|阅读|针对|基于|就|分析){_THESE}{_TEXT}\s?,?\s?(?:请?(?:完成|回答|分析|作答|解答|做))?\s?"
    rf"(?:{_RANGE}|(?:以下|下列|下面|后面)?的?(?:各|几|[一二两三四五六七八九十]|\d{{1,2}})?(?:个|道)?(?:小)?(?:问题|题目|题))?(?={_END}$)"
    rf"|(?:题目?|问题)?\s?{_RANGE2}\s?(?:题)?\s?,?\s?(?:请|均)?(?:根据|基于|依据|结合|是根据|针对){_THESE}{_TEXT}(?:回答|作答)?)"
    rf"{_END}(?P<rest>.{{0,4000}})$"
)
"""`根据以下材料回答1～3题`, `1～3题根据以下材料：…`"""
_RANGE_ALONE = re.compile(
    r"(?=[【\[]|\(.{3,16}题|问题|.{3,16}备选)[【\[(]?\s?(?:问题\s?)?第?(?P<first>\d{1,5})\s?\.?题?\s?-\s?(?P<last>\d{1,5})\s?题?\s?[.、:]?\s?"
    r"(?P<options>备选(?:答案|项))?\s?[】\])]?\s?:?(?P<rest>)$"
)
"""`【6-10】`, `问题 6~7`, `6-10. 备选答案：`"""
_MAY_NOTE = re.compile("[共使公材案病资短情内][用享料例历案文境况容]")
"""Pairs of characters from words for shared content; every note and case mark contains one, except notes that are only a range."""
_LONGEST_NOTE = 5000
_PATIENT = re.compile(
    rf"(?:{any_of('patient')}|某(?:男|女|患者|中年|大学生|学生|企业|公司|先生|女士)"
    r"|[男女](?:性|孩|婴|童)?\s?[,。]|\S{1,3}某,|[^,。\s]{1,4},[男女][,。性])"
)
_AGED = re.compile(
    r"[(]?(?:患者|患儿|病人|求助者|来访者|[^,。\s\d()]{1,3}某|某)?\s?[,:]?\s?[男女](?:性|孩|婴|童|生)?\s?[,、]?\s?(?:现年|年龄)?\s?\d{1,3}\s?(?:岁|个?月|天|周)"
    r"|[(]?(?:患者|患儿|病人|求助者|来访者)\s?[,:]?\s?\d{1,3}\s?岁"
)
_JUDGES = re.compile(
    r"[(（](?:选项)?[A-J]{1,5}项?(?:正确|错误|[对错√×✓])|选项[A-J]{1,5}(?:正确|错误|不?对)|故(?:本题)?(?:应?选|答案)|本题(?:选|考查|答案)"
)
"""Words about options that occur only in the explanation of an answer: (A错)."""
_INSTRUCTION = re.compile(
    r"(?:答题|作答|考试)?(?:说明|要求|须知|提示|时间)\s?:|[Dd]irections?\s?:"
    r"|(?:以下|每道|每题|每小题|本大?题|请从|请选|下列各题|从.{0,20}选)"
    r"|[(\[【][^()\[\]【】]{0,60}(?:\d\s?分|每小?题|请|作?答|选[出择]|时间|注意?:|说明|写在|填涂?)[^()\[\]【】]{0,60}[)\]】][。.]?$|[^。]{0,40}(?:满分|总分|共计?|各|每小?题)\s?:?\s?\d{1,3}(?:\.\d)?\s?分(?:[^。]{0,30})[。.]?$"
)
_PAPER_TITLE = re.compile(
    rf"[^,。?!:;()]{{0,30}}(?:试卷|真题|试题|模拟题|练习题|测试题|模拟卷|套题|练习|测验|考试)\s?(?:[(]?(?:{_NUMERAL}|\d{{1,3}}|[A-E])[)]?|{_NUMERAL}|[A-E]卷)?\s?$"
)
_MAY_TITLE = frozenset("卷题习验试")
"""Characters at least one of which occurs in every paper's name."""
_OF_CHAPTER = r"[^。?!()_]{1,28}(?:\s?\((?!\s{0,9}[A-J√×]{0,6}\s{0,9}\))[^()_]{1,30}\))?"
_FRAME = r"=◆■●★☆※\-"
"""Decoration around a chapter heading: `——第二单元——`."""
_CHAPTER = re.compile(
    rf"[{_FRAME}#*【\[\s]{{0,9}}第\s?(?:{_NUMERAL}|\d{{1,2}})\s?(?:[章篇讲编](?:[\s:、.]{_OF_CHAPTER}|[^\s。?!()_,;]{{1,16}})?|(?:[节课]|单元)(?:[\s:、]{_OF_CHAPTER})?)[{_FRAME}】\]*\s]{{0,9}}$"
)
_LOOSE_CHAPTER = re.compile(
    rf"[#*【\[\s]{{0,5}}(?:(?:模块|专题|项目|任务|单元|附录)\s?(?:{_NUMERAL}|\d{{1,2}})(?:[\s:、.]{_OF_CHAPTER})?"
    rf"|(?:Chapter|CHAPTER|Unit|UNIT|Lesson|LESSON|Module|MODULE|Part|PART|Section|SECTION)\s(?:\d{{1,2}}|[IVX]{{1,4}}|[A-H])(?:[\s:.-]{_OF_CHAPTER})?)[】\]*\s]{{0,4}}$"
)
"""Phrases that may also occur in a sentence; they are headings only if a number or a heading is directly below."""
_LOOSE_OPENS = frozenset("#*【[模专项任单附CULMPS") | set(filter(str.isspace, map(chr, range(0x3001))))
_NUMERAL_OF = re.compile(
    rf"[\s【\[#*({_FRAME}第]*(?:(?:模块|专题|项目|任务|单元|附录|(?:Chapter|CHAPTER|Unit|UNIT|Lesson|LESSON|Module|MODULE|Part|PART)\s)\s?)?"
    rf"(?:(?P<hanzi>{_NUMERAL})(?=[\s、.,:)】\]部单大节章讲课篇编]|$)|(?P<roman>{_ROMAN_NUMERAL})\s?[、.:\s]|(?:(?<=[第块题目务元])|(?<=[A-Za-z第]\s))(?P<digits>\d{{1,2}}))"
)
_ROMAN = {to_roman(value): sign for value, sign in enumerate(HANZI, 1)}
_KINDS = ("shared", "case", "multiple", "verdict", "blank", "words", "choice")
_LETTERED_TYPES = {"shared": r"B\d?\s?\]?\s?型", "case": "A[34]", "multiple": r"[KX]\s?\]?\s?型", "choice": r"A[12]|[AC]\s?\]?\s?型"}
_KIND_WORD = re.compile("|".join(f"(?P<{kind}>{'|'.join(filter(None, (any_of(kind), _LETTERED_TYPES.get(kind))))})" for kind in _KINDS))


def is_paper_title(line: str) -> bool:
    """Return whether a flat line names a paper: 2022年真题, 心理学模拟试卷（二）."""
    return len(line) < 40 and not _MAY_TITLE.isdisjoint(line) and _PAPER_TITLE.match(line) is not None


def is_heading(line: str) -> bool:
    """Return whether a flat line is the heading of a section or of a case."""
    return len(line) < 400 and not line.endswith("?") and any(form.match(line) for form in (_HEADING, _BARE_HEADING, _CASE_HEADING))


@per_line
def heads(line: str) -> bool:
    """Return whether a flat line of running text is a heading, including that of a chapter: `第二章 细胞`."""
    return is_heading(line) or (len(line) < 40 and "第" in line and bool(_CHAPTER.match(line)))


def may_head(line: str) -> bool:
    """Return whether a flat line is worded like a chapter heading, but may be part of a sentence: `模块二 感觉`, `Unit 2`."""
    return len(line) < 60 and line[:1] in _LOOSE_OPENS and bool(_LOOSE_CHAPTER.match(line))


def is_note(line: str) -> bool:
    """Return whether a flat line introduces a case or options that several questions share."""
    if not _MAY_NOTE.search(line):  # it may be a mere range
        return len(line) < _LONGEST_NOTE and _RANGE_ALONE.match(line) is not None
    return bool(note_in(line) or opens_case(line) or case_mark_in(line))


def note_in(line: str) -> re.Match[str] | None:
    """Return the content of a note: groups `options` (None for a case), `last`, `count`, `rest`."""
    if len(line) >= _LONGEST_NOTE:
        return None
    if not _MAY_NOTE.search(line):
        return _RANGE_ALONE.match(line)
    shared = _SHARED.match(line) if "用" in line or "享" in line else None
    return shared or _OF_TEXT.match(line) or _RANGE_ALONE.match(line)


def case_heading_in(line: str) -> tuple[int, int] | None:
    """Return where a heading such as 案例一：…… or Passage One ends, and where the text after it begins, if there is any."""
    match = _CASE_HEADING.match(line)
    if match is None:
        return None
    rest = match.start("rest") if match["rest"] else match.start("rest2") if match["rest2"] else len(line) - 1
    return match.end("heading" if match["heading"] else "passage"), rest + 1


def case_mark_in(line: str) -> tuple[int, int] | None:
    """Return where the case after an unnumbered mark, 【案例】……, begins and ends."""
    match = _CASE_MARK.match(line)
    return match.span("rest" if match["rest"] is not None else "rest2") if match else None


def opens_case(line: str) -> bool:
    """Return whether a flat line begins with 一般资料：, as counselling cases do."""
    return line.lstrip("【[").startswith("一般资料") and ":" in line[:9]


def tells_patient(line: str) -> bool:
    """Return whether a flat line begins to describe a patient or client, and does not explain an answer."""
    return ((len(line) > 14 and bool(_PATIENT.match(line))) or tells_age(line)) and not _JUDGES.search(line)


def tells_age(line: str) -> bool:
    """Return whether a flat line begins with someone's sex and age, as only a case does."""
    return bool(_AGED.match(line)) and not _JUDGES.search(line)


def is_instruction(line: str) -> bool:
    """Return whether a flat line says how to answer a section or how it is scored, and is not a case."""
    return bool(_INSTRUCTION.match(line)) and not tells_patient(line)


def kind_of(heading: str | None) -> str:
    """Return the kind of questions that a flat heading announces: shared, case, multiple, verdict, blank, words, choice, or empty."""
    if not heading:
        return ""
    text = re.split(r"[(:。]", heading, maxsplit=1)[0]
    return min((match.lastgroup or "" for match in _KIND_WORD.finditer(text)), key=_KINDS.index, default="")


def numeral_of(heading: str) -> str:
    """Return the numeral of a flat heading."""
    match = _NUMERAL_OF.match(heading)
    if match is None:
        return ""
    digits = int(match["digits"] or 0)
    return match["hanzi"] or _ROMAN.get(match["roman"] or "", HANZI[digits - 1] if 0 < digits <= len(HANZI) else "")


def heading_key(heading: str) -> str:
    """Return a key that flat headings of the same section share: their numeral, or else their kind."""
    if case := _CASE_HEADING.match(heading):
        return re.sub(r"\W", "", case["heading"] or case["passage"])
    return numeral_of(heading) or kind_of(heading) or re.sub(r"[【】\[\]\s]|[(:].*$", "", heading)


BLANK = re.compile(r"[(\[【]\s{0,12}[)\]】]|_{2,}|[?]$|[?]\s?[(\[]")
_ASKS = re.compile(r"简述|试述|论述|什么是|为什么|如何|怎样|哪些|哪[种项个一]|举例|名词|说明|分析|比较|[?:]\s?$")
_WORDED = re.compile(
    r"[(\[【]\s{0,12}[)\]】]|_{2,}|[?]\s{0,4}$|[?]\s?[(\[]|简述|试述|论述|什么是|是什么|为什么|如何|怎样|哪些|哪[种项个一]|几[种项个条类]|多少|何者|举例|名词解释"
    r"|^[\d\s().、:【】第题]{0,9}[请要]?(?:[试谈]|论[^文]|评|概述|阐|列举|辨|解释|定义|计算|求|证明|译|写出|画|填|说明|分析|比较)"
    r"|(?:是|为|有|在|于|应|宜|见|的|包括|属于|不包括|称为|叫做?|首选|除外|正确|错误)\s?[:]?\s{0,4}$"
)
"""The wording of a question: it leaves a blank, has a question word, begins with an instruction, or breaks off."""
FILLED = re.compile(rf"[(\[【√×](?:(?<![√×])\s{{0,6}}(?:{LETTERS}|{VERDICT})\s{{0,6}}[)\]】]|(?<=[√×])$)")


def asks(line: str) -> bool:
    """Return whether a flat line has a blank, empty or filled."""
    return bool(BLANK.search(line))


def inquires(line: str) -> bool:
    """Return whether a flat line is worded as a question."""
    return bool(BLANK.search(line) or _ASKS.search(line) or FILLED.search(line))


def is_worded_as_question(line: str) -> bool:
    """Return whether a flat line is worded as a test question; stricter than `inquires`, which accepts a final colon."""
    return bool(_WORDED.search(line) or FILLED.search(line))
