"""Split shared cases from their questions; detect stems that are cut off, merged, or refer to a missing case."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from atomexam.text.canonical import canonical
from atomexam.text.markup import BLANK
from atomexam.text.option_letters import are_in_turn
from curation.clean.wording.exam_text import one_line, type_tag

_SIGNS_OF_CASE = re.compile(r"一般资料|案例|求助者|来访者|咨询师")
_STARTS_CASE = re.compile(
    r"^[\s【（(\[]*(?:第?\d{1,3}[题、.．]?\s*)?(?:案例|一般资料|资料：|阅读|求助者：|来访者：|下面是|[^\n：]{1,40}案例介绍：)"
)
_CASE_NUMBER = r"案例(?:分析)?题?[一二三四五六七八九十百\d]*(?:[（(](?:\d+|与案例[^（）()]{1,20})[）)])?"
_LABEL = re.compile(
    r"^(?:阅读(?:下列|以下|下面)?的?(?:材料|案例)[，,]?回答(?:下列|以下|后面)?的?问题[：。]\s*)?"
    rf"(?:[【\[（]\s*{_CASE_NUMBER}\s*[】\]）]|{_CASE_NUMBER}(?=[\s：:一求心某来]))?\s*[：:]?\s*"
)
_SHARED_MARK = re.compile(
    r"^[（(【\[]?\s*+(?:(?:第\s*+)?\d{1,3}\s*+[-~—至、和]\s*+\d{1,3}\s*+小?题?\s*+)?(?:共用(?:题干|病例|案例|材料)|A[34](?:/A?4)?型)题?\s*[）)】\]]?[:：]?\s*"
)
_TO_THE_READER = re.compile(r"^(?:[^。：\n]{0,40}(?:阅卷|答题[纸卡])[^。：\n]{0,60}。\s*)+")
"""A paper's instructions to candidates before its first case."""
_TAG_BEFORE_QUESTION = re.compile(
    r"(?:\d{1,3}\s*+[、.．]?\s*+)?(?:[\[【（]\s*+(?:单选|多选|单项选择|多项选择|不定项)题?\s*+[\]】）]|(?:单选|多选)题?\s*+：)\s*+(?:\d{1,3}\s*+[、.．：])?"
)
_LINE_NUMBER = re.compile(r"^\d{1,3}\s*+[、.．]?\s*+(?![岁年月日天个名次周小分位时种条项%％~～多余\d])(?=[\u4e00-\u9fff“（])")
_OTHER_QUESTION = re.compile(r"(?:(?<!\s)\s+)?(?:单选|多选)题?[:：]\s*\d{1,3}\s*[、.．][^。？\n]{4,80}（ ）[。？]?$")
_TYPE_AT_END = re.compile(r"[（\[【]?(?:单选|多选)题?[）\]】]?$")
_MAX_TYPE_CHARS = 5
_SPEECH = re.compile(r"(?:求助者|来访者|(?:心理)?咨询师)：[^：]{2,60}?[、，；](?=(?:心理)?咨询师(?!：)[^：]{0,80}$)")
"""The last line of a dialogue before the question, if its full stop was misread as a comma."""
_RESULTS = re.compile(r"(?:心理)?测[验量](?:结果)?[：:][^。？]{20,}\d(?=对[该本]|[如请若]|根据|依据|该求助者|本案例|求助者)")
"""A table of results that precedes the question and has no full stop at the end."""
_ADDS = re.compile(r"(?:请(?:说|阐|谈|举例|写)|(?:并)?(?:为什么|说明|理由|依据|原因))[^。？！]{0,14}[。？]?$")
"""The second sentence of a question; alone, it is not a question."""
_GOES_ON = re.compile(r"[时这的，、]|属于|表明|说明|使用|反映|体现")
_REFERS_BACK = re.compile(r"[该请其本此]|上述|对|以下|下列")
_END = frozenset("。？！…")
_SENTENCE_ENDS = re.compile(r"[。？！…：；\n][”’）』」]?")
_ASKS_FOR = re.compile(r"下列|以下|下述|下面")
_IN_A_SENTENCE = re.compile("[\u4e00-\u9fff，、]$")
_SAYS_WHO = re.compile("岁|患[者儿]|病人|求助者|来访者|某[男女某]|案例|[材资]料[：:一二三]")
_PAUSES = re.compile(r"[。？！…：；，\d]|[^\s，。]{1,3}[:,]")
_OPENING = {"”": "“", "）": "（", "』": "『", "」": "「", "》": "《"}
_MIN_SHARED_CASE_CHARS = 40
MIN_SHARED_CHARS = 30
_MAX_ALIKE = 0.6  # two questions with more characters in common are rewordings of one
_MIN_QUESTION_CHARS = 4
_MIN_SHORT_QUESTION_CHARS = 2  # 诊断是（ ）, after a known case
_MIN_SENTENCE_CHARS = 7
_MAX_QUESTION_CHARS = 200


