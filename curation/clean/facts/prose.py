"""Prose in entries -> tails that are certain, passages short enough to read at a glance, and the rest with a reason.

Tails come from the uses, adverse reactions and effects in medicine monographs, and from numbered headings in texts on causes and
prevention.
"""

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache

from atomexam.records.claim import Passage, passage_id
from atomexam.records.item import EntityItem
from atomexam.text.canonical import canonical
from atomexam.text.normalize import RULES, Rule, normalize, run_rules
from curation.clean.facts.separators import NO_LABEL_COLUMN, LabelColumn, divide, without_link
from curation.clean.facts.tails import TailCandidate, split_items, tails, without_label, without_marks
from curation.vocab.reader import compiled, read_vocabulary

SYNTAXES = ("indications", "adverse", "effects", "findings")
_SENTENCE = re.compile(r"[。；;\n]|(?<![\d.A-Za-z])\d{1,2}[.．、)）](?!\d)|[（(]\d{1,2}[）)]|[①-⑳]")
_BRACKETS = re.compile(r"[（(\[][^（()）\[\]]*[）)\]]")
_CLAUSE = re.compile(r"[，,：:]")
_ITEM = re.compile(r"[、，,：:]|(?:例如|诸如|包括|如(?!厕))")
_EFFECTS = re.compile("[、，,与及]|和(?![中胃血解营脾])")
_DENIED = re.compile("[无不未非忌禁]")
_AND = re.compile(r"以及|[和及与或]")
_BOTH = re.compile(r"急(?:性)?(?:[、，及和与或/]|)慢性([^、，。；和及与或]+)")
_PLAIN = re.compile(
    "[，,：:及与或等同较]|和(?![中胃血解营脾])|用于|适用|本[品药方]|无|未|参[见阅照]|相似|尚|不明|例|西医|各种|临床|主要|患者$|者$|出现|引起(?!的)|可|偶|少[数见]|[常罕]见|不良|剂量|停[药用]|慎用|禁[用忌]|忌[用食服]|遇|如(?!厕)"
)
_OF_CLAUSES = re.compile("[的于]")
"""呕吐的发生率低于安慰剂组 is not a term."""
_CAUSED = re.compile("(?:引起|所?致|导致|造成|诱发)的")
"""A cause before a list that may apply to the whole list: 感冒引起的头痛、鼻塞."""
_STATED = re.compile(
    "^(?:治疗|预防|防治|缓解|控制|降低|改善|消除|减轻|抑制|纠正|补充|联合|根除|增强|促进|辅助|替代|清除)|(?:治疗|准备|退热)$"
)
_CUT = re.compile(r"(?:…|\.{3})\s*+(?:[\[【（(]\s*+(?:详细|更多|全文|查看全部)\s*+[\]】）)])?\s*+$")
_PREPARATION = re.compile(
    "([\u4e00-\u9fffA-Za-z]{2,12}?(?:注射[液剂]|片剂?|胶囊|颗粒|口服液|丸|栓剂?|糖浆))的?(?:(?:主要|常见|严重|临床)的?)?(?:不良反应|毒?副作用|毒副反应)"
)
_FATE = re.compile("L/kg|蛋白结合率|分布容积|半衰期|肾脏?排[出泄]|清除率")
_ITSELF = re.compile("^(?:本|该|此|其)")
_MAX_CHARS, _MAX_EXCERPT_CHARS, _MAX_EFFECT_CHARS = 14, 40, 8
_MIN_SEVERAL_CHARS, _PHRASE_CHARS = 6, 2
_TWO_ORGANS = re.compile("肝[、和及与]?肾(功能(?:障碍|损害|损伤|不全|异常|衰竭)|损[害伤]|毒性)")


