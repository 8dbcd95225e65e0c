"""Reading answers: each rule a row; and the command, which names a wrong row."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.answers.__main__ import main, read_row
from eval.answers.readers import READERS, read_reply
from eval.answers.reply_text import split_reasoning

HERE = Path(__file__).parent
OPTIONS = {"A": "荣格", "B": "阿德勒", "C": "弗洛伊德", "D": "埃里克森"}
MANY = {"A": "食物", "B": "安全", "C": "温暖", "D": "金钱", "E": ""}


def rows(table: dict[str | None, list[str]]) -> list[tuple[str, str | None]]:
    """Return each reply of a table with its answer."""
    return [(reply, answer) for answer, replies in table.items() for reply in replies]


CLAIMS = {
    "正确": [
        "正确",
        "  \n正确，因为",
        "”正确”，然后",
        "这是一个正确的说法。",
        "你好！我认为正确。",
        "正確。",
        "正 确。",
        "是的。",
        "没有错误。",
        "没错，",
        "正确(√)",
        "正确 - 原因",
        "正确<|im_end|>",
        "作为AI医学助手，我认为该说法正确。",
        "对于这个说法，我认为是正确的。",
        "AI判断：正确。",
        "输入：阑尾炎可有右下腹痛。\n输出：正确",
        "Q: 维生素C可治疗坏血病。\nA: 正确",
        "我猜是正确的。",
    ],
    "错误": [
        "错误。理由如下",
        "**错误**\n原因：略",
        "答：错误。",
        "正确答案：错误。",
        "【错误】两种检查混了。",
        "以上说法是错误的",
        "根据医学知识，该说法是错误的。",
        "1. 错误\n2. 原因",
        "是的，该说法错误。",
        "不是的，它没有传染性",
        "不完全正确。",
        "有误",
        "错误，正确的说法需要结合临床判断。",
        '{"answer": "错误", "reason": "x"}',
        "❌ 错误",
        "错误——",
        "错误~",
        "不，这个说法是错误的。",
        "这个说法并不是正确的。",
        "这个说法存在一定的错误。",
        "正确答案是错误",
        "<think>似乎正确</think>错误",
        "先说结论：这个说法是错误的。",
        "The correct answer is 错误.",
        'The correct judgment is "错误" (incorrect).',
        "> 糖尿病患者不能吃水果。\n\n错误。可以适量吃。",
        "温馨提示：以下回答仅供参考。\n\n错误。",
        "严格意义上讲，该说法错误。",
        "判断是否正确：不正确",
    ],
    None: [
        "不，它会传染",
        "这个说法是不是正确的",
        "正确-或错误",
        "❌",
        "正确的诊断需要检查",
        "正确使用可以有效",
        "错误用药很危险",
        "正确的说法是：不传染。",
        "该说法正确与否尚无定论",
        "该说法正确吗？",
        "下列说法是否正确",
        "如果正确，请先回复",
        "正确或错误",
        "正确/错误",
        "不是所有人都适合",
        "喉囊肿是良性病变，所以说法正确",
        "抱歉，我无法判断。",
        "医生们认为这个说法是正确的，但我认为是错误的。",
        "",
        "。",
    ],
}
SINGLE = {
    "B": [
        "B",
        "ｂ",
        "答案：B",
        "B. 阿德勒",
        "应选B项",
        "本题选B，因为A说的是另一人",
        "答案：B\n\n问题：下一题\n答案：C",
        "A✗ B✓ C✗ D✗",
        "A❌ B✅ C❌ D❌",
        "~~A~~ B",
        "答案是A。等等，应该是B",
    ],
    "A": ["[A]"],
    "C": [
        "答案:\n\nC",
        "A选项错误，应选C。",
        "答案不是A，而是C。",
        "答案：A\n\n等等，重新考虑后，正确答案应为C。",
        "Answer: C",
        '{"ans": "C"}',
        "\\boxed{C}",
        "弗洛伊德",
        "答案：弗洛伊德",
        "A错误，B错误，C正确，D错误",
        "答案：C C C C",
        "C<|im_end|>",
        "答案：A、B均不正确，应为C",
        "答案：C，D项是错误的",
        "C. 弗洛伊德\n\n解析：A. 荣格提出集体无意识",
    ],
    "D": ["答案是：（D）", "**答案：D**", "ADHD的症状见于多种情形，故选D"],
    None: [
        "答案：A或B",
        "A或B",
        "A, B, C, D",
        "答案：AC",
        "答案：E",
        "以上选项都不正确。",
        "这是一道理论题",
        "<think>选A",
        "",
        "答案：B，C",
        "荣格和弗洛伊德",
        "A. 荣格\nB. 阿德勒\nC. 弗洛伊德\nD. 埃里克森",
    ],
}
SEVERAL = {
    "ACD": ["ACD", "dca", "答案：A，C，D。", "A, C and D"],
    "AC": [
        "答案：A,C",
        "答案：\nA\nC",
        "A√ B× C√ D×",
        "食物、温暖",
        '{"ans": ["A", "C"]}',
        "答案：AACC",
        "A✓ B✗ C✓ D✗",
        "A✅ B❌ C✅ D❌",
        "A.√ B.× C.√ D.×",
        "答案：A（食物）和C（温暖）",
        "A. 食物\nC. 温暖",
        "A. 食物：正确\nB. 安全：错误\nC. 温暖：正确\nD. 金钱：错误",
        "- A\n- C",
        "食物和温暖",
        "正确的是A和C，B和D错误",
    ],
    "AD": ["A和D", "选项A和选项D"],
    "BCD": ["B/C/D", "BCD三项均正确"],
    "ABCD": ["A-D全部正确", "以上都对", "答案：A~D", "以上全部"],
    "ABC": ["除了D以外都正确", "答案：\nA. 食物\nB. 安全\nC. 温暖", "答案：AB。等等，应该选ABC"],
    "AB": ["ADHD的核心症状，故选AB。", "答案：A. 食物 B. 安全", "答案：A、食物；B、安全"],
    None: ["答案：ABE", "AB或AC", "答案：无", "", "以上全部都不对"],
}
TCM = {
    "D": [
        "【解析】A不对<eoe>\n【答案】D<eoa>",
        "【解析】略<coe>\n【答案】\nD\n<coas>",
        "【答案】D <coas> 因为D符合，故排除A。",
        "【Answer】: D <COAS>",
        "【答案】（D）<eoa>",
        "【答案】D．痰浊中阻",
        "D",
        "例如：【答案】: A <eoa>\n【答案】D<eoa>",
    ],
    None: ["【解析】眩晕一证，历代", "【答案】以上都有可能<eoa>", "例如：【答案】: A <eoa>"],
}
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
ENGLISH = {
    "B": [
        "Penicillin (D) is not recommended; ceftriaxone (B) is.",
        "C is never given in pregnancy. Therefore B is the treatment of choice.",
        "Options A and C are unlikely. The most likely diagnosis is B.",
        "The answer is B, and A is wrong.",
        "The answer is B; A, C and D are wrong.",
        "A would not be used here, B would.",
        "We avoid A in such patients and prefer B over C.",
    ],
    "D": ["Not A. Not B. The best choice is D.", "Incorrect: A, B, C. Correct: D."],
    "A": ["I would rule out B and D. A remains.", "The correct option is A instead of C.", "A is contraindicated."],
    "C": [
        "Aspirin (A) is contraindicated. Clopidogrel (C) should be used instead.",
        "There is no reason to choose A. I choose C.",
        "Metformin (B) isn't the first choice. Insulin (C) is the first choice.",
    ],
    None: ["A isn't safe.", "The answer is not B."],
}
ROWS = [
    *((task, reply, DEMENTIAS, answer) for task, reply, answer in LETTERS_OR_TEXTS),
    *(("claim", reply, {}, answer) for reply, answer in rows(CLAIMS)),
    *(("mcqa", reply, OPTIONS, answer) for reply, answer in [*rows(SINGLE), *rows(ENGLISH)]),
    *(("mrqa", reply, MANY, answer) for reply, answer in rows(SEVERAL)),
    *(("tcm", reply, TCM_OPTIONS, answer) for reply, answer in rows(TCM)),
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
BY_TEXT = {
    "degrees": {"37 ℃": "B", "应为37°C": "B", "≥38℃": "C"},
    "other": {
        "39 ℃": None,
        "HLA-C 与维生素 D、抗A抗体、Aβ纤维有关": None,
        "Answer-B": "B",
        "option-B": "B",
        "anti-B": None,
        "因素 B": "B",
        "要素 B": "B",
        "毒素 B": None,
        "答案可能是B，也可能是C，但B更可能": "B",
        "B或C，更可能是C。": "C",
        "可能是B，也可能是C，但不能说B更可能": None,
        "可能是A，也可能是B，无法确定。": None,
        "小明认为答案是A，但其实答案是B。": "B",
        "我不确定，但我猜是D。": "D",
    },
    "amounts": {"10 mL": "B", "110ml": None, "0.5ml": None},
    "weeks": {"4-6周": "B", "4 至 6 周": "B", "2—8周": None, "2周～4周": None, "B. 4-6 周": "B"},
    "bodies": {
        "答案：IgA": "B",
        "\\boxed{IgA}": "B",
        "IgG和IgA": "AB",
        "IgA（分泌型）": "B",
        "C. IgM": "C",
        "\ue001": None,
        "\uf0b7 IgM": "C",
    },
    "markers": {"CEA": "B", "答案：CA 19-9": "C", "CEA、HCG": "BD", "ABD": "ABD"},
    "transmitters": {"DA": "B", "DA、NE": "BC"},
    "vitamins": {"维生素A、C、D": "ACD", "维生素 D": "D"},
    "groups": {"AB 型": "C", "B": "B"},
    "cells": {"B 细胞": "A", "B": "B"},
    "ions": {"Na+、Cl-": "AC"},
    "cases": {"AA": "B"},
    "words": {"the co worker": None},
    "bounds": {"小于5%": "A", "5%": "B", "超过20%": "D", "≤20%": None, "≤5%": None, "≥20%": "D", "20%及以上": "D", "等于 20%": "C"},
    "ranges": {"2周～4周": None, "4周以上": None, "5周以内": "D"},
    "powers": {"10^5/L": "A", "104/L": "B", "10²/L": "D"},
    "digits": {"10^3": "A", "103": "B", "10⁴": "C"},
    "antigens": {"抗HBsAg": None, ".5%葡萄糖": None, "C.5%葡萄糖": "C", "10mg/d": None},
}


@pytest.mark.parametrize(
    ("options", "reply", "answer"), [(options, *row) for options, replies in BY_TEXT.items() for row in replies.items()]
)
def test_option_texts_take_precedence_over_letters(options: str, reply: str, answer: str | None) -> None:
    row = {"response": reply, "options": dict(zip("ABCD", TEXTS[options], strict=True))}
    assert read_row({**row, "task": "mrqa"})["answer"] == answer
    assert read_row({**row, "task": "mcqa"})["answer"] == (answer if not answer or len(answer) == 1 else None)


CUT = {
    None: [
        "A. 荣格\nB. 阿德勒\nC. 弗",
        "A项，荣格是人格心理学的",
        "A. 荣格：不对。\nB. 阿德勒：提出",
        "首先看选项A，荣格的特点是",
        "答案是A、B、",
        "答案是A和",
        "分析如下：\nA. 荣格：正确。\nB. 阿德勒",
        "A. 荣格\nB",
    ],
    "B": [
        "答案：B\n\n解析：自卑是",
        "B. 阿德勒\n\n解析：自卑是",
        "B。自卑是",
        "因此应选B，因为",
        "B",
        "**B**",
        "B.",
        "B. 阿德勒",
        "B. 阿德",
        "\\boxed{B}",
        "选项B正确。因为",
        "阿德勒。因为自卑",
        "阿德勒",
        "【B】",
        "A is wrong. B is correct. C",
        "本题应选阿德勒。因为",
    ],
}
CUT_SEVERAL = {
    None: ["A", "答案是A、B、", "答案：B、C", "A. 荣格\nB", "答案：荣格、阿德勒"],
    "BC": ["答案：B、C。因为", "答案：BC，因为", "\\boxed{BC}", "BC。因为"],
}


@pytest.mark.parametrize(
    ("task", "reply", "answer"),
    [*((task, *row) for task in ("mcqa", "tcm") for row in rows(CUT)), *(("mrqa", *row) for row in rows(CUT_SEVERAL))],
)
def test_cut_off_list_has_no_answer(task: str, reply: str, answer: str | None) -> None:
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
def test_outcomes_other_than_answered(reply: str, finish: str, outcome: str) -> None:
    assert read_reply("claim", reply, {}, finish)[0] == outcome


@pytest.mark.slow
@given(st.sampled_from(sorted(READERS)), st.text(max_size=60))
def test_no_reply_breaks_the_parser(task: str, reply: str) -> None:
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
def test_rendered_answers_are_parsed_back(letters: set[str], form: str, joint: str) -> None:
    reply = form.format(joint.join(sorted(letters)))
    assert read_reply("mrqa", reply, OPTIONS)[1] == "".join(sorted(letters))


def test_unknown_task_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown task 'claims'; known: blank, claim, mcqa, mrqa, qa, tcm"):
        read_reply("claims", "正确", {})


def test_published_replies_match_careful_labels(real_data: Path) -> None:
    rows = [json.loads(line) for line in (real_data / "model_replies.jsonl").read_text(encoding="utf-8").splitlines()]
    right = sum(read_row(row)["answer"] == row["expected"] for row in rows)
    assert right / len(rows) >= 0.98


def test_shared_cases_match_their_labels(real_data: Path) -> None:
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
def test_parsing_time_is_linear(task: str, unit: str) -> None:
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
def test_own_replies_match_careful_labels(file: str, least: int) -> None:
    rows = [json.loads(line) for line in (HERE / file).read_text(encoding="utf-8").splitlines()]
    wrong = [row["id"] for row in rows if read_row(row)["answer"] != row["expected"]]
    assert len(rows) > least
    assert len(wrong) / len(rows) <= 0.02, wrong


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
def test_reasoning_is_removed(reply: str, said: str | None) -> None:
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
    ("1．D\n2．A\n3．C", ["D", "A", "C"]),
    ("第1题：D；第3题：C。", ["D", None, "C"]),
]


@pytest.mark.parametrize(("reply", "answers"), GROUPS)
def test_groups_are_parsed_by_number(reply: str, answers: list) -> None:
    read = read_row({"task": "tcm", "response": reply, "options": [TCM_OPTIONS] * len(answers)})
    assert (read["answer"], read["outcome"]) == (answers, "answered" if any(answers) else "unparsed")


@pytest.mark.parametrize("texts", [["1", "10", "100"], ["5～9", "9～11", "11～13"], ["正确", "错误", "无法判断"], ["A型", "B型", "AB型"]])
def test_finds_option_texts_but_not_within_others(texts: list[str]) -> None:
    options = dict(zip("ABC", texts, strict=True))
    for letter, text in options.items():
        assert read_reply("mcqa", f"{text}。", options)[1] == letter


def file_of(folder: Path, *rows: dict[str, Any]) -> str:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("rules", "expected", "counts"), [
    ([], [("answered", "C"), ("unparsed", None), ("answered", "正确")], "3 replies: 2 answered, 1 unparsed"),
    (
        ["--rules", "cpsyexam_api_v1"], [("answered", "A"), ("error", "error"), (None, None)],
        "3 replies: 1 answered, 1 error, 1 not supported by these rules",
    ),
])  # fmt: skip
def test_command_adds_outcome_and_answer(
    rules: list[str], expected: list[tuple], counts: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = file_of(
        tmp_path,
        {"id": "1", "task": "mcqa", "response": "Answer: C", "options": OPTIONS},
        {"id": "2", "task": "mcqa", "response": "", "options": OPTIONS},
        {"id": "3", "task": "claim", "response": "正确", "options": None},
    )
    main([file, *rules])
    out, err = capfdbinary.readouterr()
    assert [(row["outcome"], row["answer"]) for row in map(json.loads, out.splitlines())] == expected
    assert counts in err.decode()


def test_unknown_rule_set_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown rule set 'cpsyexam'; known: cmb_v1"):
        main([file_of(tmp_path), "--rules", "cpsyexam"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"task": "claim"}, r"missing response"),
        ({"task": "mcqa", "response": None, "options": OPTIONS}, r"response None is not text"),
        ({"task": "mcqa", "response": "A", "options": {"A": 1}}, r"options .* are neither"),
        ({"task": "mcqa", "response": "A", "options": ["荣格", "阿德勒"]}, r"options .* are neither"),
        ({"task": "mcqa", "response": "A", "options": [OPTIONS]}, r".*unknown task of a case group 'mcqa'; known: tcm"),
        ({"task": "essay", "response": "A"}, r".*unknown task 'essay'"),
        ({"task": "mcqa", "response": "答案是B"}, r"task mcqa: no options, .*expected `options`"),
        ({"task": "mrqa", "response": "B", "options": {}}, r"task mrqa: no options, .*expected `options`"),
    ],
)
def test_invalid_row_is_reported_with_its_line(row: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"rows.jsonl:1: {message}"):
        main([file_of(tmp_path, row)])


def test_accepts_options_as_in_the_splits() -> None:
    listed = [{"letter": letter, "text": text} for letter, text in OPTIONS.items()]
    assert read_row({"task": "mcqa", "response": "弗洛伊德", "options": listed})["answer"] == "C"
