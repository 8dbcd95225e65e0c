"""A value from a summary box -> atomic tails, with a reason for each part that is not one."""

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from atomexam.text.normalize import RULES, normalize, run_rules
from atomexam.text.numerals import CIRCLED_TO_20
from curation.clean.facts.separators import NO_LABEL_COLUMN, UNSURE, LabelColumn, divide, without_link
from curation.vocab.reader import read_vocabulary

MAX_TAIL_CHARS = 30
"""A longer value is a clause rather than a thing."""
CACHE_SIZE = 100_000
"""Cached results of checking tails, since most tails have many heads."""
MEASURE = re.compile(r"\d")
_ROMAN = re.compile(r"^[\dIVXivxⅠ-ⅿ.]+$")
LOST_CHARACTER = "\ufffd"
INFECTIVITY = "传染性"


class TailCandidate(NamedTuple):
    """One tail with its polarity, or a rejected text with its reason."""

    text: str
    polarity: bool = True
    who: str | None = None
    """The people that a reference range applies to."""
    reason: str | None = None
    detail: str | None = None


@cache
def word_lists() -> dict[str, frozenset[str]]:
    table = read_vocabulary("relations")
    return {name: frozenset(table[name]) for name in ("empty", "methods")}


@cache
def _prose_words() -> re.Pattern[str]:
    return re.compile("|".join(read_vocabulary("relations")["prose"]))


@lru_cache(CACHE_SIZE)
def check_tail(text: str, who: str | None = None) -> TailCandidate:
    """Return a text as a tail, or with the reason why it is not one."""
    if text in word_lists()["empty"]:
        return TailCandidate(text, who=who, reason="value_empty")
    if len(text) > MAX_TAIL_CHARS:
        return TailCandidate(text, who=who, reason="value_too_long", detail=f"{len(text)} characters")
    if LOST_CHARACTER in text or LOST_CHARACTER in (who or ""):
        return TailCandidate(text, who=who, reason="mojibake", detail="a lost character")
    fault = None
    if text.endswith(("…", "...")):
        fault = "cut off by the source"
    elif text.count("（") != text.count("）") or text.count("(") != text.count(")"):
        fault = "a bracket is missing"
    elif who is None and not MEASURE.match(text) and (clause := _prose_words().search(text)):
        fault = f"prose: {clause[0]}"
    elif _ROMAN.match(text):
        fault = "a number"
    return TailCandidate(text, who=who, reason="tail_not_atomic" if fault else None, detail=fault)


_PEOPLE = (
    r"(?:成年|成人|儿童|新生儿|婴儿|婴幼儿|小儿|老年|青年|孕妇|妊娠|绝经|男|女|空腹|餐后|卧位|立位|青少年|早期|晚期|静脉|动脉|血清|血浆)"
)
_TIMED = r"(?:空腹|餐后|饭后|服糖后|服药后|运动后|用药后)\s*+\d+(?:\.\d+)?\s*+(?:小时|分钟?|min|h)"
"""A state that contains a number itself, such as 餐后2小时."""
_WHO = re.compile(rf"^[（(]?((?:{_TIMED}|{_PEOPLE})[^0-9<>≤≥～~（）()：:]{{0,10}}?)[）)]?\s*+[:：]?\s*+(?=[0-9(<>≤≥＜＞（阴阳])")
_WHO_AFTER = re.compile(r"(?:(?<!\s)\s+)?[（(]([^（）()0-9]{1,10})[）)]$")
_BARE = re.compile(r"[\d.~～<>≤≥＜＞–—-]+")
_UNIT = re.compile(r"(?<=\d)\s*(?:×10\^?[\d⁰-⁹¹²³]+/)?(?:[%‰]|[a-zA-Zμ]+/[a-zA-Zμ²³\d.]+|mmHg|kPa|秒|分钟?|小时|mm|cm|fl|pg)$")
_FINDING = re.compile(r"(?:弱|可疑)?[阴阳]性(?:[（(][-+±－＋]+[）)])?|[（(][-+±－＋]+[）)]|未检出|不得检出")
"""A range without numbers, such as 阴性 for a urine test."""

