"""Recognize lines and cells without content: credits, notes, sources and totals. Texts -> values."""

import re

PERSON = re.compile(
    "[王李张刘陈杨赵吴周徐孙朱胡郭何罗郑梁谢宋唐许韩冯邓曹彭曾萧蔡叶程苏魏吕丁任沈姚卢"
    "姜崔钟谭陆汪范廖贾夏韦付邹孟熊秦邱江尹薛闫][\u4e00-\u9fff]{1,2}"
)
"""A personal name: a common surname and one or two characters."""
_ROLE = (
    r"(?:本[节章文篇表]|责任|[总副])?(?:审[稿核校阅定批]|编[辑者写审校制]|撰[稿写]|校[对稿]|主[编审]|作者|录入|整理|[制填]表|复核|负责|统计|填报|汇总|登记|维护)(?:人|员|者|专家|医[生师])?"
    r"|(?:副?主[任治诊管]|检验|报告|责任|值班)?[中药]?(?:医[师生]|技师)|副?教授|药师|专家"
)
_BOILERPLATE = re.compile(
    r"[（(【\[]?(?:待(?:补充|完善|更新)|未完待续|(?:核准|批准|修[订改])日期[】\]]?(?:\s?[:：]?\s?[\d年月日./-]{0,60})"
    r"|[^。\n]{0,9}仔细阅读.{0,4}说明书[^。\n]{0,30}[。]?)[）)】\]]?"
)
"""A text's status, such as 待补充 or an approval date, and the notice above a leaflet."""
_MAKER = re.compile(
    rf"[（(【\[]?(?:(?:{_ROLE})(?:\s?[:：][^。]{{0,30}}|\s{PERSON.pattern}(?:\s?(?:{_ROLE}))?)"
    rf"|(?:文[/／]\s?)?{PERSON.pattern}[\s，,（(]{{0,2}}(?:{_ROLE})(?:[\s，,].{{0,40}})?|文\s?[/／]\s?{PERSON.pattern})[）)】\]]?"
)
"""The credits of a text: who wrote, checked or entered it."""
_REMARK = re.compile(
    r"[（(【\[*※＊]{0,2}\s?(?:备?注|附注|注释|说明|编?者按|(?:免责)?声明|(?:[数资信图文内][据料息片章献容])?(?:来源|出处)|参考(?:资料|文献|书目)"
    r"|(?:[制填]表|统计|发布|审核|编制|整理|录入|出版|打印|修订|更新)(?:日期|时间|单位|部门|机构)|日期|联系(?:人|方式|电话))\d{0,2}(?:\s?[:：].*)?"
    r"|[合总小共]计(?:\s?[（(:：\d].{0,20})?|共\s?\d+\s?[条种个项味例].{0,6}|(?:点击)?(?:查看|阅读|了解)(?:详情|更多|全文)\s?[>》»›]{0,3}|版权(?:所有|归属).{0,30}|[^，。；]{0,12}仅供参考.{0,30}",
    re.DOTALL,
)
"""A note, a source or a total below entries."""
HEADS_ROWS = re.compile(r"[（(]?[一二三四五六七八九十]{1,3}[)）]?\s?[、.．]|第[一二三四五六七八九十\d]{1,3}[章节部篇]")
"""The start of a heading above rows."""


def is_boilerplate(text: str) -> bool:
    """Return whether a text is only a status or the notice above a leaflet, which are never content, however often they recur."""
    return _BOILERPLATE.fullmatch(text.strip()) is not None


def is_remark(text: str) -> bool:
    """Return whether a text is a note, a source, a total, a status or credits."""
    return any(pattern.fullmatch(text.strip()) for pattern in (_REMARK, _MAKER, _BOILERPLATE))
