"""Aiken and GIFT as Moodle's own documentation describes them, with Chinese questions: each kind read rightly or rejected, nothing lost."""

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import FileResult, read_steps

_SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")

AIKEN = """成人静息时正常心率的范围是（ ）
A. 40～60次/分
B. 60～100次/分
C. 100～120次/分
D. 120～140次/分
ANSWER: B
{gap}下列哪项属于脂溶性维生素？
A) 维生素C
B) 维生素B1
C) 维生素A
D) 叶酸
E) 烟酸
ANSWER: C
{gap}胰岛素由胰岛β细胞分泌。
A. True
B. False
ANSWER: A
"""

GIFT = r"""// 第一单元
$CATEGORY: 护理学/生命体征

::脉搏:: 成人脉搏的正常范围是 {
=60～100次/分 # 正确
~40～60次/分 # 过缓
~100～120次/分
####见教材第三章
}

::题2::[html]测量血压时，袖带过窄会使测得的值{=偏高 ~偏低 ~不变}。

维生素C又称抗坏血酸。{T}

胰岛素由胰岛α细胞分泌。{FALSE#由β细胞分泌}

::填空:: 正常成人每日尿量约为 {=1500ml =1500毫升} 。

::数值:: 成人血容量约占体重的百分之几？{#8:1}

::范围:: 体温多少度为低热？{#37.3..38}

::多选:: 下列属于脂溶性维生素的有 {
~%50%维生素A
~%50%维生素D
~%-100%维生素C
}

::匹配:: 请将缺乏的维生素与病配对 {
=维生素A -> 夜盲症
=维生素C -> 坏血病
=维生素D -> 佝偻病
}

::转义:: 若x\=3，则x\{a\}\~y的值是？ {=1\:2 ~2\:1 ~\#3}

::论述:: 简述休克的护理要点。 {}

本单元以下为护理学内容。
"""
READ = [
    ("成人脉搏的正常范围是", ["60～100次/分", "40～60次/分", "100～120次/分"], "A", "见教材第三章"),
    ("测量血压时，袖带过窄会使测得的值 ____ 。", ["偏高", "偏低", "不变"], "A", None),
    ("维生素C又称抗坏血酸。", [], "√", None),
    ("胰岛素由胰岛α细胞分泌。", [], "×", None),
    ("正常成人每日尿量约为 ____ 。", [], "1500ml", None),  # the first of several that do
    ("成人血容量约占体重的百分之几？", [], "8±1", None),
    ("体温多少度为低热？", [], "37.3～38", None),
    ("下列属于脂溶性维生素的有", ["维生素A", "维生素D", "维生素C"], "AB", None),
    ("若x=3，则x{a}~y的值是？", ["1:2", "2:1", "#3"], "A", None),
    ("简述休克的护理要点。", [], None, None),
]


def _read(name: str, text: str) -> FileResult:
    [result] = [step for step in read_steps(name, text.encode(), None, _SEEN) if isinstance(step, FileResult)]
    return result


@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_aiken(gap: str, end: str) -> None:
    result = _read("bank.txt", AIKEN.format(gap=gap).replace("\n", end))
    items = [item for item in result.reading.items if isinstance(item, QuestionItem)]
    assert [(len(item.options_raw or []), item.answer_raw) for item in items] == [(4, "B"), (5, "C"), (2, "A")]
    assert items[1].stem_raw == "下列哪项属于脂溶性维生素？" and items[1].options_raw[2] == "C) 维生素A"
    assert not any(item.doubt for item in items) and result.account.unread_characters == 0


def test_gift() -> None:
    result = _read("bank.txt", GIFT)
    items = [item for item in result.reading.items if isinstance(item, QuestionItem)]
    sound = [item for item in items if not item.doubt]
    told = [
        (
            (item.stem_raw or "").partition("题 ")[2],
            [option[3:] for option in item.options_raw or []],
            item.answer_raw,
            item.explanation_raw,
        )
        for item in sound
    ]
    assert told == READ
    assert [item.doubt for item in items if item.doubt] == ["options_unreadable"]  # of a matching question
    unread = {text for one in result.account.unread for text in [one.text]}
    assert any("本单元以下" in text for text in unread)  # a description is no part of the question above
    assert not any("CATEGORY" in text for text in unread)