_SUBJECTS = "成年|成人|儿童|新生儿|男|女|孕妇|婴"
_BETWEEN = re.compile(
    rf"[；;\n]|[，,、](?=\s*(?:{_SUBJECTS}|空腹|[餐饭]后))"
    rf"|(?<=[\da-zA-Z%‰²³℃])\s*+(?=(?:{_SUBJECTS}))|(?<=[^\d\s])\s*[，,、]\s*(?=\d)"
)
"""Boundary between two ranges: a separator, or a new group of people after a unit; 1,000 is one number."""
_SEVERAL = re.compile(rf"{_PEOPLE}|/[a-zA-Z]+ +\d|\d\s*(?:小时|分钟?|min|h)\s*[:：<>≤≥＜＞]|[:：](?!\d)|(?<!\d)[:：]")
"""Evidence of several ranges: people within a range, a second number after a unit, or a time or colon after other text: 2小时：<7.8."""


_SAME_IN_OTHER_UNITS = re.compile(
    r"(?:(?<!\s)\s+)?(?:[（(](?:即|合|或)?\s*|[，,]?[或即合])\d[\d.~～–—-]*\s*[a-zA-Zμ%‰][^）)；;，,]{0,200}[）)]?$"
)
"""3.9～6.1mmol/L（70～110mg/dl） is one range and keeps its first unit."""


def are_ranges(value: str) -> bool:
    """Return whether each clause of a value contains a number, so that even a long value is not prose."""
    clauses = [clause for clause in re.split("[；;，,、。\n]", value.strip("。 \n")) if clause.strip()]
    return all(len(clause) <= MAX_TAIL_CHARS and MEASURE.search(clause) for clause in clauses)


def read_ranges(text: str) -> list[TailCandidate]:
    """Return the ranges of a value without its prefix."""
    ranges = _each_range(text)
    units = {unit[0] for candidate in ranges if (unit := _UNIT.search(candidate.text))}
    if len(units) != 1 or not _UNIT.search(ranges[-1].text):
        return ranges
    last = units.pop()  # 男53~106；女44~97μmol/L: the last number has the unit of all
    return [
        candidate._replace(text=candidate.text + last) if candidate.reason is None and _BARE.fullmatch(candidate.text) else candidate
        for candidate in ranges
    ]


def _each_range(text: str) -> list[TailCandidate]:
    ranges = []
    for part in _BETWEEN.split(text):
        part = _SAME_IN_OTHER_UNITS.sub("", part.strip("。 ，,"))
        who = None if _FINDING.fullmatch(part) else _WHO.match(part) or _WHO_AFTER.search(part)
        measure = part.replace(who[0], "", 1).strip("：: ") if who else part
        if not part:
            continue
        if not MEASURE.search(measure) and not _FINDING.fullmatch(measure):
            ranges.append(TailCandidate(part, reason="tail_not_atomic", detail="a range without a number"))
        elif people := _SEVERAL.search(measure):
            ranges.append(TailCandidate(part, reason="tail_not_atomic", detail=f"more than one range, or unsure whose: {people[0]}"))
        else:
            ranges.append(check_tail(measure, who[1].strip() if who else None))
    return ranges


_OPEN, _CLOSE = "（([【《“", "）)]】》”"
SEPARATORS = "、，；,;。\n|"
_COUNTED_NUMBER = re.compile(r"(?:(?<!\s)\s+)?(?:(\d{1,2})\s*[、.．)）](?!\d)|[（(](\d{1,2})[）)]|([①-⑳]))\s*")


def numbered_items(text: str) -> list[str]:
    """Return the items of a list numbered from 1, such as 1.甲；2.乙; return the text itself if it does not begin so."""
    parts, start, awaited = [], 0, 1
    for number in _COUNTED_NUMBER.finditer(text):
        if awaited == 1 and number.start():
            break
        if int(number[1] or number[2] or CIRCLED_TO_20.index(number[3]) + 1) == awaited:
            parts.append(text[start : number.start()])
            start, awaited = number.end(), awaited + 1
    return [part for part in (*parts, text[start:]) if part]


def split_items(text: str) -> list[str]:
    """Split at separators outside brackets."""
    pieces, depth, start = [], 0, 0
    balanced = sum(text.count(sign) for sign in _OPEN) == sum(text.count(sign) for sign in _CLOSE)
    for at, sign in enumerate(text):
        if balanced and sign in _OPEN:
            depth += 1
        elif balanced and sign in _CLOSE:
            depth -= 1
        elif depth <= 0 and sign in SEPARATORS and not _inside_number(text, at):
            pieces.append(text[start:at])
            start = at + 1
    return [piece.strip() for piece in [*pieces, text[start:]] if piece.strip()]


