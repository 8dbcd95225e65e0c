"""Reading answers: each rule a row."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.answers.__main__ import read_row
from eval.answers.readers import READERS, read_reply
from eval.answers.reply_text import split_reasoning

HERE = Path(__file__).parent
OPTIONS = {"A": "荣格", "B": "阿德勒", "C": "弗洛伊德", "D": "埃里克森"}
MANY = {"A": "食物", "B": "安全", "C": "温暖", "D": "金钱", "E": ""}

CLAIMS = [
    ("正确", "正确"),
    ("错误。理由如下", "错误"),
    ("  \n正确，因为", "正确"),
    ("**错误**\n原因：略", "错误"),
    ("”正确”，然后", "正确"),
    ("答：错误。", "错误"),
    ("正确答案：错误。", "错误"),
    ("【错误】两种检查混了。", "错误"),
    ("以上说法是错误的", "错误"),
    ("这是一个正确的说法。", "正确"),
    ("你好！我认为正确。", "正确"),
    ("根据医学知识，该说法是错误的。", "错误"),
    ("1. 错误\n2. 原因", "错误"),
    ("正確。", "正确"),
    ("正 确。", "正确"),
    ("是的，该说法错误。", "错误"),
    ("是的。", "正确"),
    ("不是的，它没有传染性", "错误"),
    ("不完全正确。", "错误"),
    ("没有错误。", "正确"),
    ("没错，", "正确"),
    ("有误", "错误"),
    ("错误，正确的说法需要结合临床判断。", "错误"),
    ('{"answer": "错误", "reason": "x"}', "错误"),
    ("正确(√)", "正确"),
    ("❌ 错误", "错误"),
    ("正确 - 原因", "正确"),
    ("错误——", "错误"),
    ("错误~", "错误"),
    ("正确<|im_end|>", "正确"),
    ("作为AI医学助手，我认为该说法正确。", "正确"),
    ("对于这个说法，我认为是正确的。", "正确"),
    ("不，这个说法是错误的。", "错误"),
    ("这个说法并不是正确的。", "错误"),
    ("这个说法存在一定的错误。", "错误"),
    ("正确答案是错误", "错误"),
    ("不，它会传染", None),
    ("这个说法是不是正确的", None),
    ("正确-或错误", None),
    ("❌", None),
    ("<think>似乎正确</think>错误", "错误"),
    ("正确的诊断需要检查", None),
    ("正确使用可以有效", None),
    ("错误用药很危险", None),
    ("正确的说法是：不传染。", None),
    ("该说法正确与否尚无定论", None),
    ("该说法正确吗？", None),
    ("下列说法是否正确", None),
    ("如果正确，请先回复", None),
    ("正确或错误", None),
    ("正确/错误", None),
    ("不是所有人都适合", None),
    ("喉囊肿是良性病变，所以说法正确", None),
    ("抱歉，我无法判断。", None),
    ("先说结论：这个说法是错误的。", "错误"),
    ("AI判断：正确。", "正确"),
    ("The correct answer is 错误.", "错误"),
    ('The correct judgment is "错误" (incorrect).', "错误"),
    ("> 糖尿病患者不能吃水果。\n\n错误。可以适量吃。", "错误"),
    ("输入：阑尾炎可有右下腹痛。\n输出：正确", "正确"),
    ("温馨提示：以下回答仅供参考。\n\n错误。", "错误"),
    ("严格意义上讲，该说法错误。", "错误"),
    ("判断是否正确：不正确", "错误"),
    ("Q: 维生素C可治疗坏血病。\nA: 正确", "正确"),
    ("我猜是正确的。", "正确"),
    ("医生们认为这个说法是正确的，但我认为是错误的。", None),
    ("", None),
    ("。", None),
]
SINGLE = [
    ("B", "B"),
    ("ｂ", "B"),
    ("[A]", "A"),
    ("答案：B", "B"),
    ("答案:\n\nC", "C"),
    ("答案是：（D）", "D"),
    ("**答案：D**", "D"),
    ("B. 阿德勒", "B"),
    ("应选B项", "B"),
    ("本题选B，因为A说的是另一人", "B"),
    ("A选项错误，应选C。", "C"),
    ("答案不是A，而是C。", "C"),
    ("答案：A\n\n等等，重新考虑后，正确答案应为C。", "C"),
    ("答案：B\n\n问题：下一题\n答案：C", "B"),
    ("Answer: C", "C"),
    ('{"ans": "C"}', "C"),
    ("\\boxed{C}", "C"),
    ("弗洛伊德", "C"),
    ("答案：弗洛伊德", "C"),
    ("A错误，B错误，C正确，D错误", "C"),
    ("ADHD的症状见于多种情形，故选D", "D"),
    ("答案：C C C C", "C"),
    ("答案：A或B", None),
    ("A或B", None),
    ("A, B, C, D", None),
    ("答案：AC", None),
    ("答案：E", None),
    ("以上选项都不正确。", None),
    ("这是一道理论题", None),
    ("<think>选A", None),
    ("", None),
    ("A✗ B✓ C✗ D✗", "B"),
    ("A❌ B✅ C❌ D❌", "B"),
    ("~~A~~ B", "B"),
    ("C<|im_end|>", "C"),
    ("答案是A。等等，应该是B", "B"),
    ("答案：A、B均不正确，应为C", "C"),
    ("答案：C，D项是错误的", "C"),
    ("C. 弗洛伊德\n\n解析：A. 荣格提出集体无意识", "C"),
    ("答案：B，C", None),
    ("荣格和弗洛伊德", None),
    ("A. 荣格\nB. 阿德勒\nC. 弗洛伊德\nD. 埃里克森", None),
]
SEVERAL = [
    ("ACD", "ACD"),
    ("dca", "ACD"),
    ("答案：A,C", "AC"),
    ("答案：A，C，D。", "ACD"),
    ("答案：\nA\nC", "AC"),
    ("A和D", "AD"),
    ("选项A和选项D", "AD"),
    ("B/C/D", "BCD"),
    ("A-D全部正确", "ABCD"),
    ("A√ B× C√ D×", "AC"),
    ("食物、温暖", "AC"),
    ('{"ans": ["A", "C"]}', "AC"),
    ("除了D以外都正确", "ABC"),
    ("以上都对", "ABCD"),
    ("答案：AACC", "AC"),
    ("ADHD的核心症状，故选AB。", "AB"),
    ("答案：ABE", None),
    ("AB或AC", None),
    ("答案：无", None),
    ("", None),
    ("答案：A~D", "ABCD"),
    ("A✓ B✗ C✓ D✗", "AC"),
    ("A✅ B❌ C✅ D❌", "AC"),
    ("A.√ B.× C.√ D.×", "AC"),
    ("答案：A. 食物 B. 安全", "AB"),
    ("答案：A、食物；B、安全", "AB"),
    ("答案：\nA. 食物\nB. 安全\nC. 温暖", "ABC"),
    ("答案：A（食物）和C（温暖）", "AC"),
    ("A. 食物\nC. 温暖", "AC"),
    ("A. 食物：正确\nB. 安全：错误\nC. 温暖：正确\nD. 金钱：错误", "AC"),
    ("- A\n- C", "AC"),
    ("食物和温暖", "AC"),
    ("BCD三项均正确", "BCD"),
    ("正确的是A和C，B和D错误", "AC"),
    ("答案：AB。等等，应该选ABC", "ABC"),
    ("A, C and D", "ACD"),
    ("以上全部", "ABCD"),
    ("以上全部都不对", None),
]
TCM = [
    ("【解析】A不对<eoe>\n【答案】D<eoa>", "D"),
    ("【解析】略<coe>\n【答案】\nD\n<coas>", "D"),
    ("【答案】D <coas> 因为D符合，故排除A。", "D"),
    ("【Answer】: D <COAS>", "D"),
    ("【答案】（D）<eoa>", "D"),
    ("【答案】D．痰浊中阻", "D"),
    ("D", "D"),
    ("【解析】眩晕一证，历代", None),
    ("【答案】以上都有可能<eoa>", None),
    ("例如：【答案】: A <eoa>\n【答案】D<eoa>", "D"),
    ("例如：【答案】: A <eoa>", None),
]
TCM_OPTIONS = {"A": "肝阳上亢", "B": "气血亏虚", "C": "肾精不足", "D": "痰浊中阻", "E": "瘀血阻窍"}
DEMENTIAS = {"A": "AD", "B": "VaD", "C": "DLB", "D": "FTD", "E": "DA"}
LETTERS_OR_TEXTS = [
    ("mcqa", "AD", "A"),
    ("mrqa", "AD", "AD"),
    ("mrqa", "答案：AD", "AD"),
    ("mrqa", "A D", "AD"),
    ("mrqa", "AD和B", "ABD"),
    ("mrqa", "AD、DLB", "AC"),
    ("mrqa", "VaD和AD", "AB"),
    ("mrqa", "A. AD", "A"),
    ("mrqa", "选AD。VaD为血管性痴呆。", "AD"),
    ("mrqa", "DA", "E"),
]
ENGLISH = [
    ("Penicillin (D) is not recommended; ceftriaxone (B) is.", "B"),
    ("Not A. Not B. The best choice is D.", "D"),
    ("I would rule out B and D. A remains.", "A"),
    ("Aspirin (A) is contraindicated. Clopidogrel (C) should be used instead.", "C"),
    ("The correct option is A instead of C.", "A"),
    ("C is never given in pregnancy. Therefore B is the treatment of choice.", "B"),
    ("Options A and C are unlikely. The most likely diagnosis is B.", "B"),
    ("Incorrect: A, B, C. Correct: D.", "D"),
    ("There is no reason to choose A. I choose C.", "C"),
    ("Metformin (B) isn't the first choice. Insulin (C) is the first choice.", "C"),
    ("The answer is B, and A is wrong.", "B"),
    ("The answer is B; A, C and D are wrong.", "B"),
    ("A would not be used here, B would.", "B"),
    ("We avoid A in such patients and prefer B over C.", "B"),
    ("A is contraindicated.", "A"),
    ("A isn't safe.", None),
    ("The answer is not B.", None),
]
ROWS = [
    *((task, reply, DEMENTIAS, answer) for task, reply, answer in LETTERS_OR_TEXTS),
    *(("claim", reply, {}, answer) for reply, answer in CLAIMS),
    *(("mcqa", reply, OPTIONS, answer) for reply, answer in [*SINGLE, *ENGLISH]),
    *(("mrqa", reply, MANY, answer) for reply, answer in SEVERAL),
    *(("tcm", reply, TCM_OPTIONS, answer) for reply, answer in TCM),
]


TEXTS = {
    "degrees": ["36.0℃", "37.0℃", "38.0℃", "39.0℃"],
    "amounts": ["5ml", "10ml", "15ml", "20ml"],
    "weeks": ["2～4周", "4～6周", "6～8周", "8～10周"],
    "bodies": ["IgG", "IgA", "IgM", "IgE"],
    "markers": ["AFP", "CEA", "CA19-9", "HCG"],
    "transmitters": ["GABA", "DA", "NE", "5-HT"],
    "vitamins": ["维生素A", "维生素B1", "维生素C", "维生素D"],
    "groups": ["A型", "B型", "AB型", "O型"],
    "cells": ["B细胞", "T细胞", "NK细胞", "巨噬细胞"],
    "ions": ["Na⁺", "Ca²⁺", "Cl⁻", "K⁺"],
    "cases": ["Aa", "AA", "aa", "BB"],
    "words": ["发热", "咳嗽", "CO", "CT"],
    "bounds": ["<5%", "5%", "20%", "20%以上"],
    "ranges": ["1～2周", "2～3周", "4周", "5周内"],
    "powers": ["10⁵/L", "10⁴/L", "10³/L", "102/L"],
    "digits": ["10³", "103", "104", "105"],
    "antigens": ["HBsAg", "HBeAg", "5%葡萄糖", "10mg"],
    "other": ["感觉", "知觉", "记忆", "思维"],
}
BY_TEXT = [
    ("degrees", "37 ℃", "B"),
    ("degrees", "应为37°C", "B"),
    ("other", "39 ℃", None),
    ("amounts", "10 mL", "B"),
    ("amounts", "110ml", None),
    ("amounts", "0.5ml", None),
    ("weeks", "4-6周", "B"),
    ("weeks", "4 至 6 周", "B"),
    ("weeks", "2—8周", None),
    ("weeks", "2周～4周", None),
    ("weeks", "B. 4-6 周", "B"),
    ("bodies", "答案：IgA", "B"),
    ("bodies", "\\boxed{IgA}", "B"),
    ("bodies", "IgG和IgA", "AB"),
    ("bodies", "IgA（分泌型）", "B"),
    ("bodies", "C. IgM", "C"),
    ("bodies", "\ue001", None),
    ("bodies", "\uf0b7 IgM", "C"),
    ("markers", "CEA", "B"),
    ("markers", "答案：CA 19-9", "C"),
    ("markers", "CEA、HCG", "BD"),
    ("markers", "ABD", "ABD"),
    ("transmitters", "DA", "B"),
    ("transmitters", "DA、NE", "BC"),
    ("vitamins", "维生素A、C、D", "ACD"),
    ("vitamins", "维生素 D", "D"),
    ("groups", "AB 型", "C"),
    ("groups", "B", "B"),
    ("cells", "B 细胞", "A"),
    ("cells", "B", "B"),
    ("ions", "Na+、Cl-", "AC"),
    ("cases", "AA", "B"),
    ("words", "the co worker", None),
    ("bounds", "小于5%", "A"),
    ("bounds", "5%", "B"),
    ("bounds", "超过20%", "D"),
    ("bounds", "≤20%", None),
    ("bounds", "≤5%", None),
    ("bounds", "≥20%", "D"),
    ("bounds", "20%及以上", "D"),
    ("bounds", "等于 20%", "C"),
    ("degrees", "≥38℃", "C"),
    ("ranges", "2周～4周", None),
    ("ranges", "4周以上", None),
    ("ranges", "5周以内", "D"),
    ("powers", "10^5/L", "A"),
    ("powers", "104/L", "B"),
    ("powers", "10²/L", "D"),
    ("digits", "10^3", "A"),
    ("digits", "103", "B"),
    ("digits", "10⁴", "C"),
    ("antigens", "抗HBsAg", None),
    ("antigens", ".5%葡萄糖", None),
    ("antigens", "C.5%葡萄糖", "C"),
    ("antigens", "10mg/d", None),
    ("other", "HLA-C 与维生素 D、抗A抗体、Aβ纤维有关", None),
    ("other", "Answer-B", "B"),
    ("other", "option-B", "B"),
    ("other", "anti-B", None),
    ("other", "因素 B", "B"),
    ("other", "要素 B", "B"),
    ("other", "毒素 B", None),
    ("other", "答案可能是B，也可能是C，但B更可能", "B"),
    ("other", "B或C，更可能是C。", "C"),
    ("other", "可能是B，也可能是C，但不能说B更可能", None),
    ("other", "可能是A，也可能是B，无法确定。", None),
    ("other", "小明认为答案是A，但其实答案是B。", "B"),
    ("other", "我不确定，但我猜是D。", "D"),
]


@pytest.mark.parametrize(("options", "reply", "answer"), BY_TEXT)
def test_the_text_of_an_option_is_read_before_letters(options: str, reply: str, answer: str | None) -> None:
    row = {"response": reply, "options": dict(zip("ABCD", TEXTS[options], strict=True))}
    assert read_row({**row, "task": "mrqa"})["answer"] == answer
    assert read_row({**row, "task": "mcqa"})["answer"] == (answer if not answer or len(answer) == 1 else None)


CUT = [
    ("A. 荣格\nB. 阿德勒\nC. 弗", None),
    ("A项，荣格是人格心理学的", None),
    ("A. 荣格：不对。\nB. 阿德勒：提出", None),
    ("答案：B\n\n解析：自卑是", "B"),
    ("B. 阿德勒\n\n解析：自卑是", "B"),
    ("B。自卑是", "B"),
    ("因此应选B，因为", "B"),
    ("B", "B"),
    ("**B**", "B"),
    ("B.", "B"),
    ("B. 阿德勒", "B"),
    ("B. 阿德", "B"),
    ("\\boxed{B}", "B"),
    ("选项B正确。因为", "B"),
    ("阿德勒。因为自卑", "B"),
    ("阿德勒", "B"),
    ("【B】", "B"),
    ("A is wrong. B is correct. C", "B"),
    ("本题应选阿德勒。因为", "B"),
    ("首先看选项A，荣格的特点是", None),
    ("答案是A、B、", None),
    ("答案是A和", None),
    ("分析如下：\nA. 荣格：正确。\nB. 阿德勒", None),
    ("A. 荣格\nB", None),
]
CUT_SEVERAL = [
    ("A", None),
    ("答案是A、B、", None),
    ("答案：B、C", None),
    ("A. 荣格\nB", None),
    ("答案：荣格、阿德勒", None),
    ("答案：B、C。因为", "BC"),
    ("答案：BC，因为", "BC"),
    ("\\boxed{BC}", "BC"),
    ("BC。因为", "BC"),
]


@pytest.mark.parametrize(
    ("task", "reply", "answer"), [("mcqa", *row) for row in CUT] + [("tcm", *row) for row in CUT] + [("mrqa", *row) for row in CUT_SEVERAL]
)
def test_a_list_that_was_cut_names_nothing(task: str, reply: str, answer: str | None) -> None:
    read = read_reply(task, reply, OPTIONS, "length")
    assert (read.outcome, read.answer, read.committed) == ("answered" if answer else "truncated", answer, answer)


@pytest.mark.parametrize(("task", "reply", "options", "answer"), ROWS)
def test_each_rule(task: str, reply: str, options: dict, answer: str | None) -> None:
    assert read_row({"task": task, "response": reply, "options": options})["answer"] == answer


@pytest.mark.parametrize(
    ("reply", "finish", "outcome"),
    [
        ("正确", "stop", "answered"),
        ("正确", "length", "answered"),
        ("嗯", "stop", "unparsed"),
        ("嗯", "length", "truncated"),
        ("<think>嗯", "stop", "truncated"),
        ("<think>正确", "length", "truncated"),
        ("正确\n<think>再想", "length", "answered"),  # said before the cut
        ("嗯\n<think>再想", "stop", "truncated"),
        ("<think>正确</think>", "stop", "unparsed"),
        ("", "error", "failed"),
        ("正确", "error", "failed"),
    ],
)
def test_three_outcomes_beside_the_answer(reply: str, finish: str, outcome: str) -> None:
    assert read_reply("claim", reply, {}, finish)[0] == outcome


def test_a_case_group_is_aligned_by_number() -> None:
    options = [TCM_OPTIONS, TCM_OPTIONS, TCM_OPTIONS]
    row = {"task": "tcm", "options": options}
    assert read_row({**row, "response": "1．D\n2．A\n3．C"})["answer"] == ["D", "A", "C"]
    assert read_row({**row, "response": "第1题：D；第3题：C。"})["answer"] == ["D", None, "C"]


@pytest.mark.slow
@given(st.sampled_from(sorted(READERS)), st.text(max_size=60))
def test_no_reply_breaks_the_reading(task: str, reply: str) -> None:
    outcome, answer, _ = read_reply(task, reply, OPTIONS)
    assert (outcome == "answered") == (answer is not None)
    if task not in ("claim", "qa", "blank") and answer:
        assert set(answer) <= set(OPTIONS)


@pytest.mark.slow
@given(
    st.sets(st.sampled_from("ABCD"), min_size=1),
    st.sampled_from(["答案：{}", "故选{}。", "{}", "【答案】{}<eoa>", "**{}**"]),
    st.sampled_from(["", "、", "，", " "]),
)
def test_what_is_rendered_is_read_back(letters: set[str], form: str, joint: str) -> None:
    reply = form.format(joint.join(sorted(letters)))
    assert read_reply("mrqa", reply, OPTIONS)[1] == "".join(sorted(letters))


def test_an_unknown_task_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown task 'claims'; known: blank, claim, mcqa, mrqa, qa, tcm"):
        read_reply("claims", "正确", {})


def test_the_published_replies_are_read_as_a_careful_reader_does(real_data: Path) -> None:
    rows = [json.loads(line) for line in (real_data / "model_replies.jsonl").read_text(encoding="utf-8").splitlines()]
    right = sum(read_row(row)["answer"] == row["expected"] for row in rows)
    assert right / len(rows) >= 0.98


def test_the_shared_cases_are_read_as_labelled(real_data: Path) -> None:
    files = sorted((real_data.parent / "cases").glob("**/replies.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    read = [(row, read_row(row)) for row in rows]
    assert len(rows) >= 225
    for row, found in read:
        assert (found["answer"], found["committed"]) == (row["expected"], row.get("expected_committed", row["expected"])), row["id"]


RUN_ON = [
    "A ",
    "A\n",
    "A、",
    "A选项",
    "第一、",
    "更正为A，",
    "等等，",
    "观察法、",
    "不是A ",
    "答案：",
    "【答案】",
    "【解析】",
    "<think>",
    "1）",
    "正确",
    "的说法",
    "\n \t",
    "（",
    "食物A",
    "除A",
    "a ",
    "如果问，A；",
    "A、B，C和D",
    "。×",
    " \n",
]


@pytest.mark.slow
@pytest.mark.parametrize("task", [*sorted(READERS), "group"])
@pytest.mark.parametrize("unit", RUN_ON)
def test_the_time_to_read_grows_with_the_length_and_no_faster(task: str, unit: str) -> None:
    """Twice the reply may take twice the time; what grows with the square takes sixteen times as long for four times the reply."""
    options = {"A": "10～20 ml", "B": "IgA", "C": "维生素 A", "D": "aa aa"} if unit == "a " else OPTIONS
    row = {"task": "tcm", "options": [options] * 3} if task == "group" else {"task": task, "options": options}

    def seconds(size: int) -> float:
        text = (unit * size)[:size] + "x"
        taken = []
        for _ in range(3):
            started = time.process_time()
            read_row({**row, "response": text})
            taken.append(time.process_time() - started)
        return min(taken)

    short = seconds(4000)
    assert seconds(16_000) <= 10 * max(short, 0.001)


@pytest.mark.parametrize(("file", "least"), [("replies.jsonl", 900), ("unseen_replies.jsonl", 1500), ("varied_replies.jsonl", 1350)])
def test_our_own_replies_are_read_as_a_careful_reader_does(file: str, least: int) -> None:
    rows = [json.loads(line) for line in (HERE / file).read_text(encoding="utf-8").splitlines()]
    wrong = [row["id"] for row in rows if read_row(row)["answer"] != row["expected"]]
    assert len(rows) > least
    assert len(wrong) / len(rows) <= 0.02, wrong


def test_an_answer_in_words_is_the_reply_without_its_reasoning() -> None:
    assert read_reply("qa", "<think>先想</think>\n 记忆分三种。 ", {})[:2] == ("answered", "记忆分三种。")
    assert read_reply("qa", " \n", {})[:2] == ("unparsed", None)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("<think>嗯</think>B", "B"),
        ("嗯</think>B", "B"),
        ("<thinking>嗯</thinking>B", "B"),
        ("<seed:think>嗯</seed:think>B", "B"),
        ("◁think▷嗯◁/think▷B", "B"),
        ("<|begin_of_thought|>嗯<|end_of_thought|>B", "B"),
        ("## Thinking\n嗯\n\n## Final Response\nB", "B"),
        ("<|channel|>analysis<|message|>嗯<|end|><|start|>assistant<|channel|>final<|message|>B", "B"),
        ("<think>一</think>B<think>二</think>", "B"),
        ("## Thinking\n嗯", None),
        ("<|channel|>analysis<|message|>嗯", None),
        ("嗯</think>再想<think>还想", "再想"),
    ],
)
def test_reasoning_is_no_reply(reply: str, said: str | None) -> None:
    text, cut = split_reasoning(reply)
    assert (None if cut and not text else text) == said


GROUPS = [
    ("抱歉，我无法作答。", [None, None]),
    ("1）【解析】略\n2）【解析】略<eoe>\n【答案】A<eoa>", [None, "A"]),
    ("1）【解析】1.化痰 2.祛湿<eoe>【答案】D<eoa>\n2）【答案】A<eoa>", ["D", "A"]),
    ("2）【答案】A<eoa>\n1）【答案】D<eoa>", ["D", "A"]),
    ("①D ②A", ["D", "A"]),
    ("第一题：D\n第二题：A", ["D", "A"]),
    ("**1）**\n【答案】**D**\n**2）**\n【答案】**A**", ["D", "A"]),
    ("1-2题答案：D、A", ["D", "A"]),
    ("【答案】D\n【答案】A", [None, None]),  # nothing says which is whose
    ("3）D", [None, None]),
]


@pytest.mark.parametrize(("reply", "answers"), GROUPS)
def test_a_group_is_read_by_the_numbers_that_the_reply_gives(reply: str, answers: list) -> None:
    read = read_row({"task": "tcm", "response": reply, "options": [TCM_OPTIONS, TCM_OPTIONS]})
    assert (read["answer"], read["outcome"]) == (answers, "answered" if any(answers) else "unparsed")


@pytest.mark.parametrize("texts", [["1", "10", "100"], ["5～9", "9～11", "11～13"], ["正确", "错误", "无法判断"], ["A型", "B型", "AB型"]])
def test_an_option_is_found_by_its_text_and_not_within_another(texts: list[str]) -> None:
    options = dict(zip("ABC", texts, strict=True))
    for letter, text in options.items():
        assert read_reply("mcqa", f"{text}。", options)[1] == letter
