"""Reading the verdict on a claim: 正确, 错误, or none.

The verdict must be the reply's first assertion. Lead-ins that assert nothing are skipped (greetings, 我认为, labels, list numbers).
正确 and 错误 as attribute or adverb (正确的诊断, 错误用药), questions, echoes of the instruction and both at once are no verdict.
"""

import re
from functools import cache

from opencc import OpenCC

from eval.reply_text import folded

RIGHT, WRONG = "正确", "错误"

_OPENING_MARKS = re.compile(r"[\"'“”‘’「『《〈(\[【<{]")
_CLOSING_MARKS = re.compile(r"[」』》〉)\]】>}]")
_SIGNS = re.compile(r"[~√×]")
_LEAD_INS = re.compile(
    r"(?:(?:你好|您好|好的|谢谢[^,。!]*|感谢[^,。!]*)[,。!~\s]*"
    r"|(?:作为|对于)[^,。:]{1,20},\s*|以下是[^,。:]{1,12}:\s*"
    r"|(?:首先|总之|综上所述|综上|因此|所以|那么)[,:\s]*"
    r"|(?:我(?:们)?(?:认为|觉得|判断|的(?:回答|判断|答案|回复)是?)|在我看来|(?:根据|按照|依据|基于|从)[^,。:]{1,20}(?:来看|来说|上看|上讲)?[,:])[,:\s]*"
    r"|(?:(?:正确|最终|参考)?答案|结论|回复|回答|判断|判断结果|结果|答|answer|ans|a)(?:是|为)?\s*[:]\s*"
    r"|(?:(?:正确|最终|参考)?答案|结论|回答|判断结果)(?:是|为)\s*"
    r"|(?:\d{1,2}|[一二三四五六])\s*[.、)]\s*|[-—•·.。,:\s]+)",
    re.IGNORECASE,
)
_SUBJECT = (
    r"(?:(?:您|你|题目中?|题中)?(?:的|所说的|提到的)?"
    r"(?:该|这个|这种|这一|这|此|本|上述|以上|下列|题中|给出的)?(?:条|句|个|项)?"
    r"(?:医学)?(?:说法|观点|陈述|表述|描述|命题|论断|论述|句话|话|叙述|内容|断言|声明)?)"
)
# What makes a verdict word a verdict: the sentence or clause ends after it, or its reason begins.
_ENDS = r"(?=\s*(?:的|了)?\s*(?:[,。!;:.\n—-]|$|因为|原因|理由|由于))"
_VERDICTS = [
    (WRONG, r"(?:并)?(?:不(?:完全|太|够)?|(?<!是)不是(?:完全)?)(?:正确|准确|对)"),
    (WRONG, r"(?:是)?(?:完全)?错误|(?:有|存在)(?:错)?误|(?:存在|有)(?:一些|一定的?|部分)?错误|错"),
    (RIGHT, r"(?:没有|没|无)(?:错误|错|误)|(?:是)?(?:完全|基本)?正确(?:无误)?|(?:是)?(?:对)(?:的)?"),
]
_OPENING = re.compile(
    rf"{_SUBJECT}(?:是|属于|确实)?(?:(?:一个|一种)?)?(?:"
    + "|".join(f"(?P<v{i}>{pattern})" for i, (_, pattern) in enumerate(_VERDICTS))
    + rf")(?:的(?:说法|观点|陈述|表述|描述|命题|论断)?)?{_ENDS}"
)
_FILLERS = [
    (WRONG, re.compile(rf"不是(?:的|这样的)?{_ENDS}")),
    (RIGHT, re.compile(rf"是(?:的)?{_ENDS}")),
    (None, re.compile(rf"[不否]{_ENDS}")),  # 不 alone may deny the claim or what it denies: only what follows tells
]
_SENTENCE = re.compile(r"[。!?\n;]")


def read_claim(reply: str) -> str | None:
    """Return 正确 or 错误, or None where the reply opens with neither."""
    text = _CLOSING_MARKS.sub(",", _OPENING_MARKS.sub("", _SIGNS.sub("", _to_simplified(folded(reply)))))
    while (lead := _LEAD_INS.match(text)) and lead.end():
        text = text[lead.end() :]
    if match := _OPENING.match(text):
        return None if _takes_back(text, match) else _verdict(match)
    for verdict, filler in _FILLERS:
        if match := filler.match(text):
            return _explicit_after(text[match.end() :]) or verdict
    return None


@cache
def _converter() -> OpenCC:
    return OpenCC("t2s")


def _to_simplified(text: str) -> str:
    return _converter().convert(text)


def _verdict(match: re.Match) -> str:
    number = next(i for i in range(len(_VERDICTS)) if match[f"v{i}"])
    return _VERDICTS[number][0]


def _takes_back(text: str, match: re.Match) -> bool:
    """Tell whether the reply names both verdicts as open alternatives (正确，或者错误)."""
    rest = text[match.end() : match.end() + 8]
    return bool(re.match(r"\s*的?[,、—-]?\s*(?:或|还是|/)", rest))


def _explicit_after(rest: str) -> str | None:
    """Return an explicit verdict in what is left of the opening sentence: 是的，该说法错误 is a refusal."""
    sentence = _SENTENCE.split(rest.lstrip("的 ,"), maxsplit=1)[0]
    for clause in re.split(r"[,:]", sentence):
        if match := _OPENING.match(clause.strip()):
            return _verdict(match)
    return None