def _inside_number(text: str, at: int) -> bool:
    return text[at] == "," and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit()


MIN_PROSE_CHARS = 40
_OF_LISTS = ("list", "advice", "department")
_MAX_TERM_CHARS, _MAX_MEAN_CHARS = 12, 8
"""Maximum lengths for list items not to count as clauses: for a single item, and the mean for several."""
MIN_SITE_CHARS = 2

_CUT = re.compile(r"(?:(?<!…)…+|(?<!\.)\.{2,}|[（(【\[《“]|(?<=[\u4e00-\u9fff])[-—–－]+)\s*+$")
"""The end of a value that is continued elsewhere; the cut may be inside a bracket."""
_GLUED = re.compile(r"[^\s。.…，、；;]$")
_SURELY_WHOLE = re.compile(
    "[痛疼晕吐泻热咳血炎症病瘤癌肿胀力难慌闷悸汗痒疹麻聋鸣困秘频急尿黄绀厥迷瘫木颤抖搐挛眠梦惊悲躁虑郁差振退降高低快慢弱数多少大小良全调乱碍竭衰死塞"
    "阻窄张裂孔折伤位垂形疡脓疮癣疣痣斑疱水液气喘痰涕泪哑干渴苦臭酸烂糜屑痂查验图规养镜片像影谱术疗法药科食诊休克缩硬软化感染征型酶素石瘘痫癜痔疟痢疝]$"
)
"""An item with one of these endings before a link is complete."""
_NO_NOUN = re.compile(
    "(?:的|(?:^|亚)[急慢]|(?:急|慢|阵发|持续|进行|间歇|反复|弥漫|局限|局部|[多单]发|[原继特]发|[先后]天|遗传|获得|感染|化脓|病毒|细菌|真菌|出血|缺血|坏死|功能|器质"
    "|周期|暂时|一过|搏动|刺激|痉挛|阻塞|梗阻|充血|外伤|创伤|放射|药物|转移|对称|游走|压迫|紧张|良|恶|神经|血管|老年|自发|顽固|习惯|[^发]炎)性)$"
)
"""An item that lacks the noun it qualifies: 阵发性, 剧烈的."""
_ONE_SIGN = re.compile("[红肿热痛痒胀麻]")
_KINDS = "并发症|合并症|症状|表现|病因|检查|治疗|预防|科室|药物|不良反应|功能主治|适应[症证]|正常值|参考值"
_PREFIX = re.compile(
    rf"^(?:(?:本病的?)?(?:常见|主要|典型|早期|晚期|中期|临床|可能)*的?(?:{_KINDS})(?:方法|措施|项目)?"
    r"(?:(?:有|为|是|包括|主要有|主要包括|如下|可有)?[:：]\s*|(?:有|为|包括|主要有|主要包括|可有)(?=[\u4e00-\u9fff]{2}))"
    r"|(?:可以?|易|常|容易|会)(?:并发|合并|继发|伴发|引起)(?!症)|用于)"
)
_AGAIN = re.compile(rf"^\s*【[^【】]{{0,4}}(?:{_KINDS})[^【】]{{0,4}}】\s*[:：]?")
"""The label repeated at the beginning of its value."""
_INNER = re.compile(r"^(?:常见|主要|典型|[早晚中后]期|[急慢]性期|临床|其他)*(?:症状|表现|并发症|合并症)(?:有|为|包括)?[:：]\s*(?=.)")
"""The beginning of a further part of a value, such as 晚期症状： in …；晚期症状：血尿."""
_TRAILING = re.compile(
    r"(?:(?<=[^等\n])|(?<=^等)|(?<=\n等))等++(?:症状?|病|疾病|检查|治疗|药物|食物|不良反应|反应|病症|情况|表现|措施|方法|并发症|检查项目|药品|食品|科室)?$"
)
_EXAMPLES = re.compile(r"(?:[，,、]\s*|(?<![\s，,、])\s+)?(?:例如|诸如|比如|(?<=[，,、])如)(?![意下果何])[^；;。\n]+")
_ITEM_NUMBER = re.compile(r"^\d{1,2}[.．)）](?!\d)\s*")
_ORGAN, _OF_ORGANS = re.compile("[肝胆胰脾肾肺心胃]"), re.compile("[肝胆胰脾肾肺心胃].*(?:CT|MR|B超|超声|检查|显像|扫描)")
_CIRCLED = re.compile("[①-⑳]")
_BOTH_RAYS = re.compile("^放化疗(?:治疗)?$")
_AND = re.compile(r"以及|或者?|[和及与]")
_DISEASE = re.compile(r"[\u4e00-\u9fff]{2}(?:炎|症|病|瘤|癌)$")
_MEANS = re.compile(r"[\u4e00-\u9fff]{2}(?:治疗|疗法|检查|试验|[^手]术)$")
_NEGATIVE = re.compile(r"^(?:否|无|不是|没有|不会)$|(?:[无不非未]|没有)[^，。；、]{0,4}传染|不会?传播|传染性?[:：]?(?:无|没有)$")
_DENIAL = re.compile(r"[无不非未没否]")
_POSITIVE = re.compile(r"^(?:是|有|会)$|传染|传播")
_HEDGED = re.compile(r"不确定|不一定|可能|部分|视|如为|尚不|未知")
_BRACKETED = re.compile(r"（[^（）]*）")
_CLAUSE_END = re.compile(r"[，。；！？]")


