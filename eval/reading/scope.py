"""Words that take a verdict into their scope, so that it is not the reply's own: doubt, conditions, other people's views, lack of evidence.

In: folded text before a verdict; out: whether the verdict stands in such a scope.
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
    r"(?:有(?:些|的|一?部分)?(?:人|患者|家长|学者|专家|观点|资料|说法|文章)|部分(?:人|学者|患者|观点)|一些(?:人|学者"
    r"|患者|观点)?|(?:许|很)多人|不少人?|少数人?|患者|病人|家属|家长"
    r"|网[上友络]|民间|坊间|商家|广告|题[目干]|出题人|作者|老师|学生|别人|他人|前人|古人|传统观点|另一种观点|一种观点)[^,。;:\n]{0,8}?"
    r"(?:认为|以为|觉得|主张|声称|宣称|相信|误认为|说|称|判断)(?!法)"
)
_DOUBT = (
    r"(?<!很)(?<!极)(?<!很有)(?<!极有)(?<!最)(?<!不)可能(?!性)|也许|或许|似乎|好像|看似|乍一?看|表面上?看|貌似|未必|不一定|不见得|难说"
    r"|难讲|不好说|说不准|不确定|不清楚|难以|很难|无法|不敢"
    r"|取决于|是否|是不是|对不对|能否|有没有|到底|究竟|(?<![a-z])(?:may|might|maybe|perhaps|possibly|cannot|can't"
    r"|whether|if|unless|not sure|unclear|hard to)(?![a-z])"
)
_CONDITION = re.compile(
    r"请(?:先|您|你|直接)?(?:回复|回答|判断|选择|用)|既(?:可以|能|可|不能)?[是为说选算]|如果|假如|假设|倘若|要是|除非"
    r"|只有|只要|一旦|否则|反之|(?<![A-Za-z0-9\u4e00-\u9fff])若|若(?:是|按|以|为|患者|题|在|无|有)|当[^,。;:\n]{1,20}时"
    r"|(?<![a-z])(?:if|unless|otherwise)(?![a-z])"
)
_IN_CLAUSE = re.compile(f"{_LACK}|{_OTHERS}|{_DOUBT}")
_VIEW = re.compile(_OTHERS)
_BEFORE_CLAUSE = re.compile(rf"(?:{_LACK}|{_OTHERS})(?:过|到|了)?[,:\s]+\Z")  # 有人认为，该说法正确
_CLAUSE = re.compile(r"[,:]")


def in_scope(before: str) -> bool:
    """Tell whether what stands before a verdict in its sentence takes the verdict into its scope."""
    if _CONDITION.search(before):
        return True
    start = max(before.rfind(","), before.rfind(":")) + 1
    return bool(_IN_CLAUSE.search(before, start) or (start and _BEFORE_CLAUSE.search(before[:start])))


def of_others(before: str) -> bool:
    """Tell whether a sentence names somebody else's view before its verdict."""
    return bool(_VIEW.search(before))


def doubted(clause: str) -> bool:
    """Tell whether one clause before a verdict holds doubt, another's view or lack of evidence."""
    return bool(_IN_CLAUSE.search(clause))