_BEFORE_DISEASES = re.compile(
    r"^[\s\u3000]*(?:[大小高低]于正常值|增高|升高|偏高|降低|减[少低]|偏低|阳性)?[，,]?(?:少见[，,]?)?(?:也|亦)?(?:可能|可|常|多|主要)?(?:见于|提示|考虑)?[:：]?"
)
_NO_FINDING = re.compile(
    r"呕吐|腹泻|便秘|[发高]热|失水|脱水|多汗|药|疗|风险|正常|生理|运动|饮食|情绪|状态|居[民住]|输[血液]|补液|服用|摄入|进食|一般|意义|少见|可能|某些|\d|时$|后$|及$|及等$"
)
"""In a list of diseases that share a finding: hedges, and items that are not diseases."""
_HEADING = re.compile("[：:]\\s*$")
_CAUTION = re.compile("慎|禁|忌|注意|过量|超量|剂量|中毒|动物|不宜|避免|长期|孕|合用|联[用合]")
_WRAPPED = re.compile(r"(?<=[\u4e00-\u9fff、，])[ \t\r\u3000]{0,8}\n\s{0,8}(?=[者慎禁忌的所患病时后等之及和与或而、，])")
"""A line break within a sentence: 肾气虚弱 / 者慎用."""
_TREATMENT = re.compile("(?:的|之)?(?:对症|辅助|姑息|长期|维持|综合)?(?:治疗|预防|防治|缓解|控制|患者|病人|症状)+$")
_AND_SO_ON = re.compile("等.*$")
_NOUN_OF_ALL = re.compile(
    "(?:(?<![重性型度期种般泛固烈纯治])(?:等(?:病|症|疾病)?[的之]|[的之])(?P<noun>[\u4e00-\u9fff]{2,8})"
    "|等(?:病|症|疾病)?(?P<sign>出血|[\u4e00-\u9fff]{0,2}痛|高?发?热|水肿|咳嗽|瘙痒|腹水|咯血|便血|呕吐|恶心|腹泻|便秘|失眠|痉挛|休克|贫血|缺乏|损伤|创面|咳痰|气?喘))$"
)
"""The end of a list that may apply to all its items: the 出血 may also belong to 肺结核."""


@cache
def _pattern(kind: str, name: str) -> re.Pattern[str]:
    return compiled(read_vocabulary("medicines")[kind][name])


@cache
def _effect() -> re.Pattern[str]:
    table = read_vocabulary("medicines")["effect"]
    fixed = "".join(table["fixed"].split())
    return re.compile(f"(?:[{table['verbs']}]{{1,2}}[{table['things']}]{{1,2}}|{fixed}){{1,4}}")


def monograph_tails(text: str, syntax: str, kind: str, column: LabelColumn = NO_LABEL_COLUMN, name: str = "") -> list[TailCandidate]:
    """Return the certain tails in a monograph's text, and everything else as rejected candidates; `name` is the entry's name."""
    if kind == "chinese" and syntax == "adverse" and (other := _other_preparation(text, name)):
        return [_unsure(text.strip(), f"of another preparation: {other}")]  # an injection made from a herb is not the herb
    if kind == "chinese" and syntax == "indications":
        syntax = "effects"  # an indication is not an effect: 具有…的功效 needs a verb and its object
    text = without_label(normalize(divide(without_link(_WRAPPED.sub("", without_label(text))), column, prose=True)).text)
    if syntax == "adverse":
        text = _TWO_ORGANS.sub(r"肝\1、肾\1", text)
    candidates = list(map(without_marks, _candidates_of(text, syntax)))
    return [part for candidate in candidates for part in _each_effect(candidate)] if syntax == "effects" else candidates


def _other_preparation(text: str, name: str) -> str | None:
    """Return the preparation that a text is about, if it is not the entry's own."""
    if not name or not (match := _PREPARATION.search(text)):
        return None
    return None if _ITSELF.match(match[1]) or match[1].endswith(name) else match[1]


def _each_effect(candidate: TailCandidate) -> list[TailCandidate]:
    """Split 润燥止咳化痰 and 清热解毒活血化瘀 into verb-object phrases; reject words of the same length but another structure."""
    text = candidate.text
    if candidate.reason is not None or len(text) < _MIN_SEVERAL_CHARS or _pattern("effect", "fixed").fullmatch(text):
        return [candidate]
    size = 2 * _PHRASE_CHARS if len(text) == 4 * _PHRASE_CHARS else _PHRASE_CHARS
    phrases = [text[at : at + size] for at in range(0, len(text), size)]
    if len(text) % size == 0 and all(map(_is_effect, phrases)):
        return [candidate._replace(text=phrase) for phrase in phrases]
    return [candidate._replace(reason="tail_not_atomic", detail="more than one effect")]