def is_prose(value: str) -> bool:
    """Return whether a value is prose, which yields passages but no facts: sentences, or clauses separated by commas."""
    text = normalize(without_link(value)).text
    return len(text) >= MIN_PROSE_CHARS and not are_ranges(text) and any(map(_is_clause, numbered_items(text)))


def _is_clause(part: str) -> bool:
    bare = _BRACKETED.sub("", part.strip("。；;，…. \n"))
    if len(bare) <= MAX_TAIL_CHARS or not _CLAUSE_END.search(bare):
        return False
    if re.search("[。！？]", bare):
        return True
    lengths = list(map(len, re.split("[，；、]", bare)))
    return max(lengths) > _MAX_TERM_CHARS and sum(lengths) > _MAX_MEAN_CHARS * len(lengths)


def tails(value: str, syntax: str, min_chars: int = 2, column: LabelColumn = NO_LABEL_COLUMN) -> list[TailCandidate]:
    """Return the tails of a raw value, parsed by its label's syntax; reject tails shorter than `min_chars`, such as 鼻 for an examination.

    `column` describes how the other values of the label use blanks and slashes.
    """
    candidates = map(without_marks, _tails(value, syntax, column))
    return [
        candidate._replace(reason="tail_not_atomic", detail="one character")
        if candidate.reason is None and len(candidate.text) < min_chars
        else candidate
        for candidate in candidates
    ]


def without_marks(candidate: TailCandidate) -> TailCandidate:
    """Reject a candidate with an ambiguous separator."""
    if UNSURE not in candidate.text:
        return candidate
    return TailCandidate(candidate.text.replace(UNSURE, " ").strip(), reason="separator_unsure", detail="one name or several")


def _tails(value: str, syntax: str, column: LabelColumn) -> list[TailCandidate]:
    text = without_link(without_label(value))
    cut = bool(_CUT.search(text))
    linked = not cut and len(text) < len(value.rstrip()) and bool(_GLUED.search(text))  # a link after a blank cuts nothing
    if syntax in _OF_LISTS:
        text = divide(text.rstrip(), column, levels=syntax == "department")
        cut = cut or text.endswith("……")
    text = _PREFIX.sub("", normalize(text).text).strip()
    whole = text.strip("。.、；; ")
    if not whole or (whole in word_lists()["empty"] and not (syntax == "word" and _NEGATIVE.search(whole))):  # 传染性：无 is a denial
        return [TailCandidate(whole, reason="value_empty", detail=value[:80])]
    if syntax == "range":
        return read_ranges(text)
    candidates = {"word": _infectivity, "department": _departments, "advice": _advice}.get(syntax, _list)(text, cut)
    if linked and len(candidates) > 1 and candidates[-1].reason is None and not _SURELY_WHOLE.search(candidates[-1].text):
        candidates[-1] = candidates[-1]._replace(reason="tail_not_atomic", detail="cut off by the source")
    return candidates


def without_label(value: str) -> str:
    """Return a value without its label, if the page repeats it: 【功能主治】清热."""
    return _AGAIN.sub("", value)


def _advice(text: str, cut: bool) -> list[TailCandidate]:
    """Return the items of a list of advice; what follows 如 are examples (豆制品 and the like), which are not advice."""
    examples = [
        TailCandidate(match[0].strip("，,、 ")[:MAX_TAIL_CHARS], reason="tail_not_atomic", detail="examples")
        for match in _EXAMPLES.finditer(text)
    ]
    bare = _EXAMPLES.sub("", text)
    return [*(_list(bare, cut) if bare.strip("。；;，, \n") or not examples else []), *examples]


