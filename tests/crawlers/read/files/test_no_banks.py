"""Texts and surveys that are not question banks: refused even if they mention tests; similar banks are read."""

import json

import pytest

from atomexam.text.refusal import Refusal
from crawlers.read.papers import read_questions
from tests.crawlers.read.bodies import SEEN, read

FOREIGN = {
    "minutes.txt": "考核安排会议纪要\n1. 命题进度\n主任：题目由谁来审？要求月底交。\n2. 场地\n（1）是否需要加座？\n"
    "3. 各组按要求自查，正确填写。\n4. 错误的退回。\nA组负责选择题，B组负责判断题。\n",
    "agenda.txt": "命题研讨会议程\n8:30—9:00 签到\n9:00—9:40 选择题如何命制？\n10:00—10:30 谁来审题？\n"
    "11:00—11:30 答案的核对\n14:00—15:00 讨论\n",
    "syllabus.txt": "考试大纲\n一、题型\n1. 单项选择题 40题 每题1分\n2. 多项选择题 20题 每题1分\n二、内容\n"
    "1. 吸收是什么\n2. 片剂的分类\n3. 注射剂\n4. 制剂的质量要求\n",
    "recipes.md": "\n".join(
        f"## 菜{n}\n\n- A. 肉{n}\n- B. 葱{n}\n- C. 酱{n}\n\n1. 洗净切块\n2. 下锅翻炒\n3. 加水烧开\n4. 是否加糖？看口味\n"
        for n in "一二三四五"
    ),
    "rules.md": "# 考场规则\n\n1. 提前到场。\n2. 下列物品不得带入：\n   - A. 手机\n   - B. 书籍\n"
    "3. 选择题用铅笔作答，答案写在试卷上无效。\n"
    "4. 可否询问监考员？字迹不清可以。\n5. 下列行为取消成绩：\n   - A. 抄袭\n   - B. 替考\n",
    "scale.txt": "睡眠量表\n"
    + "\n".join(
        f"{n}. 我{what}  A 没有 B 有时 C 常常 D 总是" for n, what in enumerate(["醒得早", "睡得浅", "做梦", "打鼾", "犯困", "头晕"], 1)
    ),
    "interview.txt": "\n".join(
        f"问：{q}\n答：{a}"
        for q, a in [
            ("您工作几年了？", "八年。"),
            ("您最难忘的是什么？", "第一次考试。"),
            ("谁帮助了您？", "我的老师。"),
            ("会后悔吗？", "不会。"),
            ("您想说什么？", "谢谢。"),
        ]
    ),
    "lease.txt": "房屋租赁合同\n出租方（甲方）：________\n承租方（乙方）：________\n"
    "一、甲方将位于（   ）的房屋出租给乙方使用，面积（  ）平方米。\n二、租期自____年__月__日起至____年__月__日止。\n"
    "三、租金每月人民币（  ）元，支付方式按下列第（ ）种执行：\n"
    "A. 按月支付 B. 按季支付 C. 按半年支付 D. 按年支付\n四、押金为（  ）元，合同期满无息退还。\n五、水、电、物业费由（ ）方承担。\n",
    "loan.txt": "借款合同\n甲方：____\n乙方：____\n1. 甲方借给乙方人民币____万____千元整。\n2. 借款期限自____年____月____日起。\n"
    "3. 还款方式为以下第____种：\nA. 到期一次还清\nB. 按月等额还款\n4. 争议由____方所在地法院管辖。\n",
    "labour.txt": "劳动合同书\n第一条 本合同期限为____年__月__日至____年__月__日。\n第二条 乙方岗位为____。\n第三条 工资为每月____元。\n"
    "第四条 本合同一式两份。\n签字：____  ____年__月__日\n",
    "application.txt": "入会申请表\n1. 姓名：____ 性别：____\n2. 出生日期：____年__月__日\n"
    "3. 学历：□本科 □硕士 □博士\n4. 入会时间：__年__月__日\n5. 本人承诺以上内容属实。\n",
    "faq.txt": "\n".join(
        f"Q{n}：{q}\nA：{a}" for n, (q, a) in enumerate([("能补考吗？", "能。"), ("考几科？", "四科。"), ("在哪里报名？", "官网。")], 1)
    ),
    "常见问题.txt": "常见问题 FAQ\n"
    + "\n".join(
        f"{n}. {q}\n答：{a}"
        for n, (q, a) in enumerate(
            [("怎样挂号？", "电话预约。"), ("几点开门？", "八点。"), ("能退号吗？", "能。"), ("在哪里取药？", "一楼。")], 1
        )
    ),
    "todo.md": "# 待办\n\n1. 预约体检\n   - [ ] 空腹\n   - [x] 带卡\n2. 复习第三章的判断题\n   - [x] 做错题\n   - [ ] 看笔记\n",
    "ward.txt": "病程记录\n一、特点：1. 中年男性。2. 病程长。\n二、初步诊断：1. 溃疡？2. 胃炎？\n三、鉴别诊断：\n"
    "A. 胃癌：消瘦。\nB. 胆石症：右上腹痛。\nC. 胰腺炎。\n四、计划：要求禁酒。答复家属：继续观察。\n",
    "novel.txt": "第一章 雨夜\n他问：答案是谁写的？\n1998年冬天，一家人挤在小屋里。\n父亲说，对错哪能分清。\n"
    "2003年他离开了家。\n“考试呢？”她问。\n",
    "program.txt": 'import random\n# 1. 读入题目 2. 提问\nif __name__ == "__main__":\n    for question in load("bank"):\n'
    '        print("答案", question["answer"])\n',
    "contract.txt": "劳动合同\n1. 乙方从事____岗位。\n2. 乙方应当完成工作。\n3. 乙方月工资为（    ）元。\n"
    "4. 争议选择（ ）：\nA. 仲裁\nB. 诉讼\n",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_refuses_texts_that_are_not_question_banks(name: str) -> None:
    try:
        reading = read_questions(name, FOREIGN[name].encode(), name[name.index(".") :], SEEN)
    except ValueError as error:
        assert name in str(error)
    else:
        assert reading.items == []


PAPERS = {
    "four options, no answers": "\n".join(
        f"{n}. 第{n}味药除了清热，还可\nA. 散风{n}\nB. 凉血{n}\nC. 祛痰{n}\nD. 疏肝{n}" for n in range(1, 7)
    ),
    "blanks": "填空练习\n" + "\n".join(f"{n}. 正常体温为____度，脉搏为____次。" for n in range(1, 7)),
    "answers that fit": "\n".join(f"{n}. 第{n}味药\nA. 散风\nB. 凉血\n答案：A" for n in range(1, 7)),
    "few among many points": "\n".join(f"{n}. 能量守恒第{n}条。" for n in range(1, 15))
    + "\n二、单选题\n"
    + "\n".join(f"{n}. 能量的单位是（ ）\nA. 焦{n}\nB. 米{n}\nC. 秒{n}\nD. 克{n}\n答案：A" for n in range(1, 7)),
}


@pytest.mark.parametrize("name", PAPERS)
def test_reads_papers_that_look_like_other_texts(name: str) -> None:
    assert len(read_questions("a.txt", PAPERS[name].encode(), ".txt", SEEN).items) >= 6


def test_refuses_unknown_columns_by_name() -> None:
    rows = "\n".join(f"{1 + n % 2},第{n}种药物应当每日定时服用。" for n in range(40)) + "\n1.漏服时加倍。\n2.可以随餐。"
    with pytest.raises(ValueError, match=r"题库\.txt: rows under the columns 'keyCode,contentText', .* layout"):
        read_questions("题库.txt", f"keyCode,contentText\n{rows}".encode(), ".txt", SEEN)


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
def test_refuses_surveys(name: str) -> None:
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
def test_reads_a_bank_that_looks_like_a_survey(name: str) -> None:
    assert len(read(name, BANKS[name]).items) == BANKS[name].count(b"\n")
