"""Detect words showing that a verdict is not the reply's own: doubt, conditions, others' views, lack of evidence.

The functions take the folded text before a verdict and return whether such a word applies to it.
"""

import re

_EVIDENCE = (
    r"(?:证明|证实|证据|依据|根据|表明|说明|支持|显示|提示|佐证|断定|断言|确定|判断|确认|判定|肯定|指出|报道|认为|主张|简单地?说|说)"
)
_LACK = (
    r"(?:没(?!错|问题)有?|尚?无(?!疑|误)|未(?!必)|缺乏|缺少|不足以|不(?:能|足|可|好|敢|易|宜|够)|无法|难以|很难"
    r"|并[不未](?!正确|准确|对|属实|成立|是|符))"
    rf"(?:[^,。;:\n]{{0,14}}?){_EVIDENCE}"
)
_OTHERS = (
    r"(?:有(?:些|的|一?部分)?(?:人|患者|家长|学者|专家|医[生师]|观点|资料|教材|文献|说法|文章)|部分(?:人|学者|患者|观点)|一些(?:人|学者"
    r"|患者|观点)?|(?:许|很)多人|不少人?|少数人?|患者|病人|家属|家长"
    r"|(?:[他她您你]们?|我|患者|[一某那这]位?)的?(?:主治|接诊|老|资深|社区|名|个){0,2}(?:医[生师]|大夫|中医|专家|药师)|护士|护工|药师|营养师|奶奶|爷爷|外婆|妈妈?|爸爸?|父母|父亲|母亲|家人|朋友|同事|同学|邻居|亲戚|老人|长辈|博主|主播|厂家|推销员|病友|网[上友络]|民间|坊间|商家|广告|题[目干]|出题人|作者|老师|学生|别人|他人|前人|古人|传统观点|过去|以前|从前|以往|另一种观点|一种观点)[^,。;:\n]{0,8}?"
    r"(?:认为|以为|觉得|主张|声称|宣称|相信|误认为|说|告诉[我您你他她]|称|判断(?![为成]))(?!法|的)"
)
_DOUBT = (
    r"(?<!很)(?<!极)(?<!很有)(?<!极有)(?<!最)(?<!不)可能(?!性)|也许|或许|似乎|好像|看似|[看听]起来|[看听]上去|乍一?看|表面上?看|貌似|未必|不一定|不见得|难说"
    r"|难讲|不好说|说不准|不确定|不清楚|难以|很难|无法|不敢"
    r"|取决于|否认|不排除|怀疑|质疑|是否|是不是|对不对|能否|有没有|到底|究竟|(?<![a-z])(?:may|might|maybe|perhaps|possibly|cannot|can't"
    r"|whether|if|unless|not sure|unclear|hard to)(?![a-z])"
)
_CONDITION = re.compile(
    r"请(?:先|您|你|直接)?(?:回复|回答|判断|选择|用)|既(?:可以|能|可|不能)?[是为说选算]|如果(?!一定|非要?|必须)|假如|假设|倘若|要是|除非"
    r"|只有|只要|一旦|否则|反之|(?<![A-Za-z0-9\u4e00-\u9fff])若|若(?:是|按|以|为|患者|题|在|无|有)|当[^,。;:\n]{1,20}时"
    r"|(?<![a-z])(?:if|unless|otherwise)(?![a-z])"
)
_HEARSAY = r"(?:流传|相传|[传谣]言|传闻|谣传|盛传|疯传|据说|据传|听说|网传|报道称|[都常总]说)(?=[,:]?\s?(?:[这该此它]|上述))"
# The first characters of all these patterns: checking them first halves the time.
_FIRST = (
    "非没尚无未缺不难很并有部一许少患病家她您你我某那这护药营奶爷外妈爸父母朋同邻亲老长博主厂推网民坊商广题出作学别他前古传过以从另"
    "流相谣盛疯据听报都常总可也或似好看乍表貌说取否怀质是对能到究mpcwiunh"
)
_DISCLAIMED = "(?:不是|并?非)(?:在)?说(?!法)"
_IN_CLAUSE = re.compile(f"(?=[{_FIRST}])(?:{_LACK}|{_OTHERS}|{_HEARSAY}|{_DOUBT}|{_DISCLAIMED})")
_VIEW = re.compile(_OTHERS)
_BEFORE_CLAUSE = re.compile(rf"(?:{_LACK}|{_OTHERS})(?:过|到|了)?[,:\s]+\Z")  # 有人认为，该说法正确
_CLAUSE = re.compile(r"[,:]|所以|因此|因而")
_CONCLUDED = re.compile(r"[,;]\s?(?:所以|因此|因而|故|可见|由此可见)")  # 假设它正确，那么…，所以该说法错误
_SOURCE = re.compile(r"(?:网[上络友]|别人|他人|同学|老师|书上|题库|其他人)[^,。;:\n]{0,4}\Z")
_OF_CLAIM = ("这", "该", "此", "上", "题", "它", "其")
_THEIR_VIEW = re.compile(
    r"(?:\A|[,:。\n])\s{0,20}(?P<who>[^,。;:!?\n]{1,16}?)(?:(?:认为|觉得|主张|以为|坚信|声称|宣称)[,:\s]*(?=[这该此上题它其您你]|应?\Z|(?:是|为|完全|基本){0,2}\Z)"
    r"|(?<=[\u4e00-\u9fff])看来,\s*(?=[这该此上题它其您你是]))"
)
_OWN_VIEW = re.compile(
    r"我(?!的?(?:老师|同学|朋友|父|母|妈|爸|同事))|笔者|个人|(?<![他她])本人|(?:\A|[的数分般有多])(?:专家|医[生师]|学者)(?!本人|自己)|医学|学界|临床|科学|研究|指南|共识|理论|文献|证据|一般|通常|普遍|目前|现[在代]"
    r"|公认|多数|主流|教材|倾向|综[上合]|因此|所以|故|由此|分析|经|可以|应|被|不|大家|人们|[一-龥]学\Z|界\Z"
)
_CONTRASTED = re.compile(r"[,:]\s*(?:但|而|然而|不过|所以|因此|因而|其实|实际|故)|所以|因此")  # 他认为它有效，但该说法错误
_CASE = r"(?:[对就在从当]|针对|短期|长期|早期|晚期)[^,。;:!?\n]{1,24}?(?:来说|来讲|而言|[来上]看|看|时|中|下|里|内|[期者人]|(?=,)),?"
_IN_CASE = (
    r"[^,。;:!?\n]{0,12}?(?:(?P<right%d>没有?错误?|无误|(?<![不对])(?:正确|成立|对(?=[的,。;\n]|\Z)))"
    r"|(?P<wrong%d>不(?:正确|成立|对)|错误?|有误))(?:的|了)?"
)
_NEITHER = re.compile(
    r"不完全(?:正确|对|错误?)的?,?\s?(?:但|却|同时)?[也又]不完全(?:正确|对|错误?)的?|[并不]非完全(?:正确|对),?\s?(?:但|却|同时)?[也又][并不]非完全(?:错误?|不(?:正确|对))的?|"
    r"有(?:些|的)(?:是)?(?:正确|对)的?[,;、]?(?:但|而|也)?有(?:些|的)(?:是)?(?:错误?|不(?:正确|对))的?|(?:对|正确)的?,?\s?(?:但|却|同时)?[也又]不(?:完全|全)?(?:对|正确)(?:的)?(?=[,。;!\n]|\Z)"
)  # 对，也不对
_BOTH_CASES = re.compile(
    rf"{_CASE}{_IN_CASE % (1, 1)}\s?[,;。\n]\s?(?:但是?|而|不过|然而)?,?{_CASE}{_IN_CASE % (2, 2)}(?=\s?(?:[,;。!\n]|\Z))"
)