class CaseAndQuestion(NamedTuple):
    """A case and its question, normalized."""

    case: str
    question: str


def split_marked(text: str) -> CaseAndQuestion | None:
    """Split a normalized text that begins like a case; None if it does not."""
    if len(text) < _MIN_SHARED_CASE_CHARS:
        return None
    tagged = any(tag.start() >= _MIN_SHARED_CASE_CHARS for tag in _tags(text))
    parts = _split(text) if tagged or (_STARTS_CASE.match(text) and _SIGNS_OF_CASE.search(text)) else None
    return parts if parts and len(parts.case) >= _MIN_SHARED_CASE_CHARS else None


def split_shared(texts: Iterable[str]) -> dict[str, CaseAndQuestion]:
    """Split the texts of one source that begin with the same long text and end with different questions."""
    texts = list(dict.fromkeys(texts))
    candidates = {text: parts for text in texts if len(text) > MIN_SHARED_CHARS and (parts := _split(text))}
    questions: dict[str, set[str]] = {}
    for parts in candidates.values():
        if len(canonical(parts.case)) >= MIN_SHARED_CHARS:
            questions.setdefault(canonical(parts.case), set()).add(canonical(parts.question))
    shared = {case for case, stems in questions.items() if _differ(sorted(stems))}
    parts_by_text = {text: parts for text, parts in candidates.items() if canonical(parts.case) in shared}
    return parts_by_text | _after_known(
        {parts.case for parts in parts_by_text.values()}, (text for text in texts if text not in parts_by_text)
    )


def _after_known(cases: Iterable[str], texts: Iterable[str]) -> dict[str, CaseAndQuestion]:
    """Split texts that begin with a known shared case and end with a question that is too short to be recognized on its own."""
    by_start: dict[str, list[str]] = {}
    for case in cases:
        by_start.setdefault(case[:MIN_SHARED_CHARS], []).append(case)
    parts_by_text = {}
    for text in texts:
        begun = [case for case in by_start.get(text[:MIN_SHARED_CHARS], ()) if text.startswith(case)]
        case = max(begun, key=len, default="")
        question = _LINE_NUMBER.sub("", text[len(case) :].strip())
        if case and len(canonical(question)) >= _MIN_SHORT_QUESTION_CHARS and len(question) <= _MAX_QUESTION_CHARS:
            parts_by_text[text] = CaseAndQuestion(case, one_line(question))
    return parts_by_text


def _differ(stems: list[str]) -> bool:
    first = set(stems[0])
    return any(len(first & set(other)) <= _MAX_ALIKE * len(first | set(other)) for other in stems[1:])


def without_case(text: str, case: str) -> str:
    """Return a stem without the case that its source repeats before it."""
    return text[len(case) :].lstrip() if case and text.startswith(case) and len(text) > len(case) else text


def case_text(text: str) -> str:
    """Return a case without its number in the paper (案例七：) and without another question after it (多选：4、……（ ）。)."""
    text = _SHARED_MARK.sub("", _TO_THE_READER.sub("", text))
    return _OTHER_QUESTION.sub("", _LABEL.sub("", _LABEL.sub("", text))).strip()  # 案例五：阅读材料回答下列问题： are two