def _candidates_of(text: str, syntax: str) -> list[TailCandidate]:
    if (plain := _plain(text, syntax)) is not None:
        return plain
    by_text: dict[str, TailCandidate] = {}
    sentences = [sentence.strip() for sentence in _SENTENCE.split(text) if sentence.strip()]
    if sentences and _CUT.search(text):
        last = _unsure(sentences.pop(), "cut off by the source")
        by_text[last.text] = last
    mixed = next((at for at, sentence in enumerate(sentences) if syntax == "indications" and _FATE.search(sentence)), len(sentences))
    for sentence in sentences[mixed:]:  # the columns of the page were merged
        by_text[sentence] = _unsure(sentence, "among what becomes of the medicine in the body")
    for sentence in _under_headings(sentences[:mixed]):
        for candidate in _READERS[syntax](_BOTH.sub(r"急性\1、慢性\1", _BRACKETS.sub("", sentence))):
            if candidate.text and (candidate.reason is None or candidate.text not in by_text):
                by_text[candidate.text] = candidate
    return list(by_text.values()) or [TailCandidate("", reason="value_empty", detail=text[:80])]


def _under_headings(sentences: Iterable[str]) -> Iterator[str]:
    """Yield sentences; each item under a cautionary heading, as in 慎用：(1)肾气虚弱, is prefixed with the heading."""
    heading = ""
    for sentence in sentences:
        if _HEADING.search(sentence):
            heading = sentence if _CAUTION.search(sentence) else ""
            yield sentence
        else:
            yield f"{heading}{sentence}"


def _plain(text: str, syntax: str) -> list[TailCandidate] | None:
    """Return the tails of a value that is only a list of terms; None if it is prose."""
    bare = text.strip("。 ")
    if _PLAIN.search(bare) or (syntax != "effects" and "和" in bare):
        return None
    candidates = tails(text, "list")
    if any(_CAUSED.search(candidate.text) for candidate in candidates[:-1]):
        return None
    fits: Callable[[str], object] = {
        "indications": lambda term: _STATED.search(term) or _fault(term, "indication") is None,
        "adverse": lambda term: len(term) <= _MAX_CHARS and not _OF_CLAUSES.search(term) and not _pattern("adverse", "vague").search(term),
        "effects": _is_effect,
        "findings": lambda term: not _NO_FINDING.search(term) and _fault(term, "indication") is None,
    }[syntax]
    short = syntax != "effects" or all(len(candidate.text) <= _MAX_EFFECT_CHARS for candidate in candidates)
    if not short or not all(candidate.reason is None and fits(candidate.text) for candidate in candidates):
        return None
    return list(_with_sites(candidates)) if syntax == "adverse" else candidates


def _indications(sentence: str) -> Iterator[TailCandidate]:
    if doubt := _pattern("indication", "doubtful").search(sentence):
        yield _unsure(sentence, f"the sentence says {doubt[0]}")
        return
    sentence = _pattern("indication", "therapy_too").sub("治疗", sentence)
    if sentence.endswith("预防"):
        yield _unsure(sentence, "what is prevented is not clear")
        return
    verb = ""
    items = _ITEM.split(sentence)
    lost = _without_their_noun(items)
    for at, item in enumerate(items):
        if at in lost:
            yield _unsure(item, f"perhaps of all before it: {lost[at]}")
            continue
        bare = _pattern("indication", "opening").sub("", item.strip())
        if bare != item.strip():
            verb = ""  # starts a new 用于
        if match := _pattern("indication", "prevention").match(bare):
            verb, bare = match[0], bare[match.end() :]
        yield from (candidate._replace(text=verb + candidate.text) for candidate in _terms(bare, "indication"))


