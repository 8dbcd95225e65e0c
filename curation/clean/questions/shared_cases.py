"""Split a shared case from its question: by the paper's marks, else by the start of the last sentence."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from atomexam.text.canonical import canonical
from curation.clean.questions.paper_marks import one_line, type_tag
from curation.text.markup import BLANK

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
"""The last line of a dialogue whose full stop was read as a comma, before the question."""
_RESULTS = re.compile(r"(?:心理)?测[验量](?:结果)?[：:][^。？]{20,}\d(?=对[该本]|[如请若]|根据|依据|该求助者|本案例|求助者)")
"""A table of results without a final full stop, before the question."""
_ADDS = re.compile(r"(?:请(?:说|阐|谈|举例|写)|(?:并)?(?:为什么|说明|理由|依据|原因))[^。？！]{0,14}[。？]?$")
"""The second sentence of a question, which is not a question by itself."""
_GOES_ON = re.compile(r"[时这的，、]|属于|表明|说明|使用|反映|体现")
_POINTS_BACK = re.compile(r"[该请其本此]|上述|对|以下|下列")
_END = frozenset("。？！…")
_SENTENCE_ENDS = re.compile(r"[。？！…：；\n][”’）』」]?")
_ASKS_FOR = re.compile(r"下列|以下|下述|下面")
_IN_A_SENTENCE = re.compile("[\u4e00-\u9fff，、]$")
_SAYS_WHO = re.compile("岁|患[者儿]|病人|求助者|来访者|某[男女某]|案例|[材资]料[：:一二三]")
_PAUSES = re.compile(r"[。？！…：；，\d]|[^\s，。]{1,3}[:,]")
_OPENING = {"”": "“", "）": "（", "』": "『", "」": "「", "》": "《"}
_MIN_CASE_CHARS = 40
MIN_SHARED_CHARS = 30
_MAX_ALIKE = 0.6  # two questions with more common characters are one question, reworded
_MIN_QUESTION_CHARS = 4
_MIN_SHORT_QUESTION_CHARS = 2  # 诊断是（ ）, after a known case
_MIN_SENTENCE_CHARS = 7
_MAX_QUESTION_CHARS = 200


class CaseAndQuestion(NamedTuple):
    """A case and its question, normalized."""

    case: str
    question: str


def split_marked(text: str) -> CaseAndQuestion | None:
    """Split a normalized text that begins like a case; None if it is not one."""
    if len(text) < _MIN_CASE_CHARS:
        return None
    tagged = any(tag.start() >= _MIN_CASE_CHARS for tag in _tags(text))
    parts = _split(text) if tagged or (_STARTS_CASE.match(text) and _SIGNS_OF_CASE.search(text)) else None
    return parts if parts and len(parts.case) >= _MIN_CASE_CHARS else None


def split_shared(texts: Iterable[str]) -> dict[str, CaseAndQuestion]:
    """Return the parts of those texts of one source that begin with the same long text and end with different questions."""
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
    """Return the parts of texts that begin with a known shared case and end with a question too short to be recognized by itself."""
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
    """Return a case without its number in the paper, 案例七：, and without another question on it, 多选：4、……（ ）。"""
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
    """Return whether a text ends at a line end within a question: 下列属于…文明施工保证⏎项目中…的是（ ）。"""
    *whole, last = _SENTENCE_ENDS.split(text)
    if last and not whole and _IN_A_SENTENCE.search(last) and not _SAYS_WHO.search(text):
        return True
    return bool(last) and (_ASKS_FOR.search(last) is not None or _PAUSES.search(text) is None)


def _last_sentence(text: str) -> int:
    """Return the start of the last sentence; sentence ends inside quotes and brackets do not count, ends of a speech do."""
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
    """Return a text without final blanks, sentence ends and a type tag after it; a pattern would take cubic time."""
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
    return len(canonical(question[:_MAX_QUESTION_CHARS])) > _MIN_SENTENCE_CHARS or bool(_POINTS_BACK.match(question))