def _split(text: str) -> CaseAndQuestion | None:
    at = _question_start(text)
    for begins_early in (_SPEECH, _RESULTS):
        if opening := begins_early.match(text, at):
            at = opening.end()
    case, question = case_text(text[:at].rstrip()), text[at:].strip()
    question = _LINE_NUMBER.sub("", question) if type_tag(question) is None else question
    if len(case) < MIN_SHARED_CHARS or not _MIN_QUESTION_CHARS <= len(canonical(question)) <= _MAX_QUESTION_CHARS:
        return None
    return CaseAndQuestion(case, one_line(question))


def _tags(text: str) -> list[re.Match[str]]:
    return list(_TAG_BEFORE_QUESTION.finditer(text)) if "选" in text or "不定项" in text else []


def _question_start(text: str) -> int:
    tags = _tags(text)
    if tags and tags[-1].start() and len(text) - tags[-1].end() > _MIN_QUESTION_CHARS:
        return tags[-1].start()
    line = text.rfind("\n") + 1
    if line and len(text) - line > _MIN_QUESTION_CHARS and not _is_cut(text[:line].rstrip()):
        return line
    return _last_sentence(text)


def _is_cut(text: str) -> bool:
    """Return whether a text is cut off at a line break within a question: 下列属于…文明施工保证⏎项目中…的是（ ）。"""
    *whole, last = _SENTENCE_ENDS.split(text)
    if last and not whole and _IN_A_SENTENCE.search(last) and not _SAYS_WHO.search(text):
        return True
    return bool(last) and (_ASKS_FOR.search(last) is not None or _PAUSES.search(text) is None)


def _last_sentence(text: str) -> int:
    """Return the start of the last sentence; sentence ends inside quotes or brackets do not count, but the end of a speech does."""
    at = len(_without_end(text))
    waiting: list[str] = []
    first = {sign: text.find(opening) for sign, opening in _OPENING.items()}
    while at > 0:
        sign = text[at - 1]
        if not waiting and (sign in _END or _ends_speech(text, at)) and _is_whole(text[at:]):
            return at
        if 0 <= first.get(sign, -1) < at - 1:
            waiting.append(_OPENING[sign])
        elif waiting and sign == waiting[-1]:
            waiting.pop()
        at -= 1
    return 0


def _without_end(text: str) -> str:
    """Return a text without final blanks, final punctuation and a type tag after them; a regular expression would take cubic time."""
    bare = _without_signs(text)
    tag = _TYPE_AT_END.search(bare, max(len(bare) - _MAX_TYPE_CHARS, 0))
    return _without_signs(bare[: tag.start()]) if tag else bare


def _without_signs(text: str) -> str:
    end = len(text)
    while end and (text[end - 1] in _END or text[end - 1].isspace() or text.endswith(BLANK, 0, end)):
        end -= len(BLANK) if text.endswith(BLANK, 0, end) else 1
    return text[:end]


def _ends_speech(text: str, at: int) -> bool:
    """Return whether a line of dialogue, 求助者：“……。”, ends here; in 咨询师说“……。”时 the quote is part of the question."""
    if text[at - 1] != "”" or at < 3 or text[at - 2] not in _END or _GOES_ON.match(text[at:]):
        return False
    opening = text.rfind("“", 0, at - 1)
    return opening > 0 and text[opening - 1] == "："


def _is_whole(question: str) -> bool:
    question = _LINE_NUMBER.sub("", question)
    if _ADDS.match(question):
        return False
    return len(canonical(question[:_MAX_QUESTION_CHARS])) > _MIN_SENTENCE_CHARS or bool(_REFERS_BACK.match(question))


