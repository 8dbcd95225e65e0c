"""Prose on causes and prevention -> the headings of its numbered items that surely name one thing; the rest is rejected."""

import itertools
import re
from collections.abc import Collection

from curation.clean.facts.tails import TailCandidate, split_items
from curation.text.normalize import normalize

RELATIONS = ("disease_cause", "disease_prevention")
_NUMBERED = re.compile(
    r"^\s*(?:[（(]\s*(?:\d{1,2}|[一二三四五六七八九十])\s*[）)]|\d{1,2}\s*[、.．)）](?!\d)|[一二三四五六七八九十]、|[①-⑳⑴-⒇])\s*(?P<item>.+)$"
)
_NUMBER = re.compile(r"^(?:\d{1,2}[、.．)）]|[（(]\d{1,2}[）)])\s*")
_MECHANISM = re.compile(r"^\s*\S{0,4}(?:发病机[制理]|病理|分[类型期]|临床表现|机制|传播途径|易感人群)")
_HEADING = re.compile(r"^(?P<term>[^，,。；;：:、\s（()）]{2,14})(?=[：:]|[。；;]?$|\s|——)")
_CLAUSE = re.compile(r"^(?P<term>[^，,。；;：:、\s（()）]{4,14})(?=[。；;：:]|$)|^(?P<clause>[^，,。；;：:、\s（()）]{4,8})(?=[，,\s])")
_SHORT = re.compile(r"(?!.*(?:预防|适宜)$)(?!.*及(?!时))(?!.*(?<!不)与)(?!.*(?<![A-Z0-9])[0-9])[^，,。；;：:、\s（()）和或等其此%]{2,14}")
"""EV71 is a name; 每日3次 is a clause. 不与患者同床 is one piece of advice."""
_TITLE = re.compile("^\\s*(?:预防|防治)(?:措施|方法|建议)?(?:[:：]\\s*|\\s*$)")
_NO_CAUSES_FOLLOW = re.compile("(?:分类|分型)(?:如下|为)|病理分类|环节(?:有关|如下|包括)")
"""After it come kinds of the head, or steps of a mechanism, not causes."""
_OF_A_MECHANISM = re.compile("(?:作用|机[制理]|效应)$")
_ONCE_ILL = re.compile("一旦(?:患|得|发)[了病上生]")
_CARE = re.compile("待症状|配合治疗|病情反复")
"""Advice to patients who already have the disease."""
_MANNERS = (
    (re.compile(r"\d+"), "1"),
    (re.compile("[一二三四五六七八九十]+"), "一"),
    (re.compile("[①-⑳]"), "①"),
    (re.compile("[⑴-⒇]"), "⑴"),
    (re.compile(r"[、.．\s]+"), ""),
)
"""Unify numbering of one style: ③ becomes ①."""
_CAUSE = re.compile(
    "(?:因素|感染|中毒|缺氧|缺血|缺乏|损伤|创伤|外伤|烧伤|遗传|吸烟|饮酒|酗酒|污染|过敏|刺激|肥胖|紊乱|失调|障碍|异常|疾患|疾病|[^发]病|症|炎|肿瘤|结石|血栓|硬化|阻塞|梗阻|狭窄|扭转|套叠|粘连|疝|妊娠|压力|"
    "劳累|过劳|受凉|受寒|过度|不足|反应|缺陷|畸形|突变|衰老|高龄|手术|放射|辐射|寄生虫|高血压|贫血|休克|不当|食物|药物|激动|紧张|受限|受压|增高|减少|过多|过高|过低|异物|穿孔|出血|吸入|误吸)$"
)
_ADVICE = re.compile(
    "^(?:避免|注意|接种|加强|增强|控制|戒|少[吃食喝]|多[吃食喝饮]|保持|预防|防止|防治|积极|适当|适度|合理|定期|改善|补充|锻炼|远离|减少|限制|坚持|做好|养成|规律|勤|及时|早期|消灭|切断|隔离|慎用|严格|提高|普及|开展|推广|进行|提倡)"
)
_UNFIT = re.compile(
    "[和与及或等其此该本]|患者|病人|引起|导致|如|例|原发性|继发性|性?[病症]因|主要|一般|可能|上述|有关|治疗(?!原发病)|诊断|检查|发现|手术|[0-9]|%|的发生$|本身$|作用$|[为是时前]$|[为是]|^(?:畸形|异物|食物|药物|疾病|中毒|生理紊乱)$|诱发|某些|对象|方法|时间|期限|方案|要点|事项|就业|所致|含.$|早期处理|高危|规章|过多$|程度$|指标|防治工作|寒沮|注意力|致.{2}|管理$|宣[传教]|[一二三]级|预防用药|缺氧$(?<=改善缺氧)|^注意(?:饮食|气候变化|周围.*|卫生保健|禁食)$|制度$"
)


