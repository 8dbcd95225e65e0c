"""Find the answer that a complete reply, including its reasons, commits to: the verdict on a claim, or letters.

The verdict on a claim is derived from all clauses that judge it, and the answer to a choice question from the last label, verb or
conclusion.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eval.answers.choice import NEXT_QUESTION, answer_fields, checked, read_folded, without_example
from eval.answers.claim import ASKS_WHETHER_WRONG, RIGHT, WRONG, side_by_side, without_options
from eval.answers.letters import (
    CHANGED,
    ONE_AFTER,
    RETRACTION,
    RUN_AFTER,
    STRONG,
    WEAK,
    alternative_to,
    concludes_nothing,
    ends_without_answer,
    labelled,
    letters_approved,
    letters_of,
    prepared,
    undecided,
    without_option_cases,
    without_rejected,
)
from eval.answers.option_texts import Known, named_by_text, with_signs
from eval.answers.reply_text import folded, simplified
from eval.answers.scope import conditional, in_scope, of_others, without_cases
from eval.answers.structured import letters_in_order

_FACT = r"(?:事实|常识|实际|理论|原理|规律|定义|规定|要求|知识|指南|共识|认识|标准|证据|情况|规范|原则|道理|逻辑|推荐|描述|记载|特点|特征)"
# Verdicts without the adverbs before them, which `_without_modifiers` removes
_NOT_WRONG = (
    r"(?:(?:不(?:是|算|能算)?|非|谈不上|算不上(?:是)?)(?:一?[个种])?(?:错误|错的)(?:的)?"
    r"|(?:不是|不算|算不上(?:是)?|非)(?:一?[个种])?(?:完全)?不(?:正确|准确|属实|成立|合理|科学|真实|对)(?:的)?)"
)
_NOT_WITHOUT = (  # 不是没有问题, 不能说没有错误
    r"(?:不是|不算|非|不能说是?|不等于|不意味着)(?:就|完全|一点|丝毫|真的|说)?(?:毫?无|没有?|不存在)(?:任何|什么|一点|丝毫|明显){0,2}的?(?:问题|错误|错|误|不妥|瑕疵)(?:的)?"
)
_NOTHING_WRONG = r"(?:没有?|无|不存在|没什么|挑不出)(?:任何|什么|明显|大){0,3}的?(?:错误|错|误|问题|不妥|不当|不对|不正确)(?:之处|的?地方)?"
_WRONG = (
    r"(?:不(?:完全|太|够|大|是|算|能算|能说是?|很|尽|怎么){0,3}(?:(?<=是)一?[个种])?|算不上(?:是)?(?:一?[个种])?|非(?:完全)?|没有完全)(?:正确|准确|属实|成立|合理|科学"
    r"|恰当|妥当|妥|真实|对|可信|可靠|事实|符)(?:的)?"
    r"|错误?(?:的|了)?|(?:有|存在)(?:着?(?:明显|严重|一定|一些|很大|较大|多处|根本性?|原则性?|概念性?|事实性?|常识性?|逻辑性?)的?|些)?(?:错误|误|偏差|问题|谬误|不妥)|失实|不实"
    r"|虚假的?|(?:不能|难以|无法)成立|站不住脚|(?:没有|无)道理|(?:非如此|不是(?:这样|如此|事实)|不如此)(?:的)?|(?<=其实)不然|(?:认[识知]|健康|民间|生活|饮食|用药)?误区|误解|谣言|谬误|谬论|伪科学|迷思"
    r"|伪命题|误传|否定的?|否|×|(?<=[是为:])假(?:的|命题)?|(?<![\u4e00-\u9fffA-Za-z])假的|(?:(?<=[是为:])|(?<=[:是为] )|(?<=is ))F"
    r"|false|incorrect|wrong|untrue|inaccurate|not (?:entirely |completely |fully )?(?:correct|true|accurate|right|valid)"
)
_RIGHT = (
    r"(?:(?:正确|准确|科学|真实)[且和、又]?)?(?:正确|准确|属实|成立|合理|科学|恰当|真实|可信)(?:的|无误)?|无误|对(?:的)?|没错|(?:(?<=确实)|(?<=的确)|(?<=事实))是?(?:如此|这样)(?:的)?"
    r"|有道理(?!的)|事实|肯定的?|√|(?<=[是为:])真(?:的|命题)?|(?<![\u4e00-\u9fffA-Za-z])真的"
    r"|(?:(?<=[是为:])|(?<=[:是为] )|(?<=is ))T|true|correct|right|accurate|valid"
)
_CONFORMING = (
    rf"(?:不?符合?|有?违背?了?|违反了?)[^,。;:!?\n]{{0,10}}{_FACT}(?:的)?"
    r"|[与和同][^,。;:!?\n]{1,16}?(?:不相?符合?|相?符合?|不?一致|相悖|相?矛盾|相反|吻合|冲突|违背)(?:的)?"
)
# fmt: off
_MODIFIERS = (
    "均", "都", "也", "还", "就", "则", "才", "又", "仍", "更", "可以说", "显然", "自然", "明显", "确实", "的确", "其实", "实际上", "实则",
    "无疑", "当然", "绝对", "应该", "应当", "应", "该", "恐怕",
    "很可能", "极可能", "很有可能", "极有可能", "大概率", "多半", "完全", "总体", "总体上",
    "整体", "整体上", "本身", "是", "为",
    "属于", "属", "算", "被判定", "判定", "被判", "认定", "并", "即", "故",
    "基本", "基本上", "大致", "大体", "非常", "十分", "比较", "一个", "一种", "常见的", "典型的", "常见", "典型", "普遍", "普遍的", "严重",
    "大错特", "事实", "被普遍认为", "被广泛认为", "被认为", "被证明", "被证实", "被视为", "通常", "一般", "普遍", "目前", "已经", "已",
    " is", " was", " seem", " seems", " appears", " to be", " be", " should", " indeed", " also", " therefore", " thus", " clearly",
    " actually", " completely", " totally", " entirely", " absolutely",
)
# fmt: on
_LONGEST_FIRST = sorted(_MODIFIERS, key=len, reverse=True)
_LIKELY = r"(?:的?(?:可能性|概率|几率)(?:[很较更极]|非常|十分|相当|比较)?[大高])?"
_ENDS = (
    _LIKELY + r"(?=[^\S\n]*+(?:\n|(?:的|了|吧|哦|呢|呀|啊|啦|哟|喔|嘛|噢){0,8}+[^\S\n]*+(?:[,。!;:.|\n√×—-]|$|因为|原因|理由|由于|because"
    r"|since|as ))|的?(?:说法|观点|陈述|表述|描述|命题|论断|论述|叙述|断言|认识)[^\S\n]*+(?:[,。!;.\n]|$))"
)
VERDICT = re.compile(
    rf"(?=[不非算没无难谈挑存有认健民生饮用错误失虚站谣谬伪否×假符违与和同正准属成合科恰真可对事如是这肯√fiwuntcrav])"
    rf"(?:(?P<without>{_NOT_WITHOUT}){_ENDS}|(?P<right>{_NOT_WRONG}|{_NOTHING_WRONG}){_ENDS}|(?P<conforming>{_CONFORMING}){_ENDS}"
    rf"|(?<!不)(?P<wrong>{_WRONG}){_ENDS}|(?<![不没])(?P<plain>{_RIGHT}){_ENDS})",
    re.IGNORECASE,
)
_DISCONFORMING = re.compile(r"不|违|悖|矛盾|相反|冲突")
# What may precede a verdict word in its clause so that it judges the claim
# fmt: off
_CLAIM_NOUNS = (
    "说法", "观点", "陈述", "表述", "描述", "命题", "论断", "论述", "句话", "这话", "叙述", "断言", "声明", "判断", "理解", "认识", "看法",
    "结论", "题", "题目", "题干", "选项", "内容", "这", "它", "其", "此", "该", "题述", "所述", "原文", "原句",
    "讲法", "提法", "传言", "此话", "段话", "番话", "主张", "见解", "解释",
    "这样说", "这么说", "这样讲", "这么讲", "这种说", "□",
    "statement", "claim", "assertion", "description", "sentence", "proposition", "this", "it", "that", "which", "it's", "that's",
)
_LABEL_NOUNS = (
    "答案", "判断", "判断结果", "判定", "判定结果", "结果", "结论", "回答", "回复", "选", "选择", "答", "判", "定", "视", "看作", "认为",
    "认为它", "认为其", "认为这", "认定", "评价", "真/假", "真假", "真伪", "对错", "对/错", "正误", "正/误",
    "是否正确", "是否成立", "是否属实", "现在认", "目前认", "通常认", "一般认", "普遍认", "学界认", "专家认", "我认",
    "verdict", "answer", "conclusion", "result", "judgment", "judgement",
)
# fmt: on
_SUBJECTS = tuple(noun + behind for noun in _CLAIM_NOUNS for behind in ("", "得", "中", "里"))
_LABELS = tuple(label + behind for label in _LABEL_NOUNS for behind in ("", "是", "为", "成", "应", "应该", "就"))
_DESCRIBED = re.compile(
    r"(?:(?:认为|说|称|以为)[^,。;:]{2,40}|[^,。;:]{2,40}的(?:说法|观点|看法|陈述|描述|表述|理解|认识|想法))\Z"
)  # 所以说“可以治愈”是错误的
_DETERMINED = re.compile(r"[这该此本]|上述|以上|题|所[给述]|给出|[您你]|说法\Z")
_DENYING = re.compile(
    r"(?P<plain>不(?:认为|觉得|同意|赞同|认同|赞成))(?:[这该此本上][^,。;:]{0,8}|它|其|题[目干])?(?:是|为)?\Z|不(?:能|可"
    r"|应该?|宜)(?:被)?(?:认为|觉得|视为|看作|当作|算|说|判定?|判断|认定|选择?)(?:[这该此本上][^,。;:]{0,8}|它|其|题[目干])?(?:是|为)?\Z"
)
_PART = re.compile(
    r"[前后]半|前者|后者|另一|另外|上半|下半|第[一二三四12345](?!步)|部分|其中|选项[A-J]|[A-J]项|反过来|相反的|之前|刚才"
    r"|刚刚|先前|上一|前面|起初|最初|一开始|原本|原先|乍一?看"
)
_OWN = re.compile(
    r"(?<![这该此]个)(?<![这该此])(?:(?:回答|答案|判断|理解|分析|结论)[中里]?(?:确实)?(?:存在|有)?(?:些|一些)?|(?:回答|理解|分析|我的[^,。;:\n]{1,4})是)(?:有误|错误|错了|不对|误|问题)\Z"
)  # of the reply itself
_LEAD = (
    r"(?:综上(?:所述|分析)?|总之|总的来[说看]|[总整]体(?:上)?(?:而言|来[说看])|总结(?:一下|来说)?|综合(?:以上|上述)?(?:分析|来看"
    r"|考虑|所述)?|由此(?:可[见知])?|(?<![\u4e00-\u9fff])可见|因此|因而|所以|故(?:而|此)?|于是|从而|最终|最后|那么|其实|实际上|事实上"
    r"|严格来说|更正|修正|纠正|改为"
    r"|我(?:们)?(?:更?倾向于)?(?:认为|觉得|猜测?|判断|选择|的?(?:最终|最后)?(?:答案|判断|结论)是?)|更?倾向于?|应(?:该|当)?(?:是|为|选择?"
    r"|判断?为?|回答|填写?|打|勾选)?|打|可以?|可判断?为?|(?:对于?|关于|针对)[^,。;:]{1,16}|本题|该题|此题"
    r"|但是?|然而|不过|而|也|so|therefore|thus|hence|in conclusion|overall|finally|in summary|however|but|then|答|选|和"
    r"|、|\d{1,2}[.、]|[-•·>|#=]|[A-D][.、,:]|\s)"
)
_ANOTHER = re.compile(r"才|改[为成]|换成|应[为是]|正确的")  # “……”才是正确的
_VIEW = re.compile(r"[这该此][种个些]?(?:看法|观点|想法|说法|认识|理解|结论)\Z")
_BARE = re.compile(rf"(?>{_LEAD}*)\Z", re.IGNORECASE)
_CONCLUDING = re.compile(
    r"综上|因此|因而|所以|故|总之|(?<![\u4e00-\u9fff])可见|由此|最终|最后|结论|答案|总结|总的来|总体|综合|更正|修正|纠正|改为|应(?:该"
    r"|当)?(?:是|为|判|选|改)|其实|实际上|实则|事实上|判断结果|判定结果|判断\s*:|判定|therefore|thus|hence|conclusion|answer"
    r"|overall|finally|summary|verdict|(?<![a-z])so(?![a-z])",
    re.IGNORECASE,
)
_CONCLUDING_CLAUSE = re.compile(rf"(?:\A|[,:、])\s*(?:但|而)?(?:{_CONCLUDING.pattern})", re.IGNORECASE)
_RECONSIDERING = re.compile(
    r"更正|修正|纠正|等等|等一下|抱歉|不好意思|再想|仔细|重新|有误|(?<![a-z])(?:wait|sorry|actually|correction)(?![a-z])", re.IGNORECASE
)
_RETRACTION = re.compile(
    r"(?:\A|[,:])\s*[哦噢啊]?(?:不对|不),|(?:[看记搞说弄判答]|判断|回答)错了|更正|修正|纠正|等等,|等一下|抱歉|不好意思"
)
COMMONLY = re.compile(  # 一般正确: a common view, which the reply may refute next
    "通常|一般|普遍|公[认認]|被[认認][为為]|(?:医[生師师]|[专專]家|[学學]者)[们們]?(?:都|大多)?(?:[认認][为為]|[说說](?!法))"
)
CONTRAST = re.compile(r"[,，。;；\n]\s?(?:但|然而|不[过過]|可是|其[实實]|[实實][际際]上|事[实實]上)")
_PARTLY = re.compile("不(?:完全|太|够|大|很|尽)")  # limits a common view without refuting it
_LETTER_LABEL = re.compile(
    r"(?:答案|判断|判断结果|结果|结论|判定|回答|正误|对错|真假|verdict|answer|conclusion|result|judge?ment)\s?(?:应该?)?(?:是|为|is)?\s?:?\s*\Z",
    re.IGNORECASE,
)
_OPEN_END = re.compile(
    r"(?:无法|难以|不能|很难|没法|不好)(?:简单|直接|准确|一概)*地?(?:判断|确定|判定|得出|给出|下结论|确认|断定|定论|作出"
    r"|做出)[^,。;:\n]{0,20}(?:说法|陈述|描述|正误|对错|真伪|正确|结论|答案|判断|\Z)"
    r"|(?:部分|一半|半)(?:正确|对|错)|有对有错|(?:说法|陈述|描述|表述|观点|命题)[^,。;:\n]{0,10}(?:视[^,。;:\n]{0,6}情况"
    r"|因人而异|有待|存在争议|不能一概而论|无法|难以|取决于)"
)
_NOD = re.compile(r"是的?|对的?|没错|不对|不是的?|否|yes|no|√|×|right|not right|无误|的确如此|确实如此", re.IGNORECASE)
_VERDICT_QUESTION = re.compile(
    r"(?:正确|准确|属实|成立|科学|真|对|错误?)的?(?:吗|么|与否)|对不对|是不是(?:真|对|正确)的?|是否(?:正确|准确|属实|成立|科学|真实)\s*\Z|正确还是错误"
)
_REPLY = re.compile(
    r"\s*(?:显然|当然|其实|很明显){0,2}(?:(?P<yes>是的|对的?|没错|正确的?)|(?P<no>不(?:完全|太)?对|不是的?|错了?|错误的?|不(?:完全|太)?正确|并非如此))(?=\s*(?:[,!]|\Z))(?!,?\s?(?:但|却)?[也又])"
)
_SAYS_VERDICT = re.compile("正确|错|不(?:完全|太)?正确")
_SENTENCE_END = re.compile(r"[。!?;\n]|\.(?=\s|\Z)|(?:\.{3,}|…+)(?=[^\s.])")
_CONTEXT = 200
_CLAUSE = 60


class ClaimStatement(NamedTuple):
    """One clause that judges the claim."""

    verdict: str
    explicit: bool
    """Whether the clause says more than yes (是的) or no."""
    concluding: bool
    alone: bool = False
    """Whether the clause is the complete last sentence."""


def statements_of(text: str, answer: str | None) -> tuple[list[ClaimStatement], bool]:
    """Return the clauses that judge the claim, in order, and whether the final conclusion leaves the question open."""
    statements: list[ClaimStatement] = []
    left_open = False
    question_before = ""
    start, reconsidered, length = 0, False, len(text.rstrip(" \n。.!,"))
    refuting = _refuting_from(text)
    for end in _SENTENCE_END.finditer(text + "\n"):
        sentence = text[start : end.start()]
        is_question = end[0] == "?" or sentence.rstrip().endswith(("吗", "呢"))
        is_last = end.end() >= length
        start = end.end()
        if not sentence.strip():
            continue
        before, question_before = question_before, sentence if is_question and _VERDICT_QUESTION.search(sentence) else ""
        if is_question:
            continue
        back = _RETRACTION.search(sentence) if answer or statements else None
        retracted_at = back.end() if back else len(sentence)
        refuted = refuting - (end.start() - len(sentence))
        clause_statements = []
        for match in VERDICT.finditer(sentence):
            refutes = match.start() >= refuted and not _PARTLY.match(match[0])
            if each := _statement(sentence, match, is_last, reconsidered or match.start() >= retracted_at or refutes):
                clause_statements.append(each)
        if before and not clause_statements and (reply := _REPLY.match(sentence)):
            clause_statements = [ClaimStatement(_replied(before, reply), True, bool(_CONCLUDING.search(before)))]
        statements += clause_statements
        if clause_statements:
            left_open = False
        elif (answer or statements) and (is_last or _CONCLUDING.search(sentence)) and _OPEN_END.search(sentence):
            left_open = True
        reconsidered = reconsidered or (not is_last and bool(_RECONSIDERING.search(sentence)))
    return statements, left_open


def _replied(question: str, reply: re.Match) -> str:
    """Return the verdict of a short answer to the reply's own question: 错误 for both 错误吗？是的 and 错误吗？不正确."""
    agrees = bool(reply["yes"])
    if ASKS_WHETHER_WRONG.search(question) and not _SAYS_VERDICT.match(reply[0].strip()):
        agrees = not agrees
    return RIGHT if agrees else WRONG