LOST = re.compile(r"\?\?|[？?]{3}|□|■|▯|〓")
_LOST_IN_CASE = re.compile(r"\?\?|[？?]{3}")
_OPTION_AS_STEM = re.compile(r"^[（(]\s*+[A-J]\s*+[、.．]?\s*+[）)]\s*+\S")
_LEAKED_OPTIONS = re.compile(
    r"(?<![A-Za-z])A\s*[.．、:：](?![A-Z])[^A-Z]{1,40}(?<![A-Za-z])B\s*[.．、:：][^A-Z]{1,40}(?<![A-Za-z])C\s*[.．、:：]"
)
_OPEN_ENDS = tuple("，、；（(“《")  # 和 may end a stem with an omitted blank
_LEAKED_LETTERS = re.compile(r"(?<![A-Za-z])([A-J])\s?[.．、](?=\s?[\u4e00-\u9fff])")
_LEAST_LEAKED = 4
_CUT_AT_WORD = re.compile("[，。；](?:针对|由|根据|按照|对于|以及|并且)$")
_NO_QUESTION = re.compile(
    r"回答(?:下列|以下|后面)?的?(?:各题|问题)[：:。]?$|^案例[一二三四五六七八九十\d]+$|^第?[一二三四五六七八九十\d]+题?$"
)
_SECOND_TAG = re.compile(r"(?:单选|多选)题?\s*[：:\]】]")
_UNIT_IN_FRONT = re.compile(r"^[%％℃‰]")
_ITEM = re.compile(r"(?<![\dA-Za-z第])([1-9])\s*[)）.．、](?![班级年月号组次题章节个种])(?=[\u4e00-\u9fff“])")
_NEXT_QUESTIONS = re.compile(  # a paper's introduction to the questions after this one
    r"【\d{1,3}[-~—–]\d{1,3}】$|[一二三四五六七八九十]、[^，。、]{0,8}(?:选择|分析|判断|配伍|填空|简答)题$"
    r"|(?:[是为有]|（ ）)[。？]?案例[一二三四五六七八九十\d]{0,2}："
)
_BROKEN = (LOST, _NEXT_QUESTIONS, _OPTION_AS_STEM, _LEAKED_OPTIONS, _SECOND_TAG, _NO_QUESTION)
_QUESTION_AT_END = re.compile(r"的[\u4e00-\u9fff]{2,4}是(?=(?:（ ）)?[。？：]?$)")
_LONGEST_END_CHARS = 12
_MIN_CHARS = 2  # a case of one character is not a case
_SUSPECT = re.compile(
    "[?□■▯〓A案题选？】](?:(?<=[?□■▯〓A案题选】])|(?<=？)？)"
)  # starts with a character class, which makes the search fast
"""Characters that every pattern for a broken stem requires, except at its ends."""
_MAX_SUSPECT_CHARS = 6


def is_broken(stem: str, case: str | None) -> bool:
    """Return whether a stem, or the case before it, is not a complete question."""
    return (
        stem.endswith(_OPEN_ENDS)
        or stem.startswith((")", "）"))
        or stem.count("（") < stem.count("）")
        or bool(case and (len(case) < _MIN_CHARS or _LOST_IN_CASE.search(case)))
        or _UNIT_IN_FRONT.match(stem) is not None
        or _CUT_AT_WORD.search(stem, max(0, len(stem) - _LONGEST_END_CHARS)) is not None
        or ("D" in stem and _holds_options(stem))
        or _asks_twice(stem)
        or ("3" in stem and _begins_within_list(stem))
        or (_is_suspect(stem) and any(pattern.search(stem) for pattern in _BROKEN))
    )


