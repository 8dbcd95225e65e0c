"""Stems that speak of a patient, a case, a talk, a prescription or an earlier question that nothing before them tells."""

import re

_MIN_CASE_CHARS, _MIN_TOLD_CHARS = 60, 45  # a longer stem, or one with figures or words of the client, tells its own case
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
_LONGEST_BEFORE = 60  # characters before 该患者 that may tell nothing of a patient; in more there is a history
_FINDINGS = r"(?:辨证|辨析|诊断|病史|其?用药史|四诊)(?:分析)?(?:结果|结论|资料)?(?:[和与及、][^，。]{1,8})?"
_NO_SUBSTANCE = "(?![状类硝基肝氨酸酰苯醇烷型级])"
"""Behind 甲, 乙 and so on: no 甲状腺, 甲硝唑 or 乙醇."""
_HANDED_DOWN = re.compile(
    rf"^(?:四诊合参，|[根依]据(?:上述|以上|本次|该)?{_FINDINGS}，|结合(?:题目|题干|病史|病例)[^，。]{{0,8}}，"
    r"|[根依]据(?:上述|以上)(?:背景)?(?:材料|资料|信息|描述|病例|症状|检查结果))"
    r"|^(?:对此，|针对(?:上述|以上|此)(?:情形|情况|行为)，|此时[，应首最宜]|上方[加减去中]|因患者|医师嘱其|所选(?:成?药|方剂)|本品最)"
    r"|^(?:关于|对于?|针对|根据)?(?:上述|以上所?(?:述|开具?的?)?)(?:药品|药物|行为|情形|处方|方剂|企业|做法|症状|病情|病案)"
    r"|^[^，。：；]{0,12}上述(?:处方|方剂|药方|病例|案例|汤剂|患者)"
    r"|^(?:关于|对于?|针对|有关|作为)?[该此](?:处方|方剂|病案|医师|药师|药店|企业|制剂|(?:化学|生物)?药品)"
    rf"|^(?:根据)?(?:该|药品)?说明书(?:【[^】]{{1,8}}】)?中?“?[甲乙丙丁戊]{_NO_SUBSTANCE}|^[^，。]{{0,14}}符合该[（(“]?[\u4e00-\u9fff]{{2,6}}[）)”]?(?:的?管理)?(?:要求|规定)"
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
_ASKED = r"(?:护理)?(?:诊断|检查|治疗|处理|措施|方剂|方药|中?成药|药物|代表方|治法|治则|治疗原则|证型|证候|病机|病位|辨证)(?:方案)?"
_TOPICLESS = re.compile(
    r"^(?:其|最|首选|首先|目前|此时|应|宜|可|下一步|进一步|初步|治疗[应宜当]|辨析其)[^，。、《》“”A-Za-z0-9]{0,6}"
    rf"{_ASKED}(?:是|为|有|包括)(?:（ ）)?[。？：]?$"
)
_LONGEST_TOPICLESS = 20

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
    """Tell whether a stem that stands without a case speaks of one."""
    if "题" in stem and _EARLIER_QUESTION.search(stem):
        return True
    if "例" in stem:
        case = _EARLIER_CASE.search(stem)
        if (case and case.start() < _MIN_CASE_CHARS) or (len(stem) < _MIN_CASE_CHARS and _THIS_CASE.search(stem)):
            return True
    if (
        _OF_PRESCRIPTION in stem
        or _HANDED_DOWN.match(stem)
        or _UNQUOTED.match(stem)
        or _FORMULA.match(stem)
        or _STORY_GOES_ON.match(stem)
        or _speaks_of_unknown_patient(stem)
    ):
        return True
    if len(stem) <= _LONGEST_TOPICLESS and _TOPICLESS.match(stem):
        return True
    if len(stem) >= _MIN_CASE_CHARS or (_PARTY.match(stem) is None and (len(stem) >= _MIN_TOLD_CHARS or _TELLS.search(stem))):
        return False
    return bool(_PARTY.match(stem) or _THIS_CLIENT.match(stem) or _THIS_PATIENT.match(stem))


def _speaks_of_unknown_patient(stem: str) -> bool:
    """Tell whether the first that a stem says of a patient is 该患者, with no history before it."""
    found = _UNTOLD_PATIENT.search(stem)
    return bool(found and found.start() <= _LONGEST_BEFORE and not _INTRODUCES.search(stem, 0, found.start()))


def leans_on_case(stem: str) -> bool:
    """Tell whether a stem speaks of a patient, a party or a prescription as known: a sign only among questions that miss their cases."""
    found = _LEANS_ON_PARTY.search(stem) if len(stem) < _MIN_CASE_CHARS else None
    known = stem.startswith("该") and not _TELLS.search(stem)
    return bool(found or known or _LEANS_ON_PATIENT.match(stem) or _LEANS_ON_TEXT.search(stem))
