"""A value with reference ranges -> a candidate for each, with the people it applies to; anything ambiguous with a reason."""

import re

from curation.clean.facts.tail_candidates import MAX_TAIL_CHARS, MEASURE, TailCandidate, check_tail

_PEOPLE = (
    r"(?:成年|成人|儿童|新生儿|婴儿|婴幼儿|小儿|老年|青年|孕妇|妊娠|绝经|男|女|空腹|餐后|卧位|立位|青少年|早期|晚期|静脉|动脉|血清|血浆)"
)
_TIMED = r"(?:空腹|餐后|饭后|服糖后|服药后|运动后|用药后)\s*+\d+(?:\.\d+)?\s*+(?:小时|分钟?|min|h)"
"""A state with a number of its own, 餐后2小时."""
_WHO = re.compile(rf"^[（(]?((?:{_TIMED}|{_PEOPLE})[^0-9<>≤≥～~（）()：:]{{0,10}}?)[）)]?\s*+[:：]?\s*+(?=[0-9(<>≤≥＜＞（阴阳])")
_WHO_AFTER = re.compile(r"(?:(?<!\s)\s+)?[（(]([^（）()0-9]{1,10})[）)]$")
_BARE = re.compile(r"[\d.~～<>≤≥＜＞–—-]+")
_UNIT = re.compile(r"(?<=\d)\s*(?:×10\^?[\d⁰-⁹¹²³]+/)?(?:[%‰]|[a-zA-Zμ]+/[a-zA-Zμ²³\d.]+|mmHg|kPa|秒|分钟?|小时|mm|cm|fl|pg)$")
_FINDING = re.compile(r"(?:弱|可疑)?[阴阳]性(?:[（(][-+±－＋]+[）)])?|[（(][-+±－＋]+[）)]|未检出|不得检出")
"""A range without numbers: a urine test's 阴性."""

_SUBJECTS = "成年|成人|儿童|新生儿|男|女|孕妇|婴"
_BETWEEN = re.compile(
    rf"[；;\n]|[，,、](?=\s*(?:{_SUBJECTS}|空腹|[餐饭]后))"
    rf"|(?<=[\da-zA-Z%‰²³℃])\s*+(?=(?:{_SUBJECTS}))|(?<=[^\d\s])\s*[，,、]\s*(?=\d)"
)
"""Between two ranges: a separator, or only new people after a unit; 1,000 is one number."""
_SEVERAL = re.compile(rf"{_PEOPLE}|/[a-zA-Z]+ +\d|\d\s*(?:小时|分钟?|min|h)\s*[:：<>≤≥＜＞]|[:：](?!\d)|(?<!\d)[:：]")
"""Signs of several ranges: people inside a range, a second number after a unit, or a time or a colon after something else: 2小时：<7.8."""


_SAME_IN_OTHER_UNITS = re.compile(
    r"(?:(?<!\s)\s+)?(?:[（(](?:即|合|或)?\s*|[，,]?[或即合])\d[\d.~～–—-]*\s*[a-zA-Zμ%‰][^）)；;，,]{0,200}[）)]?$"
)
"""3.9～6.1mmol/L（70～110mg/dl） is one range, kept in its first unit."""


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