def _without_their_noun(items: Sequence[str]) -> dict[int, str]:
    """Return the items of a list such as 肺结核、胃溃疡等的出血 that may lack the final noun, by index, with that noun."""
    nouns: dict[int, str] = {}
    for at, item in enumerate(items):
        if not (match := _NOUN_OF_ALL.search(_TREATMENT.sub("", item))):
            continue
        noun = match["noun"] or match["sign"]
        for before in range(at, -1, -1):
            if not _AND_SO_ON.sub("", items[before]).endswith(noun[-1]) or (before == at and match["noun"]):
                nouns[before] = noun
            if _pattern("indication", "opening").match(items[before].strip()):
                break
    return nouns


def _with_sites(candidates: Iterable[TailCandidate]) -> Iterator[TailCandidate]:
    """Yield the reactions in a list; a symptom without a site after one with a site, 关节肿胀及疼痛, is unsure: it may share the site."""
    has_site = local = False
    for candidate in candidates:
        bare = _pattern("adverse", "bare").fullmatch(candidate.text) or (
            local and _pattern("adverse", "bare_of_local").fullmatch(candidate.text)
        )
        if candidate.reason is None and has_site and bare:
            yield _unsure(candidate.text, "perhaps of the place before it")
            continue
        yield candidate
        is_local = _pattern("adverse", "local").search(candidate.text) is not None
        local = is_local or (local and bool(bare))
        has_site = is_local or _pattern("adverse", "place").search(candidate.text) is not None or (has_site and bool(bare))


def _adverse(sentence: str) -> Iterator[TailCandidate]:
    yield from _with_sites(_reactions(sentence))


def _reactions(sentence: str) -> Iterator[TailCandidate]:
    if doubt := _pattern("adverse", "doubtful").search(sentence):
        yield _unsure(sentence, f"the sentence says {doubt[0]}")
        return
    sentence = _pattern("adverse", "shared").sub(r"\1\3、\2\3", sentence)
    for clause in _CLAUSE.split(sentence):
        if aside := _pattern("adverse", "aside").search(clause):
            yield _unsure(clause, f"the clause says {aside[0]}")
            continue
        for item in _ITEM.split(clause):
            yield from _terms(_pattern("adverse", "opening").sub("", item.strip()), "adverse")


def _findings(sentence: str) -> Iterator[TailCandidate]:
    """Yield the diseases for which a finding is stated; medicines, treatments and risks are not diseases."""
    for item in _ITEM.split(_BEFORE_DISEASES.sub("", sentence)):
        if aside := _NO_FINDING.search(item) or _pattern("indication", "doubtful").search(item):
            yield _unsure(item, f"says {aside[0]}")
        else:
            yield from _terms(_pattern("indication", "opening").sub("", item.strip()), "indication")


def _effects(sentence: str) -> Iterator[TailCandidate]:
    """Yield the effects in a statement, judging each part separately; a denial in the statement may apply to any part."""
    statement, *uses = re.split("用于|主治|适用|适于", sentence, maxsplit=1)
    frame = _pattern("effect", "frame").search(statement)
    items = _items_of_effects(statement)
    if frame and not all(map(_is_effect, items)):
        items = _items_of_effects(frame[1]) if all(map(_is_effect, _items_of_effects(frame[1]))) else items
    effects = [item for item in items if _is_effect(item)]
    if (len(effects) < len(items) and _DENIED.search(statement)) or 2 * len(effects) < len(items):
        effects = []
    yield from map(TailCandidate, effects)
    for item in items if effects else ():
        if not _is_effect(item):
            yield TailCandidate(item[:_MAX_EXCERPT_CHARS], reason="wrong_kind", detail="no verb with its object")
    if uses or not effects:
        yield TailCandidate(sentence[:_MAX_EXCERPT_CHARS], reason="wrong_kind", detail="an indication, no effect of Chinese medicine")


def _items_of_effects(text: str) -> list[str]:
    bare = _pattern("effect", "closing").sub("", _pattern("effect", "opening").sub("", text.strip("，、 ")))
    return [item.strip() for item in _EFFECTS.split(bare) if item.strip()]


def _is_effect(term: str) -> bool:
    return 2 <= len(term) <= _MAX_EFFECT_CHARS and bool(_effect().fullmatch(term)) and not _pattern("effect", "never").search(term)