def in_scope(before: str) -> bool:
    """Return whether the text before a verdict, in the same sentence, qualifies it."""
    if condition := _CONDITION.search(before):
        concluded = max((each.end() for each in _CONCLUDED.finditer(before, condition.end())), default=0)
        if not concluded or _CONDITION.search(before, concluded):
            return True
    start = max((each.end() for each in _CLAUSE.finditer(before)), default=0)
    if _IN_CLAUSE.search(before, start) or _their_view(before):
        return True
    scope = _BEFORE_CLAUSE.search(before[:start]) if start else None
    rest = before[start:].strip()
    return bool(scope and (not rest or rest.startswith(_OF_CLAIM) or _VIEW.match(scope[0])))  # not 没有科学依据，属于谣言


def conditional(before: str) -> bool:
    """Return whether the text before a verdict makes it conditional."""
    return bool(_CONDITION.search(before))


def _their_view(before: str) -> bool:
    """Return whether the verdict is attributed to a person, by name or pronoun: 弗洛伊德认为该说法, 他认为它."""
    if "为" not in before and "觉" not in before and "看来" not in before and "称" not in before and "主张" not in before:
        return False
    views = list(_THEIR_VIEW.finditer(before, before.rfind("。") + 1))
    return bool(views) and not _OWN_VIEW.search(views[-1]["who"]) and not _CONTRASTED.search(before, views[-1].end())


def without_cases(text: str) -> str:
    """Replace opposite verdicts on two different cases with a placeholder: 对成人来说该说法正确，对孕妇来说该说法错误."""
    if not ("错" in text or "不正确" in text or "不对" in text or "不成立" in text or "有误" in text):
        return text
    if not ("正确" in text or "成立" in text or "对" in text):
        return text
    if "不" in text or "有" in text or "非" in text:
        text = _NEITHER.sub("□", text)
    return _BOTH_CASES.sub(lambda both: both[0] if (both["right1"] is None) == (both["right2"] is None) else "□", text)


def of_others(before: str) -> bool:
    """Return whether a sentence cites another person's view before its verdict; a view mentioned in the question is part of the claim."""
    return any(not view[0].startswith("题") for view in _VIEW.finditer(before))


def view_of_others(before: str) -> bool:
    """Return whether the clause before a choice attributes it to someone else: 有人认为答案是, 小明认为应选, 网上的答案是."""
    return of_others(before) or _their_view(before) or bool(_SOURCE.search(before))


def doubted(clause: str) -> bool:
    """Return whether one clause before a verdict expresses doubt, another's view or lack of evidence."""
    return bool(_IN_CLAUSE.search(clause)) or _their_view(clause)