def section_tails(relation: str, head: str, text: str) -> list[TailCandidate]:
    """Return a candidate for each numbered item of a section: a tail, or a rejected text."""
    candidates: dict[str, TailCandidate] = {}
    lines = _lines(text)
    items = [match["item"].strip("。；; ") for line in lines if (match := _NUMBERED.match(line))]
    for_patients = relation == "disease_prevention" and any(_ONCE_ILL.search(line) or _CARE.search(line) for line in lines)
    short = relation == "disease_prevention" and not for_patients and all(map(_SHORT.fullmatch, items))
    if short and (advice := items or _short_advice(lines)):
        return [TailCandidate(item) for item in dict.fromkeys(advice)]  # only a list of short advice
    above: list[tuple[str, str]] = []
    ill = False
    for at, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if _MECHANISM.search(line) or (match and _MECHANISM.search(match["item"])):
            break  # the rest is not a list of causes
        if relation == "disease_cause" and not match and _NO_CAUSES_FOLLOW.search(line):
            break
        ill = ill or _ONCE_ILL.search(line) is not None
        if not match:
            continue
        item = match["item"].strip()
        parent = _enter(above, line[: match.start("item")], item)
        candidate = _candidate(relation, head, item)
        if relation == "disease_cause":
            if _OF_A_MECHANISM.search(parent):
                candidate = TailCandidate(candidate.text, reason="prose_unsure", detail=f"of a mechanism: {parent[:40]}")
            elif (
                parent in candidates
                and candidates[parent].reason is None
                and candidate.text != parent
                and candidate.text.startswith(parent)
            ):
                candidates[parent] = TailCandidate(parent, reason="prose_unsure", detail=f"said in full below: {candidate.text}")
        elif ill or _CARE.search(item) or _CARE.search(_explained(lines[at + 1 :])):
            candidate = TailCandidate(candidate.text, reason="prose_unsure", detail="told to those who have it")
        candidates.setdefault(candidate.text, candidate)
    return list(candidates.values())


def _enter(above: list[tuple[str, str]], number: str, item: str) -> str:
    """Add a numbered item below the open items with other numbering; return the heading above it, or ""."""
    style = number
    for pattern, sign in _MANNERS:
        style = pattern.sub(sign, style)
    styles = [known for known, _ in above]
    if style in styles:
        del above[styles.index(style) :]
    parent = above[-1][1] if above else ""
    above.append((style, re.split(r"[：:。，,；;\s]", item, maxsplit=1)[0]))
    return parent


def _explained(lines: list[str]) -> str:
    """Return the text below an item, up to the next one."""
    return "".join(itertools.takewhile(lambda line: not _NUMBERED.match(line), lines))


def says_no_more(text: str, tails: Collection[str]) -> bool:
    """Return whether a section contains only these tails, as on pages that repeat their box."""
    items = [item for line in _lines(text) for item in split_items(line)]
    return bool(items) and all(_NUMBER.sub("", item) in tails for item in items)


def _lines(text: str) -> list[str]:
    return [_TITLE.sub("", line) for line in normalize(text).text.split("\n")]


def _short_advice(lines: list[str]) -> list[str]:
    """Return the items of 合理膳食，控制体重，戒酒。 if each begins like advice."""
    items = [item for line in lines for item in split_items(line) if item.strip()]
    return items if all(_SHORT.fullmatch(item) and _ADVICE.match(item) and not _UNFIT.search(item) for item in items) else []


def _candidate(relation: str, head: str, item: str) -> TailCandidate:
    sure, heading = (_CAUSE, _HEADING) if relation == "disease_cause" else (_ADVICE, _CLAUSE)
    match = heading.match(item)
    if not match or not sure.search(term := match[0]):
        return TailCandidate(item[:40], reason="prose_unsure", detail="no short heading that surely names one thing")
    if unfit := _UNFIT.search(term):
        return TailCandidate(term, reason="prose_unsure", detail=f"the heading says {unfit[0]}")
    if head in term or (relation == "disease_cause" and (term.endswith(head[-2:]) or term.startswith(head[:3]))):
        return TailCandidate(term, reason="prose_unsure", detail="a kind of the head")
    return TailCandidate(term)