def _terms(text: str, kind: str) -> Iterator[TailCandidate]:
    """Yield the terms in an item: the item itself, or both halves of 甲和乙 if each is a term."""
    text = _pattern(kind, "closing").sub("", text).strip()
    halves = [_pattern(kind, "closing").sub("", _pattern(kind, "opening").sub("", half)) for half in _AND.split(text)]
    if len(halves) > 1 and not any(_fault(half, kind) for half in halves):
        yield from map(TailCandidate, halves)
    elif fault := _fault(text, kind):
        yield _unsure(text, fault)
    else:
        yield TailCandidate(text)


def _fault(term: str, kind: str) -> str | None:
    """Return the reason why a term is not certain to be of its kind."""
    if not 2 <= len(term) <= _MAX_CHARS:
        return "no short term"
    if inner := _pattern(kind, "within").search(term):
        return f"the term says {inner[0]}"
    if _pattern(kind, "vague").search(term):
        return "vague"
    return None if _pattern(kind, "ends").search(term) else f"no ending of an {kind}"


def _unsure(text: str, why: str) -> TailCandidate:
    return TailCandidate(text[:_MAX_EXCERPT_CHARS], reason="prose_unsure", detail=why)


_READERS: dict[str, Callable[[str], Iterable[TailCandidate]]] = {
    "indications": _indications,
    "adverse": _adverse,
    "effects": _effects,
    "findings": _findings,
}


RELATIONS_OF_SECTIONS = ("disease_cause", "disease_prevention")
_NUMBERED = re.compile(
    r"^\s*(?:[（(]\s*(?:\d{1,2}|[一二三四五六七八九十])\s*[）)]|\d{1,2}\s*[、.．)）](?!\d)|[一二三四五六七八九十]、|[①-⑳⑴-⒇])\s*(?P<item>.+)$"
)
_NUMBER = re.compile(r"^(?:\d{1,2}[、.．)）]|[（(]\d{1,2}[）)])\s*")
_MECHANISM = re.compile(r"^\s*\S{0,4}(?:发病机[制理]|病理|分[类型期]|临床表现|机制|传播途径|易感人群)")
_TERM_AT_START = re.compile(r"^(?P<term>[^，,。；;：:、\s（()）]{2,14})(?=[：:]|[。；;]?$|\s|——)")
_ADVISED = re.compile(r"^(?P<term>[^，,。；;：:、\s（()）]{4,14})(?=[。；;：:]|$)|^(?P<clause>[^，,。；;：:、\s（()）]{4,8})(?=[，,\s])")
_SHORT = re.compile(r"(?!.*(?:预防|适宜)$)(?!.*及(?!时))(?!.*(?<!不)与)(?!.*(?<![A-Z0-9])[0-9])[^，,。；;：:、\s（()）和或等其此%]{2,14}")
"""EV71 is a name; 每日3次 is a clause. 不与患者同床 is one piece of advice."""
_TITLE = re.compile("^\\s*(?:预防|防治)(?:措施|方法|建议)?(?:[:：]\\s*|\\s*$)")
_NO_CAUSES_FOLLOW = re.compile("(?:分类|分型)(?:如下|为)|病理分类|环节(?:有关|如下|包括)")
"""Text that is followed by kinds of the head or steps of a mechanism, not by causes."""
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
"""Pattern for numbers of one style -> the style's first number: ③ becomes ①."""
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
    """Add a numbered item below the open items that use other numbering styles; return the heading above it, or ""."""
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
    """Return whether a section contains only these tails, as it does on pages that repeat their summary box."""
    items = [item for line in _lines(text) for item in split_items(line)]
    return bool(items) and all(_NUMBER.sub("", item) in tails for item in items)


def _lines(text: str) -> list[str]:
    return [_TITLE.sub("", line) for line in normalize(text).text.split("\n")]


def _short_advice(lines: list[str]) -> list[str]:
    """Return the items of a text such as 合理膳食，控制体重，戒酒。 if each of them begins like advice."""
    items = [item for line in lines for item in split_items(line) if item.strip()]
    return items if all(_SHORT.fullmatch(item) and _ADVICE.match(item) and not _UNFIT.search(item) for item in items) else []


