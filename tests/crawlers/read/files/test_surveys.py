"""Surveys in tables: neither what was chosen nor how often is a key. Banks that look like one are read."""

import json

import pytest

from atomexam.text.refusal import Refusal
from tests.crawlers.read.bodies import read

ASKED = ["性别", "对等候时间是否满意？", "每周锻炼几次？", "通过什么途径了解我院？", "是否愿意推荐？", "最希望改进哪一方面？"]
CHOICES = ["男|女", "满意|一般|不满意", "从不|一次|多次", "网络|亲友|电视", "愿意|不愿意|不确定", "环境|态度|流程"]
PAIRS = list(zip(ASKED, CHOICES, strict=True))
STEMS = ["最基本的认知过程是（ ）", "知觉的整体性是指（ ）", "记忆的第一步是（ ）", "情绪的外部表现是（ ）", "气质类型有（ ）"]


def _csv(*rows: str) -> bytes:
    return "\n".join(rows).encode()


SURVEYS = {
    "cells.csv": _csv("题目,选项,占比", *(f"{stem},{some},3%|9%" for stem, some in PAIRS)),
    "totals.csv": _csv("序号,问题,选项1,选项2,选择人数合计", *(f"{n},{stem},好,差,19{n}" for n, stem in enumerate(ASKED, 1))),
    "客户满意度调查.csv": _csv("题目,选项A,选项B", *(f"{stem},{some.replace('|', ',', 1)}" for stem, some in PAIRS)),
    "scale.csv": _csv("题号,题目,选项1,选项2,选项3", *(f"{n},{stem},不符合,不确定,符合" for n, stem in enumerate(ASKED, 1))),
    "chosen.csv": _csv("题目,A,B,最多选择", *(f"您的{stem},满意,其他,{'AB'[n % 2]}" for n, stem in enumerate(ASKED))),
    "people.csv": _csv("编号,题目,选项,答案", *(f"{n},{stem},{some},{some.split('|')[n % 2]}" for n in range(6) for stem, some in PAIRS)),
    "people.json": json.dumps(
        [{"respondent": n, "question": stem, "answer": some.split("|")[n % 2]} for n in range(6) for stem, some in PAIRS for _ in range(2)]
        + [{"respondent": n, "question": "年龄", "answer": str(20 + n)} for n in range(9)]
    ).encode(),
    "counts.json": json.dumps([{"question": stem, "options": some.split("|"), "counts": [4, 5]} for stem, some in PAIRS]).encode(),
    "statistics.csv": "".join(
        f"第{n}题 {stem} [单选题],,\n选项,小计,比例\n" + "".join(f"{one},5,50%\n" for one in some.split("|"))
        for n, (stem, some) in enumerate(PAIRS, 1)
    ).encode(),
    "form.csv": _csv(
        "Timestamp,How satisfied are you?,Would you recommend us?,How old are you?",
        *(f"2023/05/{n} 3:00:12 PM,{'Very' if n % 2 else 'Not'},{'Yes' if n % 3 else 'No'},{20 + n}" for n in range(10, 28)),
    ),
    "sojump.csv": _csv(
        "序号,提交答卷时间,所用时间,来自IP," + ",".join(f"{n}、{stem}" for n, stem in enumerate(ASKED, 1)),
        *(f"{n},2023/5/{n} 10:00,{n}秒,1.1.1.1," + ",".join(some.split("|")[n % 2] for some in CHOICES) for n in range(10, 28)),
    ),
}


@pytest.mark.parametrize("name", SURVEYS)
def test_a_survey_gives_no_questions(name: str) -> None:
    with pytest.raises(Refusal):
        read(name, SURVEYS[name])


BANKS = {
    "bank.csv": _csv("题目,选项A,选项B,答案,作答人数", *(f"{stem},甲{n},乙{n},{'AB'[n % 2]},9{n}" for n, stem in enumerate(STEMS))),
    "open.csv": _csv("题目,选项A,选项B,选项C", *(f"{stem},甲{n},乙{n},丙{n}" for n, stem in enumerate(STEMS))),
    "twice.csv": _csv("题目,选项A,选项B,答案", *(f"{stem},甲{n},乙{n},A" for _ in range(6) for n, stem in enumerate(STEMS))),
    "one_stem.csv": _csv("题目,选项A,选项B,答案", *(f"以下正确的是,甲{n},乙{n},{'AB'[n % 2]}" for n in range(9))),
    "cloze.csv": _csv("题目,答案", *(f"选词填空,词{n}" for n in range(9))),
    "verdicts.csv": _csv("题目,选项A,选项B,答案", *(f"{stem},正确,错误,{'AB'[n % 2]}" for n, stem in enumerate(STEMS))),
    "one_您.csv": _csv("题目,选项A,选项B,答案", *(f"{stem},甲{n},乙{n},A" for n, stem in enumerate(STEMS)), "客户问您好时应答,好,不好,A"),
}


@pytest.mark.parametrize("name", BANKS)
def test_a_bank_that_looks_like_a_survey_is_read(name: str) -> None:
    assert len(read(name, BANKS[name]).items) == BANKS[name].count(b"\n")