def _infectivity(text: str, cut: bool) -> list[TailCandidate]:
    word = text.strip("。 ")
    denied, affirmed = _NEGATIVE.search(word), _POSITIVE.search(word) and not _DENIAL.search(word)  # 不通过空气传播 is neither yes nor no
    if _HEDGED.search(word) or not (denied or affirmed):
        return [TailCandidate(word, reason="tail_not_atomic", detail="neither yes nor no")]
    return [TailCandidate(INFECTIVITY, polarity=not denied)]


def _departments(text: str, cut: bool) -> list[TailCandidate]:
    candidates: list[TailCandidate] = []
    for candidate in _list(text, cut):
        levels = [level.strip() for level in re.split(r"[-－—>/·•・‧∙]+", candidate.text) if level.strip()]
        candidates += [check_tail(level) for level in reversed(levels)] if candidate.reason is None else [candidate]
    by_text: dict[str, TailCandidate] = {}
    for candidate in candidates:
        by_text.setdefault(candidate.text, candidate)
    return list(by_text.values())


def _list(text: str, cut: bool) -> list[TailCandidate]:
    items = [item for part in numbered_items(text) for item in _with_conjunctions(_with_site(split_items(part)))]
    items = [_ITEM_NUMBER.sub("", part) for item in items for part in _CIRCLED.split(item)]  # numbers that do not continue from 1
    items = _with_therapy([_INNER.sub("", _TRAILING.sub("", item).strip("。 ：:").lstrip(".·")) for item in items])
    items = [item for item in dict.fromkeys(items) if item]
    shared = {item for before, item in pairwise(items) if _ORGAN.fullmatch(before) and _OF_ORGANS.match(item)}
    candidates = [_whole(item, item in shared) for item in items]
    if cut and items:
        last = re.sub(r"(?<![….（(【\[《“\s])[….（(【\[《“\s]+$", "", items[-1])
        candidates[-1] = TailCandidate(last, reason="tail_not_atomic", detail="cut off by the source")
    return candidates or [TailCandidate("", reason="value_empty")]


def _whole(text: str, shared: bool = False) -> TailCandidate:
    """Return a tail; one that shares its noun with the items before it, as in 肝、胆、脾CT, is rejected."""
    candidate = check_tail(text)
    if shared and candidate.reason is None:
        return candidate._replace(reason="tail_not_atomic", detail="shares its noun with what stands before it")
    return (
        candidate._replace(reason="tail_not_atomic", detail="without its noun")
        if candidate.reason is None and _NO_NOUN.search(text)
        else candidate
    )


def _with_site(items: list[str]) -> list[str]:
    """Add the body site to all four signs in 局部红、肿、热、痛; without a site, 红、肿、热、痛 remain, which are too short for tails."""
    completed: list[str] = []
    site = ""
    for item in items:
        if _ONE_SIGN.fullmatch(item) and site:
            item = site + item
        else:
            site = item[:-1] if len(item) > MIN_SITE_CHARS and _ONE_SIGN.fullmatch(item[-1]) else ""
        completed.append(item)
    return completed


def _with_conjunctions(items: list[str]) -> list[str]:
    """Split 药物治疗和手术治疗, 脓毒症和菌血症: two halves are certain to be two things only if they have the same structure."""
    divide: list[str] = []
    for item in items:
        halves = _AND.split(item)
        divide += halves if len(halves) == 2 and any(map(all, _made_alike(halves))) else [item]
    return divide


def _made_alike(halves: list[str]) -> list[list[bool]]:
    return [[making.search(half) is not None for half in halves] for making in (_MEANS, _DISEASE)]


def _with_therapy(items: list[str]) -> list[str]:
    """Complete 药物、手术治疗 to 药物治疗、手术治疗, and 放化疗 to 放疗、化疗."""
    items = [part for item in items for part in (("放疗", "化疗") if _BOTH_RAYS.match(item) else (item,))]
    if not any(item.endswith(("治疗", "疗法")) for item in items):
        return items
    return [item + "治疗" if item in word_lists()["methods"] else item for item in items]


def tidy(text: str | None) -> str:
    """Return a name without blanks and punctuation at its ends."""
    return run_rules(text or "", RULES).text.strip("。：: \n")