def _refuting_from(text: str) -> int:
    """Return where a reply turns against a common view (普遍认为正确，但), or the end of the text if it never does."""
    if not COMMONLY.search(text) or not (opening := VERDICT.search(text)):
        return len(text)
    clause = text[max(text.rfind(mark, 0, opening.start()) for mark in ",:。\n") + 1 : opening.start()]
    contrast = CONTRAST.search(text, opening.end()) if COMMONLY.search(clause) else None
    return contrast.end() if contrast else len(text)


def _statement(sentence: str, match: re.Match, is_last: bool, reconsidered: bool) -> ClaimStatement | None:
    before = sentence[max(0, match.start() - _CONTEXT) : match.start()]
    clause = before[max(before.rfind(","), before.rfind(":"), before.rstrip(" -—").rfind("—")) + 1 :][-_CLAUSE:].rstrip(" -—")
    if "不" in clause and (denying := _DENYING.search(clause)):
        return _denied(match, before, denying)
    stem = _without_modifiers(clause)
    matched = match[0].strip()
    bare = bool(_BARE.match(stem))
    described = not bare and bool(_DESCRIBED.search(stem)) and not _DETERMINED.search(stem[:-2])
    subject = not bare and (described or stem.endswith(_SUBJECTS) or stem.endswith(_LABELS))
    if "□" in stem and stem.endswith("□") and _ANOTHER.search(clause):
        return None
    if matched in ("T", "F", "t", "f") and not _LETTER_LABEL.search(before):
        return None
    if match["conforming"] and "因为" in clause:
        return None  # 说它正确是因为它符合…
    if (not bare and not subject) or _PART.search(clause) or in_scope(before) or _OWN.search(clause + match[0].strip()):
        return None
    is_nod = bool(_NOD.fullmatch(matched)) and not subject and not stem.endswith(("题", "题目"))
    rest = sentence[match.end() :].strip(" ,.的")
    alone = bare and is_last and not rest and len(_without_modifiers(before).strip()) < 3
    if matched in "√×" and is_last and not rest and before.endswith(","):
        return ClaimStatement(_verdict(match), True, False)  # the claim, with the symbol in brackets after it
    if (
        is_nod
        and not alone
        and not before.rstrip().endswith(":")
        and not _CONCLUDING.search(clause)
        and not _CONCLUDING_CLAUSE.search(before)
    ):
        return None
    verdict = _verdict(match)
    own = before[len(before.removesuffix(clause).rstrip(" :").rpartition(",")[0]) :] if clause != before else before
    concluding = bool(alone or _CONCLUDING.search(own) or _CONCLUDING_CLAUSE.search(before) or (reconsidered and not is_nod)) and not (
        described or (subject and _VIEW.search(stem) and of_others(before))
    )
    return ClaimStatement(verdict, not is_nod or before.rstrip().endswith(":"), concluding, alone)