def _candidate(relation: str, head: str, item: str) -> TailCandidate:
    sure, heading = (_CAUSE, _TERM_AT_START) if relation == "disease_cause" else (_ADVICE, _ADVISED)
    match = heading.match(item)
    if not match or not sure.search(term := match[0]):
        return TailCandidate(item[:40], reason="prose_unsure", detail="no short heading that surely names one thing")
    if unfit := _UNFIT.search(term):
        return TailCandidate(term, reason="prose_unsure", detail=f"the heading says {unfit[0]}")
    if head in term or (relation == "disease_cause" and (term.endswith(head[-2:]) or term.startswith(head[:3]))):
        return TailCandidate(term, reason="prose_unsure", detail="a kind of the head")
    return TailCandidate(term)


MIN_CHARS, MAX_CHARS = 40, 400
_LINK = re.compile(r"[\[【（(]\s*(?:详细|更多|展开|全文|查看全部)\s*[\]】）)]\s*$", re.M)
_CUT_SENTENCE = re.compile(r"(?<![^。！？\n])[^。！？\n]*(?:…|\.{3})\s*$")
_BOILERPLATE = re.compile(
    r"(?:小荷医典)?内容仅供医学科普使用[^\n]{0,200}?(?:请遵医嘱|请及时就医)[^\n。]*。?|【(?:提示|声明|温馨提示|免责声明)】[^\n]*|(?<![^\n。])[^\n。]*(?:本文|以上内容)仅供参考[^\n。]*。?"
)
_WHOLE_SENTENCE = re.compile(r"[^。！？；\n]*[。！？；]?[”）]?")
_RULES = (
    *RULES,
    Rule("boilerplate", lambda text: _BOILERPLATE.sub("", text), re.compile("仅供|【(?:提示|声明|温馨|免责)").search),
)


def passages_in(item: EntityItem, prose: Iterable[tuple[str, str]]) -> list[Passage]:
    """Return the prose passages from an entry's sections and values."""
    texts = [(section.title, section.text) for section in item.sections] + list(prose)
    by_id: dict[str, Passage] = {}
    for title, raw in texts:
        for text in split_passages(raw):
            passage = Passage(
                id=passage_id(item.provenance.url, text),
                text=text,
                source=item.provenance.source,
                url=item.provenance.url,
                section=run_rules(title, RULES).text.strip("【】：: ") or None,
            )
            by_id.setdefault(passage.id, passage)
    return list(by_id.values())


def split_passages(raw: str) -> list[str]:
    """Split a section's prose into passages of 40 to 400 characters: join short paragraphs and split long ones between sentences."""
    cut = bool(_LINK.search(raw)) or raw.rstrip().endswith(("…", "..."))
    text = run_rules(_LINK.sub("", raw), _RULES).text
    if cut and re.search(r"(?:…|\.{3})\s*$", text):
        text = _CUT_SENTENCE.sub("", text)  # an incomplete sentence is no evidence
    runs: list[str] = []
    for chunk in (chunk for paragraph in text.split("\n") for chunk in _chunks(paragraph.strip())):
        short = runs and min(len(runs[-1]), len(chunk)) < MIN_CHARS
        if short and len(runs[-1]) + len(chunk) <= MAX_CHARS:
            runs[-1] += chunk
        else:
            runs.append(chunk)
    return [run for run in runs if len(run) >= MIN_CHARS and canonical(run)]


def _chunks(paragraph: str) -> list[str]:
    """Split a paragraph into groups of complete sentences, each as long as possible."""
    chunks: list[str] = []
    for sentence in _sentences(paragraph):
        if chunks and len(chunks[-1]) + len(sentence) <= MAX_CHARS:
            chunks[-1] += sentence
        else:
            chunks.append(sentence)
    return chunks


def _sentences(paragraph: str) -> list[str]:
    parts = []
    for sentence in filter(None, _WHOLE_SENTENCE.findall(paragraph)):
        parts += [sentence[at : at + MAX_CHARS] for at in range(0, len(sentence), MAX_CHARS)]
    return parts
