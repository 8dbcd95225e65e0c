"""Labels of any words before the parts of each question."""

import pytest

from crawlers.papers.paper import read_paper
from crawlers.papers.passes.role_labels import roles_labelled

QUESTIONS = (
    ("基坑边堆放土方应距边缘不小于（ ）米", ("一", "二", "三", "四"), "A", "见规范第三章的条文。"),
    ("下列属于中间产品的有（ ）", ("砂石骨料", "预制件", "机电产品", "土工材料"), "AB", "原文如此，机电产品不属于它。"),
    ("安全检查的阶段性检查包括（ ）", ("设施检查", "机械检查：含吊车；含电梯", "工序检查", "个人用品"), "CD", "第二节末尾有说明。"),
    ("危险源是指可能造成（ ）的根源", ("伤害", "疾病", "损失", "中断"), "B", "定义在总则里，注意区分。"),
)
LABELS = (
    "题选答析",
    "问项解因",
    ("题目", "供选", "应选", "出题依据"),
    "QOAE",
    ("STEM", "OPTS", "KEYS", "jx"),
    ("考题", "支", "钥匙", "备注"),
)


def _read(lines: list[str]) -> list[tuple[list[str], str | None, str | None]]:
    paper = read_paper(lines)
    assert not paper.rejected
    return [([option[2:].strip() for option in draft.options], draft.answer, draft.explanation) for draft in paper.questions]


@pytest.mark.parametrize("labels", LABELS, ids="".join)
@pytest.mark.parametrize("form", ["{}：", "【{}】", "[{}] ", "{} | ", "{number}"])
@pytest.mark.parametrize("joint", ["；", " ", "\n"])
def test_labels_show_their_roles_by_what_follows_them(labels: tuple[str, ...], form: str, joint: str) -> None:
    lines: list[str] = []
    for number, (stem, options, answer, reason) in enumerate(QUESTIONS, 1):
        offered = joint.join(f"{letter}{' .'[joint == ' ']}{words}" for letter, words in zip("ABCD", options, strict=True))
        for label, words in zip(labels, (stem, offered, answer, reason), strict=True):
            name = f"{label}{number}：" if form == "{number}" else form.format(label)
            if joint != "\n" or words != offered:
                lines.append(name + words)
            else:
                lines += offered.split("\n")
        lines.append("")
    assert _read(lines) == [(list(options), answer, reason) for _, options, answer, reason in QUESTIONS]


@pytest.mark.parametrize(("question", "answer"), [("Q{}: ", "A{}: "), ("问{}：", "答{}："), ("问题{}：", "解{}：")])
@pytest.mark.parametrize("said", ["{}。{}", "{0}，{0}。{1}", "{}，{}"])
def test_numbered_labels_of_statements_and_verdicts(question: str, answer: str, said: str) -> None:
    statements = (("使用铝线易发生磨损", "对"), ("作业人员可以越过遮栏", "错"), ("横担装于拉线侧", "对"), ("接地线先接导体端", "错误"))
    lines = [
        line
        for number, (stem, verdict) in enumerate(statements, 1)
        for line in (question.format(number) + stem + "。", answer.format(number) + said.format(verdict, f"第{number}章里有规定。"), "")
    ]
    paper = read_paper(lines)
    assert [(draft.stem[-len(stem) - 1 : -1], draft.answer) for draft, (stem, _) in zip(paper.questions, statements, strict=True)] == list(
        statements
    )
    assert all(draft.explanation for draft in paper.questions)


def test_an_answer_of_letters_with_their_words_keeps_all_letters() -> None:
    lines: list[str] = []
    for number, (stem, options, answer, _) in enumerate(QUESTIONS, 1):
        words = dict(zip("ABCD", options, strict=True))
        lines += [f"{number}. {stem}", *(f"{letter}. {text}" for letter, text in words.items())]
        lines += ["答案：" + " ".join(f"{letter} {words[letter]}的全部规定和要求" for letter in answer)]
    lines = [line if line.startswith("答案") else f"{line}的全部规定和要求" if line[0] in "ABCD" else line for line in lines]
    assert [draft.answer for draft in read_paper(lines).questions] == [answer for _, _, answer, _ in QUESTIONS]


@pytest.mark.parametrize(
    "lines",
    [
        ["张三：A", "李四：B", "张三：B", "李四：C", "张三：A", "李四：D"],  # what members guess
        [text for number in (1, 2, 3, 4) for text in (f"王师：下列属于第{number}类的是（ ）", "小李：" + "ABCA"[number - 1])],
        ["甲：你好", "乙：你好", "甲：再见", "乙：再见", "甲：在吗", "乙：在"],
        [text for number in (1, 2, 3) for text in (f"题：第{number}题（ ）", "我的答案：" + "ABC"[number - 1])],
    ],
)
def test_labels_without_roles_are_left(lines: list[str]) -> None:
    assert roles_labelled(list(enumerate(lines))) == list(enumerate(lines))


@pytest.mark.parametrize(("labels", "code"), [("号题判据", "PD-00{}"), (("编号", "陈述", "判断", "依据"), "A{}"), ("XSVR", "2024-0{}")])
@pytest.mark.parametrize("sign", ["\t", "：", " | "])
def test_cards_with_codes_of_their_own(labels: tuple[str, ...], code: str, sign: str) -> None:
    lines = ["每日一题卡片"]
    for number, verdict in enumerate(("正确", "错误", "错误", "正确"), 1):
        words = (code.format(number), f"第{number}种钢丝绳与棱角处应包垫。", verdict, f"依据第{number}条的规定，应当如此。")
        lines += [f"{label}{sign}{said}" for label, said in zip(labels, words, strict=True)] + [""]
    read = read_paper(lines)
    assert all(draft.stem.endswith(f"第{n}种钢丝绳与棱角处应包垫。") for n, draft in enumerate(read.questions, 1))
    assert [draft.answer for draft in read.questions] == ["正确", "错误", "错误", "正确"]
    assert [draft.explanation for draft in read.questions] == [f"依据第{n}条的规定，应当如此。" for n in range(1, 5)]