def _asks_twice(stem: str) -> bool:
    """Return whether two questions are joined without punctuation: ……的药物是……的药物是."""
    end = _QUESTION_AT_END.search(stem, max(0, len(stem) - _LONGEST_END_CHARS)) if "是" in stem[-_LONGEST_END_CHARS // 2 :] else None
    first = stem.find(end[0], 0, end.start()) if end else -1
    return end is not None and first > 0 and "\u4e00" <= stem[first + len(end[0])] <= "\u9fff"


def _holds_options(stem: str) -> bool:
    """Return whether a stem contains four or more lettered texts, starting from A, with each letter used once."""
    letters = [match[1] for match in _LEAKED_LETTERS.finditer(stem)]
    return len(letters) >= _LEAST_LEAKED and are_in_turn(letters)


def _begins_within_list(stem: str) -> bool:
    """Return whether a stem contains points 2 and 3, or 3 and 4, of a list but not the first; then it is the answer to another question."""
    items = {int(item[1]) for item in _ITEM.finditer(stem)}
    return 1 not in items and 3 in items and bool(items & {2, 4})


def _is_suspect(stem: str) -> bool:
    return stem.startswith(("（", "(")) or len(stem) <= _MAX_SUSPECT_CHARS or bool(_SUSPECT.search(stem))


_MIN_CASE_CHARS, _MIN_OWN_CASE_CHARS = 60, 45  # a longer stem, or one with numbers or words of the client, contains its own case
_TELLS = re.compile("[0-9“]|，(?:说明|提示|表明|反映|这|其)|说明其")
_EARLIER_QUESTION = re.compile(r"上一?小?题")
_EARLIER_CASE = re.compile(r"[前上]述[案病]例|上面的?案例|[根依]据案例")
_THIS_CASE = re.compile(r"[本该]案例")
_UNQUOTED = re.compile(r"^[^“”]{0,12}求助者[^“”，]{0,12}所说的话[^“”]*$")
_THIS_CLIENT = re.compile(
    r"^[^某名位0-9“]{0,13}(?:[该本]求助者|该来访者|[这本]段(?:谈话|对话|咨询)|(?:上述|以上)(?:谈话|对话)|案例中求助者|还应该?重点(?:收集|了解))"
    r"|^[^，。“]{0,10}[对与给为定][\u4e00-\u9fff]某[^，。]*[。]?$"
    r"|^[\u4e00-\u9fff]某某?的[^，。“]{2,20}$"
)
_PERSON = r"(?:患者|病人|患儿|病例|产妇|孕妇|婴儿|老人)"
_THIS_PATIENT = re.compile(
    rf"^(?:[若如]|对于?|为|治疗|诊断|根据|护理|针对)?(?:本例(?!题)|[该此]{_PERSON}|上述{_PERSON})"
    r"|^(?:[根依]据|阅读|结合)(?:上述|以上|上面|[上下]列|所给)?的?(?:材料[一二三四1-4]?|资料(?=，))|^材料[一二三四中](?!的)"
)
_UNTOLD_PATIENT = re.compile(r"(?<!“)[该此](?:患者|病人|患儿|产妇|孕妇)")
_INTRODUCES = re.compile(
    r"[\d；岁某男女]|一[名位例个]|患者[，：因于]|病人[，：因]|患儿|病例|产妇|孕妇|[婴幼儿]|诊断|入院|就诊|主诉|症见|出现|突发|发作|伴|[痛热咳血肿吐泻]"
)
_LONGEST_BEFORE = 60  # more characters before 该患者 are assumed to contain a history
_FINDINGS = r"(?:辨证|辨析|诊断|病史|其?用药史|四诊)(?:分析)?(?:结果|结论|资料)?(?:[和与及、][^，。]{1,8})?"
_OF_PATIENT = "(?:证候?|证型|病机|病情|舌脉|舌象|脉[象证症]|症状|体征|病史|(?:临床)?表现|主诉|检查)"
_ASKS_OF_PATIENT = "(?:其|中医)?(?:治疗|首[选先]|应|最|宜|可(?:诊|选|考)|辨证|诊断|证型|病机|治[法则])"
"""Text after 其 without an antecedent; 流行性感冒可分为 names its subject and does not count."""
_NO_SUBSTANCE = "(?![状类硝基肝氨酸酰苯醇烷型级])"
"""Text after 甲, 乙 and so on; excludes 甲状腺, 甲硝唑 and 乙醇."""
_HANDED_DOWN = re.compile(
    rf"^(?:(?:四诊|舌脉|脉[证症]|色脉|症舌脉|舌症脉)合参，|(?:针对|[根依]据|结合|按照)其{_OF_PATIENT}[^，。]{{0,6}}，(?={_ASKS_OF_PATIENT})|[根依]据(?:上述|以上|本次|该)?{_FINDINGS}，|结合(?:题目|题干|病史|病例)[^，。]{{0,8}}，"
    r"|[根依]据(?:上述|以上)(?:背景)?(?:材料|资料|信息|描述|病例|症状|检查结果))"
    r"|^(?:对此，|针对(?:上述|以上|此)(?:情形|情况|行为)，|此时[，应首最宜]|上方[加减去中]|因患者|医师嘱其|所选(?:成?药|方剂)|本品最)"
    r"|^(?:关于|对于?|针对|根据)?(?:上述|以上所?(?:述|开具?的?)?)(?:药品|药物|行为|情形|处方|方剂|企业|做法|症状|病情|病案)"
    r"|^[^，。：；]{0,12}上述(?:处方|方剂|药方|病例|案例|汤剂|患者)"
    r"|^(?:关于|对于?|针对|有关|作为)?[该此](?:处方|方剂|病案|医师|药师|药店|企业|制剂|(?:化学|生物)?药品)"
    rf"|^(?:根据)?(?:该|药品)?说明书(?:【[^】]{{1,8}}】)?中?“?[甲乙丙丁戊]{_NO_SUBSTANCE}|^[^，。]{{0,14}}符合该[（(“]?[\u4e00-\u9fff]{{2,6}}[）)”]?(?:的?管理)?(?:要求|规定)"
)
_KNOWN = re.compile(  # a person, findings or a case, mentioned as already known
    r"^(?:针对|[根依]据|按照|结合|依照)?(?:以上|上述|前述|上面)(?:证候|案情|资料|材料|情节|事实|信息|情况|案例|病例|[哪何])"
    r"|^本(?:病例|案例|案|题中)|^案例中|^其主诉|^(?:患儿|患者|求助者|来访者)的?(?:母亲|父亲|家长|父母|丈夫|妻子)的"
    r"|^[\u4e00-\u9fff]{1,2}(?:某某?|女士|先生|同学|小姐)(?:的|应|出现)[^，。；：“0-9]{2,18}(?:（ ）)?[。？：]?$"
)
_SPAN = r"[\d一二两三四五六七八九十数几半]{1,3}个?[天日周月年]"
_STORY_GOES_ON = re.compile(
    rf"^(?:患者)?(?:经?治疗|经?服药|服汤[剂药]|用药|{_SPAN})(?:{_SPAN})?[^，。]{{0,6}}[后，]"
    r"(?=.{0,30}(?:减轻|缓解|好转|改善|消失|减少|已愈|大减|改为|改服))"
)
_OF_PRESCRIPTION = "处方中具有该"
_FORMULA = re.compile(r"^方中(?!.{0,60}(?:方剂?|成药|者|丸|散|汤)(?:是|为|有|包括|（ ）)*[。？]?$)")
_PARTY = re.compile(
    r"^(?:下列)?(?:关于|对于?|针对|经[^，。]{2,12}认定，)?“?[甲乙丙丁戊己]"
    r"(?:”|的(?:行为|做法|要求|需求|说法)|说法，|执业行为|(?:开办|经营)的[^，。]{2,10}存在)"
    r"|^(?:下列)?(?:关于|对于?|针对于?|经[^，。]{2,12}认定，)(?:医师|药师)?“?[甲乙丙丁戊己](?:医师|的|在|欲|权利|义务|开具|漏|购买|开办|经营|销售|委托|聘|执业|行为)"
)
_TOPICS = r"(?:护理)?(?:诊断|检查|治疗|处理|措施|方剂|方药|中?成药|药物|代表方|治法|治则|治疗原则|证型|证候|病机|病位|辨证)(?:方案)?"
_TOPICLESS = re.compile(
    r"^(?:其|最|首选|首先|目前|此时|应|宜|可|下一步|进一步|初步|治疗[应宜当]|辨析其)[^，。、《》“”A-Za-z0-9]{0,6}"
    rf"{_TOPICS}(?:是|为|有|包括)(?:（ ）)?[。？：]?$"
)
_LONGEST_TOPICLESS = 20
_CLAUSE = "[^，。：；“”A-Za-z0-9]"
_POINTS_BACK = re.compile(  # its first words refer back, and nothing else follows
    r"^(?:据此|综上(?:所述)?，|假设信息)"
    rf"|^(?:(?:前者|后者|[他她]的|该(?!不该)|这一(?!般)){_CLAUSE}{{1,14}}|{_CLAUSE}{{1,6}}的这[一种]{_CLAUSE}{{1,10}}"
    rf"|[\u4e00-\u9fff](?:老师|医生|护士)的(?:做法|行为|说法){_CLAUSE}{{1,10}}|[\u4e00-\u9fff]{{1,2}}某在(?:咨询|访谈|谈话|治疗)中{_CLAUSE}{{1,14}}"
    rf"|[若为要](?:进一步)?(?:明确|确定)?(?:诊断|确诊)，{_CLAUSE}{{2,10}})(?:（ ）)?[。？：]?$"
)

_LEANS_ON_PATIENT = re.compile(
    r"^(?:[若如因为]|为了?改善|针对|可能(?:引起|导致))?(?:患者|患儿)(?![，、]?\s?[男女某]|[，、]?\s?\d|[^，。]{0,8}[，（]\s?[男女\d]|的权利)"
    rf"|^(?:患者)?{_SPAN}后(?:又|再|复)"
)
_LEANS_ON_PARTY = re.compile(
    rf"(?<![\u4e00-\u9fffA-Z])[“【]{{0,2}}[甲乙丙丁戊己]{_NO_SUBSTANCE}|(?:[对于向从将由由与和在]|医师|企业|公司|药店|平台)[甲乙丙丁戊己]{_NO_SUBSTANCE}"
    r"|(?:药品|疫苗|制剂|企业|公司)[A-D](?![A-Za-z])"
)
_LEANS_ON_TEXT = re.compile(
    r"上述|以上所|与?上[药方](?=[中配减加合])|[在处制剂]方中|^方中|^说明书中|^本品|^当地|^所在地|^收到|相关企业|[“该]?XX"
    r"|^下列(?:说法|情形|行为|做法)，?不?(?:符合|违反)[^，。]{0,24}的是|^为(?:明确|增强|改善)[^，。]{0,20}，"
)


def misses_case(stem: str) -> bool:
    """Return whether a stem refers to a case although it has none."""
    if "题" in stem and _EARLIER_QUESTION.search(stem):
        return True
    if "例" in stem:
        case = _EARLIER_CASE.search(stem)
        if (case and case.start() < _MIN_CASE_CHARS) or (len(stem) < _MIN_CASE_CHARS and _THIS_CASE.search(stem)):
            return True
    if (
        _OF_PRESCRIPTION in stem
        or _HANDED_DOWN.match(stem)
        or (len(stem) < _MIN_CASE_CHARS and _KNOWN.match(stem))
        or _UNQUOTED.match(stem)
        or _FORMULA.match(stem)
        or _STORY_GOES_ON.match(stem)
        or _POINTS_BACK.match(stem)
        or _speaks_of_unknown_patient(stem)
    ):
        return True
    if len(stem) <= _LONGEST_TOPICLESS and _TOPICLESS.match(stem):
        return True
    if len(stem) >= _MIN_CASE_CHARS or (_PARTY.match(stem) is None and (len(stem) >= _MIN_OWN_CASE_CHARS or _TELLS.search(stem))):
        return False
    return bool(_PARTY.match(stem) or _THIS_CLIENT.match(stem) or _THIS_PATIENT.match(stem))


def _speaks_of_unknown_patient(stem: str) -> bool:
    """Return whether a stem first mentions a patient as 该患者, without a history before it."""
    match = _UNTOLD_PATIENT.search(stem)
    return bool(match and match.start() <= _LONGEST_BEFORE and not _INTRODUCES.search(stem, 0, match.start()))


def leans_on_case(stem: str) -> bool:
    """Return whether a stem mentions a patient, party or prescription as known; used only near questions whose cases are lost."""
    match = _LEANS_ON_PARTY.search(stem) if len(stem) < _MIN_CASE_CHARS else None
    known = stem.startswith("该") and not _TELLS.search(stem)
    return bool(match or known or _LEANS_ON_PATIENT.match(stem) or _LEANS_ON_TEXT.search(stem))
