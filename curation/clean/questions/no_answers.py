"""What stands where an answer or an explanation should, and says nothing: 略, 暂无解析, 见教材, an invitation to pay."""

import re

_WHAT = r"(?:参考|正确|标准)?(?:答案|解析|解答|分析|说明)"
_NOTHING = re.compile(
    rf"[（(【\[]?(?:本题)?(?:{_WHAT}[:：]?)?(?:从?略|暂?无|没有|暂缺|缺|未知|未提供|未给出|不详|待(?:补充|完善|更新|定)|加载中|(?:需要?|开通)(?:VIP|会员)|(?:章节测[验试]\s*)?(?:已|未)完成|见(?:后|下|书)|空|null|none|nan|n/?a|undefined)"
    rf"(?:{_WHAT})?[）)】\]]?[。.!！]?",
    re.I,
)
_ELSEWHERE = re.compile(
    rf"[（(]?(?:{_WHAT}[:：]?)?(?:请?(?:参见|参考|参阅|详见|见|看))(?:教材|课本|书本?|讲义|笔记|{_WHAT}|上[题文]?|下[题文]?|原文)[^。，；\n]{{0,10}}[）)]?[。.]?"
)
_TO_PAY = re.compile(
    r"(?:[^。，\n]{0,8}(?:VIP|会员|登[录陆]|购买|付费|扫码|关注)[^。，\n]{0,6}(?:可见|查看|后|获取|显示)[^。\n]{0,10})[。.]?", re.I
)


def says_nothing(text: str) -> bool:
    """Tell whether a text is no answer and no explanation, but a word that there is none here."""
    return any(pattern.fullmatch(text) for pattern in (_NOTHING, _ELSEWHERE, _TO_PAY))