def _denied(match: re.Match, before: str, denying: re.Match) -> ClaimStatement | None:
    """Return the opposite of a verdict that the reply negates: 我不认为该说法正确. Negating that a claim is wrong does not affirm it."""
    rest = before[: len(before) - len(denying[0])]
    if (in_scope(rest) if denying["plain"] else in_scope(rest[rest.rfind(",") + 1 :]) or conditional(rest)) or (
        _verdict(match) == WRONG and not denying["plain"]
    ):
        return None
    return ClaimStatement(RIGHT if _verdict(match) == WRONG else WRONG, True, bool(_CONCLUDING.search(before)))


def _without_modifiers(clause: str) -> str:
    clause = clause.lower().rstrip()
    while clause.endswith(_MODIFIERS):
        clause = clause[: -len(next(modifier for modifier in _LONGEST_FIRST if clause.endswith(modifier)))].rstrip()
    return clause.strip()


def _verdict(match: re.Match) -> str:
    if match["conforming"]:
        return WRONG if _DISCONFORMING.search(match["conforming"]) else RIGHT
    return WRONG if match["wrong"] or match["without"] else RIGHT


_OPENING_NOD = re.compile(
    r"\s*(?:(?:(?P<yes>是的?|对的?|没错|yes|√|t|true|y|确实如此|的确如此)|(?P<no>不是的?|不对|否|no|×|f|false|n))\s*"
    r"(?:[,。.!;:\n]|\Z)|(?P<tick>√) |× )",
    re.IGNORECASE,
)
_DEPENDS = re.compile(
    r"\s*(?:well[,.]*\s*|this\s|that\s|it\s|really\s|all\s)*depends(?![^.\n]{0,40}, but)"
    r"|(?:这|此)?(?:题|个?问题)?(?:要|得|需要?|应)?[视看](?:具体|实际)?情况",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"[\"']?(?:is_?)?(?:correct|answer|verdict|result|judge?ment|label|conclusion|prediction|判断|判断结果|答案|结论"
    r"|结果|是否正确|正确|判定|final_?answer)[\"']?\s*[:=]\s*[\"']?"
    r"(?:(?P<yes>true|正确|对|√|correct|right|yes|t)|(?P<no>false|错误|错|×|incorrect|wrong|no|f))(?![a-z\u4e00-\u9fff])",
    re.IGNORECASE,
)
_NEXT_TURN = re.compile(
    r"\n\s?(?:(?:说法|陈述)(?=:)|用户|user|human|问|question|下一?[题个]|新?题目|判断下列|下列说法|以下说法|请判断"
    r"|第\s?\d{1,2}\s?题)[^\n]{0,3}(?:[:是\n]|说法|问题)|\n\s?[\[【(<]\s?(?:新?题目?|问题|题干|陈述|说法|判断题|下一?[题个])\s?\d{0,2}\s?[\]】>)]",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[“\"「『‘'《][^“\"「『”」』’'\n《》]{0,200}[”\"」』’'》]")
_QUOTES = re.compile(r"[\"'“”‘’「」『』]")
_LABEL_IN_BRACKETS = re.compile(
    r"[\[【(<]\s?((?:最终|正确|参考)?(?:答案|判断|判断结果|结论|结果|判定|回答|评价|真/?假|真伪|对/?错|正/?误"
    r"|是否(?:正确|成立|属实)|verdict|answer))\s?[\]】)>]",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[()\[\]【】〈〉<>{}~|]")
_MARKED = re.compile(f"{_QUOTES.pattern}|{_BRACKETS.pattern}")
# To withdraw a verdict, a reply needs a word for the opposite and a word that concludes or contradicts; the raw reply is searched for both.
_CONTRARY = {
    RIGHT: re.compile(
        r"[错錯誤误×❌✗✘✖✕❎否假谣謠]|[不没沒非無无][^。\n]{0,3}[正準准属屬成符對对真是实實科合恰妥]|失实|失實|站不住"
        r"|如此|不然|矛盾|悖|[违違]|[问問][题題]|[无無]法|[难難]|不能|部分|取[决決]|一半|[Ff]alse|[Ww]rong|ncorrect"
        r"|ntrue|naccura|[Nn]ot? "
    ),
    WRONG: re.compile(
        r"正[确確]|[对對](?:[的,，。.!！\n]|\Z)|[准準][确確]|[属屬][实實]|成立|符合|[没沒無无]|如此|[这這][样樣]|真|科学"
        r"|合理|恰[当當]|一致|吻合|相符|[无無]法|[难難]|不[能错錯]|部分|取[决決]|一半|[√✅✔✓☑]|[Tt]rue|[Cc]orrect"
        r"|[Rr]ight|ccura|[Yy]es"
    ),
}
_TURN = re.compile(
    r"[综綜总總最][上之终終后後的合]|因[此而]|所以|故|可[见見]|由此|[结結][论論果]|答|更正|修正|[纠糾]正|改[为為]|[应應]"
    r"|其[实實]|[实實][际際]|事[实實]上|判|等|抱歉|不好意思|再|仔[细細]|重新|有[误誤]|[无無]法|[难難]|不[对對]|[错錯]了"
    r"|ait|ctually|orry|herefore|[Tt]hus|[Hh]ence|[Cc]onclu|[Ff]inal|[Ss]o |nswer|verall|ummary|erdict"
)
_VERDICT_WORD = re.compile(
    r"(?:[确確对對错錯误誤实實立合理学學当當题題此样樣然道]|[真假否]|事[实實]|[问問][题題]|[误誤][区區解]|[谣謠]言"
    r"|[没沒无無][错錯误誤])[的了吧哦呢呀啊]{0,2}(?:[^\w\s]|\s|\Z|因|原|理由|由于)"
    r"|[符违違悖盾][^。\n]{0,14}[，。,.!！\n]|不住|不[妥实實符]|[相反冲][符反突]"
    r"|(?:[实實识識定理指知规規原情][际際识識义論论南规規知则則况況律求范準准据][，。,.!！\n]|\Z)"
    r"|[×❌✗✘✖✕❎√✅✔✓☑]|(?:说|說)法|推[荐薦]|[Tt]rue|[Ff]alse|orrect|[Rr]ight|rong|ccura|[Yy]es|[Nn]o\b|(?<![A-Za-z0-9])[TFtf](?![A-Za-z0-9\u4e00-\u9fff])|valid"
)
_SAYS_WRONG = re.compile(r"不[^。,，\n]{0,3}(?:正[确確]|[对對])|[错錯]|[误誤]")
_SAYS_RIGHT = re.compile(r"[没沒無无不][^。,，\n]{0,3}(?:[错錯]|[误誤])|正[确確]|[对對]的")
_PARTED = re.compile(r"[^\w\s]|\n")
_SHORT = 16
_OPENING = 40
_LAST = 14


def read_committed_claim(reply: str, answer: str | None) -> str | None:
    """Return the verdict that the complete reply commits to, or None.

    Args:
        answer: the opening verdict that `read_claim` returned.
    """
    if answer and len(reply) < _SHORT and not _PARTED.search(reply, 0, len(reply) - 1):
        return answer
    if answer is None and not _VERDICT_WORD.search(reply):
        return None
    if answer and _unopposed(reply, answer):
        return answer
    text = without_options(simplified(folded(reply)))
    if field := _FIELD.search(text) if ("{" in text or "=" in text) else None:
        return RIGHT if field["yes"] else WRONG
    if (turn := _NEXT_TURN.search(text)) and turn.start() and (committed := _committed(text[: turn.start()], answer)):
        return committed
    return _committed(text, answer)


def _unopposed(reply: str, answer: str) -> bool:
    """Return whether no part of the reply can override its opening verdict."""
    opening = (_SAYS_WRONG if answer == WRONG else _SAYS_RIGHT).search(reply, 0, _OPENING)
    after = opening.end() if opening else 0
    if not _CONTRARY[answer].search(reply, after):
        return True
    if COMMONLY.search(reply, 0, after) and CONTRAST.search(reply, after):
        return False
    last = reply.rstrip("。.!！\n ")[-_LAST:]
    return opening is not None and not _TURN.search(reply, after) and len(last) == _LAST and "。" not in last and "\n" not in last


def _committed(text: str, answer: str | None) -> str | None:
    text = text.replace("→", ":").replace("=", ":")
    nod = _OPENING_NOD.match(text)
    if _MARKED.search(text):
        text = _BRACKETS.sub(",", _LABEL_IN_BRACKETS.sub(r"\1:", _QUOTES.sub("", _QUOTED.sub(_unquoted, text))))
    decided = without_cases(text)
    nod = nod if decided == text else None  # 对，也不对
    text = decided
    nodded = (RIGHT if nod["yes"] or nod["tick"] else WRONG) if nod and not ("√" in text and "×" in text) else None
    if not answer and not VERDICT.search(text):
        return nodded
    statements, left_open = statements_of(text, answer)
    explicit = [each for each in statements if each.explicit]
    if left_open:
        return None
    is_side_by_side = RIGHT in text and WRONG in text and side_by_side(text)
    if concluding := [each for each in explicit if each.concluding and not (is_side_by_side and each.alone)]:
        return concluding[-1].verdict
    if is_side_by_side or _DEPENDS.match(text):
        return None
    verdicts = {each.verdict for each in explicit}
    if len(verdicts) == 1 and (answer is None or nod):
        return explicit[0].verdict
    if answer or verdicts:
        return answer
    if nod:
        return nodded
    return statements[-1].verdict if len({each.verdict for each in statements}) == 1 else None


def _unquoted(quoted: re.Match) -> str:
    """Keep a quoted word or verdict; replace a quoted sentence by a placeholder, because the reply repeats it without asserting it."""
    content = quoted[0][1:-1]
    return content if len(content) <= 6 else "□"


# Letters in the raw reply after a word that gives or concludes an answer. If all of them belong to the answer, nothing can override it.
_NAMED = re.compile(
    r"(?:答案|[选選](?![项項])|[综綜]上|因此|所以|故|[最总總][终終后後之]|更正|改[为為]|[应應][为該该為]|(?i:answer|fore"
    r"|final|thus|hence|choose| so))"
    r"[^A-Ja-j。\n]{0,16}\n?[^A-Ja-j。\n]{0,6}([A-Ja-j](?:[、,，/和及与\s]{0,2}[A-Ja-j])*)(?![A-Za-z])"
)
_LEFT_OPEN = re.compile(r"[无無]法|不能|[难難]以|很[难難]|[没沒]法|[没沒][办辦]法")
_PARTED_CHOICE = re.compile(r"[。.;；\n<>]")
_SHORT_CHOICE = 30
_BETWEEN = str.maketrans("", "", "、,，/和及与 \n\t")
_CONCLUDING_CHOICE = re.compile(
    r"综上|因此|因而|所以|故|总之|(?<![\u4e00-\u9fff])可见|由此|最终|最后|总结|综合|更正|修正|纠正|改[为选]|应[为该]|其实|实际上|等等|抱歉"
    r"|不对|therefore|thus|hence|finally|in conclusion|overall|wait|actually|(?<![a-z])so(?![a-z])",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"综上|因此|因而|所以|故(?!事|障)|总之|(?<![\u4e00-\u9fff])可见|最终|最后(?!一)|综合(?:以上|上述|考虑|来看)|therefore|thus|hence|finally"
    r"|in conclusion|overall|(?<![a-z])so(?![a-z])",
    re.IGNORECASE,
)
_TERM = re.compile(r"(?![项选和与及更最才比较为是即吧哦的而因由符])[\u4e00-\u9fff]")  # 应为B受体激动剂
_SENTENCE_START = re.compile(r"[。!?;\n][^。!?;\n]*\Z")
_CHOICE_SENTENCE_END = re.compile(r"[。!?;\n]")
_FIELD_MARK = re.compile(r"[\[【<(]\s?(?:正确|标准|参考|最终)?(?:答案|answer)\s?[\]】>)]", re.IGNORECASE)
_FIELD_UNREAD = re.compile(rf"{_FIELD_MARK.pattern}[^\n。]*", re.IGNORECASE)  # with words or several letters
_TAG = re.compile(r"<\s?/?\s?(?:eoe|coe|eoa|coas|答案|解析)\s?>", re.IGNORECASE)
_IN_ORDER = re.compile(
    r"正确|参考|最终|各题|[两二三四五六]个?[小问]?题|答案|选择?|依次|分别|[我的应是为有和及与]|[\s、,;:/|>.。-]"
)  # text that may accompany letters
_LETTERS = re.compile(r"[A-Ja-j]{2,20}")
_BEFORE = 120
_END = 40
_GROUP = 200


def read_committed_choice(reply: str, options: Mapping[str, str], many: bool, answer: str | None) -> str | None:
    """Return the letters that the complete reply commits to, or None.

    Args:
        answer: the letters that `read_single`, `read_several` or `read_tcm` returned.
    """
    if answer and len(reply) < _SHORT_CHOICE and not _PARTED_CHOICE.search(reply, 0, len(reply) - 1):
        return answer
    if answer and not _LEFT_OPEN.search(reply, max(0, len(reply) - _END)):
        named = set(_NAMED.findall(reply))
        if not named or (len(named) == 1 and named.pop().translate(_BETWEEN) == answer):
            return answer
    if answer is None and not _NAMED.search(reply) and not _CONCLUSION.search(reply):
        return None
    text, known = with_signs(_TAG.sub("\n", without_example(folded(reply))), options, many)
    text = _FIELD_MARK.sub("\n答案:", text) if answer else _FIELD_UNREAD.sub("\n", text)
    if "\n" in text and (turn := NEXT_QUESTION.search(text)) and turn.start() and read_folded(text[: turn.start()], known, many):
        text = text[: turn.start()]
    if ends_without_answer(text) or concludes_nothing(text):
        return None
    last = _last(text, known, many, answer)
    return answer if last is None else last or None


def _last(text: str, known: Known, many: bool, answer: str | None) -> str | None:
    """Return the last choice after a label or a conclusion: "" if it leaves two options open, None if there is no such choice."""
    text = without_rejected(without_option_cases(prepared(text, known)))
    choices = []
    for label in (STRONG, WEAK):
        for match in label.finditer(text):
            run = (RUN_AFTER if many else ONE_AFTER).match(text, match.end())
            if run and label is WEAK and _TERM.match(text, run.end()):
                continue
            before = text[max(0, match.start() - _BEFORE) : match.start()]
            before = before[boundary.start() + 1 :] if (boundary := _SENTENCE_START.search(before)) else before
            if (
                run
                and not in_scope(before)
                and not (many and before.endswith("不"))
                and (label is STRONG or _CONCLUDING_CHOICE.search(before + match[0]))
            ):
                choices.append((match.start(), label, run))
    if choices:
        label_start, label, run = max(choices, key=lambda each: each[0])
        end = _CHOICE_SENTENCE_END.search(text, run.end()) if label is WEAK else None
        if alternative_to(text, run, "可能" in text[label_start : run.start()]):
            return ""
        if any(back.start() > label_start for pattern in (CHANGED, RETRACTION) for back in pattern.finditer(text)):
            return None
        if not many and answer is None and label is STRONG and not read_folded(text[label_start:].partition("\n")[0], known):
            return ""  # a field with several letters
        letters = labelled(text[label_start : end.end() if end else len(text)], label, many) or ""
        return checked(letters, known, one=not many)
    return None if answer else _concluded(text, known, many)


def _concluded(text: str, known: Known, many: bool) -> str | None:
    """Return the options in the last concluding sentence, by letter or by text."""
    sentences = [each for each in _CHOICE_SENTENCE_END.split(text) if each.strip()]
    for sentence in reversed(sentences):
        if (mark := _CONCLUSION.search(sentence)) and not in_scope(sentence[: mark.end()]) and not undecided(sentence):
            approved = checked(letters_approved(sentence), known, one=not many)
            return approved or named_by_text(sentence[mark.start() :], known, many, concluded=True)
    return None


def read_committed_group(reply: str, options: Sequence[Mapping[str, str]], answers: list[str | None]) -> list[str | None]:
    """Return the letters of a reply to several questions: by number, or in order if the reply has no numbers."""
    if any(answers):
        return answers
    text = without_example(folded(reply))
    all_fields = answer_fields(text)
    fields = [letters_of(field) for field in all_fields]
    lines = [line for line in text.split("\n") if line.strip()]
    if len(all_fields) == 1 and _LETTERS.fullmatch(alone := _IN_ORDER.sub("", all_fields[0])):
        letters = list(alone.upper())
    elif len(fields) == len(options):
        letters = fields
    elif listed := letters_in_order(text):
        letters = list(listed)
    elif len(text) < _GROUP and _LETTERS.fullmatch(alone := _IN_ORDER.sub("", text)):
        letters = list(alone.upper())
    else:
        letters = [read_folded(line, each) or "" for line, each in zip(lines, options, strict=False)] if len(lines) == len(options) else []
    if len(letters) != len(options) or any(len(each) != 1 for each in letters):
        return answers
    return [letter if letter in each else None for letter, each in zip(letters, options, strict=True)]
