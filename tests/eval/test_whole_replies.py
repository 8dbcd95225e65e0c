"""The two readings of a reply: the answer in the asked form, and what the whole reply commits to; options judged one by one."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.answers.__main__ import read_row
from eval.answers.choice import all_judged, read_several, read_single
from eval.answers.readers import read_reply

HERE = Path(__file__).parent
OPTIONS = {"A": "食物", "B": "安全", "C": "温暖", "D": "金钱"}
RIGHT, WRONG = "正确", "错误"
TCM = {"A": "肝阳上亢", "B": "气血亏虚", "C": "肾精不足", "D": "痰浊中阻", "E": "瘀血阻窍"}


def rows(file: str) -> list[dict]:
    return [json.loads(line) for line in (HERE / file).read_text(encoding="utf-8").splitlines()]


def both(reply: str, task: str = "claim") -> tuple:
    read = read_row({"task": task, "response": reply, "options": None if task == "claim" else OPTIONS})
    return read["answer"], read["committed"]


CLAIMS = {
    (None, None): [
        "没有证据证明这个说法正确",
        "尚无研究表明该说法正确",
        "很难说这个说法是正确的",
        "没有人认为这种说法正确",
        "有人认为这种说法正确",
        "正确：饭后服用\n错误：空腹服用",
        "1. 正确\n2. 错误",
        "不能认为该说法错误。",
        "该说法正确吗？这要看情况。",
        "无法判断正确或错误。",
        "对成人来说该说法正确，对孕妇来说该说法错误",
        "在急性期不正确；在恢复期正确。",
        "√ 饭后服用\n× 空腹服用",
        "肿瘤分期：T，大小四厘米。",
        "弗洛伊德认为该说法正确",
        "他本人认为这一说法是错误的。",
        "她认为，该说法正确。",
        "在荣格看来，这一说法正确。",
        "这个说法对吗？对，也不对。",
        "网上流传该说法是错误的，但没有人这样表态。",
        "A. 正确\nB. 错误\n请选择。",
        "护士告诉我该说法正确。",
        "It depends. For most patients the statement is correct.",
        "视情况而定。对多数人来说该说法正确，但并非绝对。",
    ],
    (WRONG, RIGHT): [
        "判断：错误。理由略。最终判断：正确",
        "错误。不对，该说法正确。",
        "普遍被认为是错误的，但最新研究证明该说法正确",
        "该说法通常被认为是错误的，但该说法是正确的。",
        "公认是错误的。但实际上这个说法正确。",
    ],
    (RIGHT, WRONG): [
        "正确。错误。",
        "正确。不对，我看错了，题目问的是静脉，该说法错误。",
        "一般正确，但严格来说该说法错误。",
        "该说法一般正确，但严格来说错误。",
        "目前普遍认为是正确的。不过，这个说法是错误的。",
        "一般正確，但嚴格來說該說法錯誤。",
    ],
    (RIGHT, RIGHT): [
        "这个陈述并没有错误",
        "该描述符合医学事实，正确",
        "A. 正确",
        "正确。也许有人会说它没有毒，所以不会有副作用，这种看法是错误的。",
        "正确\n\n用户：下列说法是否正确？\n错误",
        "上述观点是否正确？\n正确",
        "流感会传染，该说法对吗？对。",
        "请回答“正确”或“错误”：\n正确",
        "对成人来说该说法正确，对孕妇来说也正确。",
        "总体而言，该说法是正确的，但应注意剂量。",
        "整体来看，该说法正确。",
        "普遍认为正确，但也有人认为该说法错误。",
        "一般正确，但在特殊情况下可能错误。",
        "通常正确，但若患者过敏则该说法错误。",
        "一般正确，但不够准确。",
        "一般正确，但前半句错误。",
        "正确，但该说法不完全准确。",
        "我们认为该说法正确",
        "正确\n【题目】下列说法是否正确\n【判断】错误",
        "该说法不是不正确。",
        "> 错误用药会加重病情\n正确",
        "A、错误\nB、正确\n答案：B。",
        "Yes — 该说法是正确的。",
        "“它会经空气传染”——这句话没毛病，正确。",
        "先重复一遍题干：“它会传染。”\n\n判断：正确。",
        "医生认为该说法正确，因为它能缓解症状。",
    ],
    (None, WRONG): [
        "医生们认为这个说法是正确的，但我认为是错误的。",
        "我不能确定这个说法是否正确，但更倾向于错误。",
        "因为它会传染，因此答案是：错误",
        "并非如此。",
        "对成人来说正确，对儿童来说不正确。综上，该说法错误。",
        "× 它不能降低血糖。",
        "假的。它没有这种作用。",
        "大规模试验并不支持，所以这一说法是错误的",
        "目前没有证据支持它有效，因此该说法错误。",
        "答案是F。",
        "Answer: F",
        "它会传染。那么“只要戴口罩就够了”对吗？不对。",
        "它会传染。因此“戴口罩没有用处”是不准确的。",
        "该说法不是没有问题的。",
        "没有科学依据，属于谣言。",
        "假设该说法正确，那么血压应下降，但它升高，所以该说法错误。",
        '{"reason": "它会传染", "verdict": "错误"}',
        "我的医生说这个说法正确，但事实上它是错误的。",
        "课本上写该说法正确，但新指南已经更新，所以这一说法错误。",
        "医生说这种说法正确，但我认为错误。",
        "它只是备选药物，这种说法自然不对。",
        "这句话看似正确，实则错误。",
    ],
    (WRONG, WRONG): [
        "是否正确：错误",
        "我不认为这个说法正确。",
        "这种说法是否正确？错误。它需要隔离。",
        "该说法是正确还是错误？错误。",
        "只输出正确/错误。\n\n错误",
        "总的来看，这个说法错误。",
        "从总体上看，错误。",
        "一般是错误的，但部分情况下正确。",
        "现代医学认为该说法错误",
        "是否正确：错误\n错误类型：夸大",
        "网上流传的这种说法是错误的。",
        "> 这一说法存在明显问题，是错误的\n正确：应隔离",
        "> 根据最新医学指南，该说法是错误的。\n正确的说法是需要隔离。",
        "说明：该说法错误。\n正确：它会传染",
        "> 下列说法是否正确：它会传染\n错误",
        '{"claim": "它会传染", "verdict": "错误"}',
        "选项：A. 正确 B. 错误\n我的答案：B",
        "“它会经空气传染”→错误",
    ],
    (None, RIGHT): [
        "它是良性病变。综上，该陈述正确",
        "√ 它能降低血糖。",
        "真的。",
        "答案：T",
        "弗洛伊德认为梦是愿望的满足，这一说法正确。",
        "看情况。总体上该说法正确。",
    ],
    (RIGHT, None): ["正确。综上，无法判断该说法是否正确。"],
}
CHOICES = {
    (("C", "C"), ("ABD", "ABD")): ["错误的是C，其他选项正确", "C项错误，其余均正确", "A、B、D三项说法均正确，C项说法错误。"],
    ((None, None), (None, None)): [
        "A和B，或者A和C",
        "A和B；或者A和C。",
        "题目：基本需要有（ ）\nA.食物 B.安全 C.温暖 D.金钱",
        "题目：基本需要有（ ）\nA.食物 B.安全 C.温",
    ],
    (("A", "B"), ("A", "B")): ["答案：A。解析：题目问的是另一个，因此选B"],
    ((None, "B"), (None, "B")): ["答案：A或B。综上，选B"],
    (("B", "B"), ("B", "B")): ["答案：B。若题干强调另一点，则应选A。", "选B，但C也有道理", "答案：A。等等，应该是B"],
    (("C", None), ("C", None)): ["答案：C。但是条件不足。综上，无法确定。", "选C。总之，无法判断。"],
    (("C", "C"), ("C", "C")): ["答案：C。其他说法无法确定，综上，选C。"],
    (("A", "A"), ("A", "A")): [
        "答案：A\n【题目】下列哪项是基本需要？\n答案：C",
        "题目：基本需要是（ ）\nA.食物 B.安全 C.温暖 D.金钱\n答案：A",
    ],
    (("D", "D"), ("ABC", "ABC")): ["选项D不正确，因为它不是需要，其他选项都正确。", "A、B、C都是需要，D不是。"],
    ((None, None), ("AB", "AB")): ['{"A": true, "B": true, "C": false, "D": false}'],
}
GROUPS = [
    ("A C", [None, None], ["A", "C"]),
    ("BD", [None, None], ["B", "D"]),
    ("【答案】D<eoa>\n【答案】A<eoa>", [None, None], ["D", "A"]),
    ("D. 痰浊中阻\nA. 肝阳上亢", [None, None], ["D", "A"]),
    ("A B C", [None, None], [None, None]),
    ("1. A C", [None, None], [None, None]),
    ("2) A", [None, "A"], [None, "A"]),
    ("【答案】A、C<eoa>", [None, None], ["A", "C"]),
    ("【解析】先辨证。\n【答案】AC<eoa>", [None, None], ["A", "C"]),
    ("【答案】A C D<eoa>", [None, None], [None, None]),
    ("【解析】第一题为肝阳，第二题为肾精。\n(1)【答案】A<eoa>\n(2)【答案】C<eoa>", ["A", "C"], ["A", "C"]),
    ("【解析】两题均需辨证。\n1. A\n2. C", ["A", "C"], ["A", "C"]),
    ("【分析】先辨证。\n第1题【答案】A\n第2题【答案】C", ["A", "C"], ["A", "C"]),
]


@pytest.mark.parametrize(("reply", "answer", "committed"), [(reply, *read) for read, replies in CLAIMS.items() for reply in replies])
def test_claims(reply: str, answer: str | None, committed: str | None) -> None:
    assert both(reply) == (answer, committed)


@pytest.mark.parametrize(("reply", "single", "several"), [(reply, *read) for read, replies in CHOICES.items() for reply in replies])
def test_choices(reply: str, single: tuple, several: tuple) -> None:
    assert (both(reply, "mcqa"), both(reply, "mrqa")) == (single, several)


@pytest.mark.parametrize(("reply", "answers", "committed"), GROUPS)
def test_groups_count_in_order_where_the_reply_gives_no_numbers(reply: str, answers: list, committed: list) -> None:
    read = read_row({"task": "tcm", "response": reply, "options": [TCM, TCM]})
    assert (read["answer"], read["committed"]) == (answers, committed)


@pytest.mark.parametrize("reply", ["【答案】A<eoa>", "故选A。", "【答案】A<eoa>\n【题目】下一证属于\n【答案】C<eoa>"])
def test_a_group_of_one_is_a_single_question(reply: str) -> None:
    read = read_row({"task": "tcm", "response": reply, "options": [TCM]})
    assert (read["answer"], read["committed"]) == ("A", "A")


def test_labelled_replies_are_read_as_labelled_in_both_readings() -> None:
    wrong = [
        (row["id"], kind, read[kind])
        for row in rows("whole_replies.jsonl")
        for read in [read_row(row)]
        for kind in ("answer", "committed")
        if read[kind] != row[kind]
    ]
    assert not wrong


_GROUP_FORMS = [
    lambda letters: json.dumps({str(number): letter for number, letter in enumerate(letters, 1)}),
    lambda letters: json.dumps(
        {f"第{number}题": {"解析": "略", "答案": letter} for number, letter in enumerate(letters, 1)}, ensure_ascii=False
    ),
    lambda letters: json.dumps([{"id": number, "answer": letter} for number, letter in enumerate(letters, 1)])[:-2],
    lambda letters: (
        "| 题号 | 证型 | 答案 |\n|:-:|---|---|\n" + "".join(f"| {number} | 略 | **{each}** |\n" for number, each in enumerate(letters, 1))
    ),
    lambda letters: (
        "| "
        + " | ".join(f"第{n}题" for n in range(1, len(letters) + 1))
        + " |\n"
        + "|-" * len(letters)
        + "|\n| "
        + " | ".join(letters)
        + " |"
    ),
    lambda letters: "，".join(f"{number}→{letter}" for number, letter in enumerate(letters, 1)),
    lambda letters: " ".join(f"{number}{letter}" for number, letter in enumerate(letters, 1)),
    lambda letters: "\n".join(f"Q{number}: {letter}" for number, letter in enumerate(letters, 1)),
]


@pytest.mark.slow
@given(st.lists(st.sampled_from("ABCDE"), min_size=2, max_size=4), st.sampled_from(_GROUP_FORMS))
def test_a_group_reads_the_same_in_every_structure(letters: list[str], form: Callable[[list[str]], str]) -> None:
    read = read_row({"task": "tcm", "response": form(letters), "options": [TCM] * len(letters)})
    assert (read["answer"], read["committed"]) == (letters, letters)


_ASSERTS_NOTHING = [
    "好的，我会判断这个说法。",
    "Thank you for the question! ",
    "Sure, here is my answer: ",
    "这是一个很好的问题！",
    "说法：它会传染。\n判断：",
    "【陈述】它会传染。\n【判断】",
    "据我所知，",
    "参考《内科学》，",
    "简短回答：",
    "“它会经空气传染”——",
]


@given(st.sampled_from(_ASSERTS_NOTHING), st.sampled_from([("正确", RIGHT), ("错误。", WRONG), ("不正确，理由略。", WRONG)]))
def test_what_asserts_nothing_may_stand_before_the_verdict(before: str, said: tuple[str, str]) -> None:
    assert both(before + said[0]) == (said[1], said[1])


def test_a_letter_at_the_end_of_an_option_is_no_label_of_the_next() -> None:
    options = {"A": "维生素A", "B": "维生素B1", "C": "维生素D", "D": "维生素E"}
    assert read_row({"task": "mrqa", "response": "维生素A、维生素D、维生素E", "options": options})["answer"] == "ACD"


_NO_VERDICT = [
    "没有证据证明",
    "尚无研究表明",
    "很难说",
    "没有人认为",
    "有人认为",
    "患者以为",
    "目前不能确定",
    "无法证实",
    "缺乏依据说明",
    "一些人主张",
    "不确定",
]
_SUBJECTS = ["这个说法", "该陈述", "这种观点", "上述描述", "这句话", "题目中的说法"]
_VERDICTS = ["是正确的", "正确", "是错误的", "错误", "不正确", "没有错误", "是对的"]


@given(
    st.sampled_from(_NO_VERDICT), st.sampled_from(_SUBJECTS), st.sampled_from(_VERDICTS), st.sampled_from(["", "。", "，因为还缺少资料。"])
)
def test_a_verdict_in_the_scope_of_doubt_or_of_others_is_none(scope: str, subject: str, verdict: str, end: str) -> None:
    assert both(f"{scope}{subject}{verdict}{end}") == (None, None)


_CLAIM_ENDS = [
    ("\n\n综上，该说法正确。", RIGHT),
    ("\n因此答案是：错误", WRONG),
    ("\n\n最终判断：正确", RIGHT),
    ("\n所以这个陈述是错误的。", WRONG),
]
_CHOICE_ENDS = ["\n\n综上所述，本题选{}。", "\n因此，最终答案是：{}"]
_NO_LAW = ("{", "\n用户", "\n下列", "\n问", "\n题", "\n以下", "\n下", "\n请", "<think>", "\n\n判断", "User")
"""Where a conclusion behind the reply belongs to something else: an object, an invented turn or question, open reasoning."""


@pytest.mark.slow
@pytest.mark.parametrize("file", ["replies.jsonl", "unseen_replies.jsonl", "varied_replies.jsonl", "whole_replies.jsonl"])
def test_a_conclusion_at_the_end_is_what_a_reply_commits_to_and_no_change_of_its_answer_to_a_claim(file: str) -> None:
    wrong = []
    for row in rows(file):
        reply, options = row["response"], row["options"]
        if isinstance(options, list) or any(sign in reply for sign in _NO_LAW) or not reply.strip(" \n。…"):
            continue
        if row["task"] == "claim":
            answer = read_reply("claim", reply, {}).answer
            read = [(read_reply("claim", reply + end, {}), verdict) for end, verdict in _CLAIM_ENDS]
            wrong += [(reply, each) for each, verdict in read if each.committed != verdict or (answer and each.answer != answer)]
        elif len(letters := [letter for letter, text in options.items() if text]) > 2:
            for end, letter in product(_CHOICE_ENDS, letters[:3]):
                read_whole = read_reply(row["task"], reply + end.format(letter), options).committed
                wrong += [(reply, end, letter)] if read_whole != letter else []
    assert not wrong


@pytest.mark.slow
@given(
    st.sampled_from(["claim", "mcqa", "mrqa", "tcm"]), st.text(alphabet="正确错误不说法这没有答案选AB是，。：\n因此综上12或", max_size=40)
)
def test_both_readings_of_any_reply_are_possible_answers(task: str, reply: str) -> None:
    outcome, answer, committed = read_reply(task, reply, OPTIONS)
    assert (outcome == "answered") == (answer is not None)
    for each in (answer, committed):
        assert each is None or (each in (RIGHT, WRONG) if task == "claim" else set(each) <= set(OPTIONS))


def test_failed_calls_commit_to_nothing_and_words_to_themselves() -> None:
    assert read_reply("claim", "正确", {}, "error") == ("failed", None, None)
    assert read_reply("qa", "<think>想</think>\n 记忆分三种。 ", {}) == ("answered", "记忆分三种。", "记忆分三种。")
    assert read_reply("qa", " \n", {})[:2] == ("unparsed", None)
    assert read_reply("claim", "它会传染，所以该说法错误", {}, "length") == ("truncated", None, WRONG)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ('{"options": ["A", "B", "C", "D"], "answer": "B"}', "B"),
        ('{"choices": ["A.感觉", "B.知觉"], "final": "B"}', "B"),
        ('{"选项": "A、B、C、D", "答案": "C"}', "C"),
        ('{"correct": false, "answer": "B"}', "B"),
        ('{"正确": "是", "答案": "B"}', "B"),
        ('{"choice": "D"}', "D"),
    ],
)
@pytest.mark.parametrize("many", [False, True])
def test_a_field_that_lists_the_options_is_no_answer(reply: str, letter: str, many: bool) -> None:
    options = {"A": "感觉", "B": "知觉", "C": "记忆", "D": "想象"}
    assert (read_several if many else read_single)(reply, options) == letter


def test_a_reply_that_repeats_what_comes_before_a_verdict_is_read_in_time() -> None:
    started = process_time()
    read_reply("claim", "公认" * 200, {})
    assert process_time() - started < 1


DRUGS = {"A": "氯化钾", "B": "呋塞米", "C": "螺内酯", "D": "氢氯噻嗪", "E": "甘露醇"}


def both_of(reply: str, task: str, options: dict[str, str] = DRUGS) -> tuple:
    read = read_row({"task": task, "response": reply, "options": options})
    return read["answer"], read["committed"]


JUDGED_SEVERAL = {
    "ACD": ["B、E除外，其余均选。"],
    "ABC": [
        "D、E是寒性药，不选；A、B、C是温性药，应选。",
        "A、B以及C都是正确选项\nD以及E应排除。",
        "氢氯噻嗪、甘露醇不选\n氯化钾、呋塞米、螺内酯都正确。",
        "应选A/B/C，D/E不正确。",
    ],
    "ABCD": ["错误的只有E，其他选项都对。", "只有E错误，其余正确。", "全部正确，除了E。"],
    "CDE": ["A和B不对，C和D、E对"],
    "AC": [
        "排除B、D、E，选AC",
        "A、C可以口服；B（呋塞米）仅供注射，D不在目录中，故不选。E不选。",
        "✅ 氯化钾\n❌ 呋塞米\n✅ 螺内酯\n❌ 氢氯噻嗪\n❌ 甘露醇",
        "Ⅰ. 氯化钾：√\nⅡ. 呋塞米：×\nⅢ. 螺内酯：√\nⅣ. 氢氯噻嗪：×\nⅤ. 甘露醇：×",
        "应立即停用：\n1. 氯化钾\n2. 螺内酯\n\n而呋塞米、甘露醇、氢氯噻嗪属于后续用药，不是首要措施。",
    ],
    "D": ["除了D以外都错误"],
    "BC": ["A、D以及E不应选\n剩下的都选。", "❌A ✅B ✅C ❌D ❌E"],
    "AE": ["B C D不应选\nA E正确。"],
    "BCD": [
        "A、E错误，因为二者属于电解质，其余选项均正确",
        "氯化钾 —— 否\n呋塞米 —— 是\n螺内酯 —— 是\n氢氯噻嗪 —— 是\n甘露醇 —— 否",
        "呋塞米、氢氯噻嗪为利尿药，螺内酯保钾，它们都从尿中排钠；氯化钾和甘露醇与此无关，不在其中。",
    ],
    "CD": ["C、D是口服药，A、B、E是针剂，不属于口服药。"],
    "BD": [
        "The right ones are B and D (A and C are for injection).",
        "A是电解质。\n\\boxed{\\text{B 和 D}}",
        "可选药物：呋塞米、氢氯噻嗪，两种均可能。",
        "答案是呋塞米、氢氯噻嗪，螺内酯和氯化钾不作为首选。",
        "可排钾的是呋塞米、氢氯噻嗪，而螺内酯和氯化钾不会。",
    ],
    "ABE": ["① 氯化钾 ② 呋塞米 ⑤ 甘露醇"],
}
JUDGED_SINGLE = {
    "C": [
        "错误的选项是A、B、D、E，正确的是C。",
        "A不能利尿。当选C（螺内酯）。",
        "呋塞米和螺内酯都可利尿，本例属于后者。",
        "网上答案是A，我不同意，应为C。",
    ],
    "A": [
        "A选项正确。B选项费用较高，C选项耗时较长，D选项有创，都不作为首选。",
        "A（氯化钾）是最常见的，而B多见于血行播散，C多见于青少年。",
    ],
    "B": [
        "虽然C是金标准，但耗时较长，急诊首选还是B。",
        "分析：A不能利尿，D作用较弱。\n只有B。其他选项均不符合题意。",
        "胸上动脉（D对）与肩胛下动脉（E对）相符，旋肩胛动脉（B错，为本题正确答案）是分支的分支。",
        "首选药物：呋塞米\n依据：起效快。\n次选：氢氯噻嗪、螺内酯",
        "正确答案是呋塞米，螺内酯和氢氯噻嗪不作为首选。",
        "起效最快=呋塞米。螺内酯与之鉴别。",
        "水肿 → 少尿 → 呋塞米。\n\n> 螺内酯起效慢。",
        "氢氯噻嗪起效慢；螺内酯起效最慢。\n\n**呋塞米**",
        "速尿——呋塞米；安体舒通——螺内酯。本例用的是前者，属于前者。",
        "急诊常用速尿（呋塞米），也可用甘露醇。",
        "B。呋塞米起效快，若无效再考虑C或D。",
        "B（呋塞米）；A、E见于其他情形，C、D起效慢。",
        "首选B；若无效，可选C或D。",
        "Therefore: 呋塞米（非螺内酯）。",
        "This patient most likely has 呋塞米 rather than 螺内酯.",
        "A保钾，B排钾，C拮抗，D慢。起效快 → B",
        "A保钾，B排钾，C拮抗，D慢。起效快，B。",
    ],
    "E": ["A起效慢，D作用较弱，最优选项为E。", "激素（D对，故E为本题正确答案）。"],
}
NOTHING = [
    "A、B、C属于利尿药；D属于电解质，E属于脱水药。",
    "ACD对应题干三项症状，B与E则见于其他疾病。",
    "第一类：A、B；第二类：C、D。",
    "利尿药：\n- 呋塞米\n- 螺内酯\n\n脱水药：\n- 甘露醇",
    "呋塞米、螺内酯属于利尿药；甘露醇属于脱水药。",
    "水肿→呋塞米；低钾→氯化钾。",
    "水肿→呋塞米→低钾，这是一条可能的病理链。",
    "如果血钾低，诊断为氯化钾；如果CT见水肿，诊断为呋塞米。",
    "起效最快=呋塞米？未必。",
    "鉴别诊断：呋塞米、螺内酯。",
    "B。或者C。",
    "首选呋塞米还是螺内酯，需要查血钾。",
    "It depends on the stage: A and B early, C late.",
]
UNCLEAR = [
    "A、B、C、D、E各有作用。",
    "A错误，B正确，C错误，D正确，E有时用。",
    "A正确，A错误，其余正确。",
    "如果血钾低，选C，其余不选。",
    "BCD都属于利尿药，A属于电解质，E属于脱水药。",
]


@pytest.mark.parametrize(("reply", "letters"), [(reply, letters) for letters, replies in JUDGED_SEVERAL.items() for reply in replies])
def test_what_is_left_out_is_not_chosen(reply: str, letters: str) -> None:
    assert both_of(reply, "mrqa") == (letters, letters)


@pytest.mark.parametrize(("reply", "letter"), [(reply, letter) for letter, replies in JUDGED_SINGLE.items() for reply in replies])
def test_one_option_apart_from_the_others(reply: str, letter: str) -> None:
    assert both_of(reply, "mcqa") == (letter, letter)


@pytest.mark.parametrize("reply", NOTHING)
@pytest.mark.parametrize("task", ["mcqa", "mrqa"])
def test_options_that_are_only_compared_are_no_answer(reply: str, task: str) -> None:
    assert both_of(reply, task) == (None, None)


@pytest.mark.parametrize("reply", UNCLEAR)
def test_nothing_is_judged_where_an_option_is_left_open_or_judged_twice(reply: str) -> None:
    assert all_judged(reply.replace("，", ","), DRUGS) is None


_LISTS = [
    "、".join,
    "".join,
    lambda letters: "、".join(f"{letter}（{DRUGS[letter]}）" for letter in letters),
    lambda letters: "、".join(f"{letter}.{DRUGS[letter]}" for letter in letters),
    lambda letters: "、".join(f"{letter}项" for letter in letters),
    lambda letters: "、".join(DRUGS[letter] for letter in letters),
    lambda letters: "和".join(["、".join(letters[:-1]), letters[-1]]) if len(letters) > 1 else letters[0],
]
_CHOSEN = ["选{}", "应选{}", "故选{}", "{}正确", "{}应选", "{}当选", "正确的是{}", "符合题意的有{}", "{}说法正确"]
_LEFT_OUT = ["{}不选", "{}错误", "{}不正确", "{}不符合题意", "排除{}", "不选{}", "错误的是{}", "{}说法错误", "错误的只有{}", "{}有误"]
_OTHERS = ["其余均正确", "其余都选", "其他选项都正确", "其余选项正确", "其它选项均符合题意"]
_REST_NOT = ["其余均错误", "其余都不选", "其他选项错误", "其余不符合题意"]


@pytest.mark.slow
@given(
    st.sets(st.sampled_from("ABCDE"), min_size=1, max_size=4),
    st.sampled_from(_LISTS),
    st.sampled_from(_CHOSEN),
    st.sampled_from(_LEFT_OUT),
    st.sampled_from(_OTHERS),
    st.sampled_from(_REST_NOT),
    st.sampled_from(["；", "。", "\n"]),
)
def test_every_way_of_parting_the_options_gives_the_same_letters(letters, listed, chosen, left_out, others, rest_not, between) -> None:
    right, wrong = sorted(letters), sorted(set(DRUGS) - letters)
    said, denied = chosen.format(listed(right)), left_out.format(listed(wrong))
    for reply in (said + between + denied, denied + between + said, denied + between + others, said + between + rest_not):
        assert both_of(reply + "。", "mrqa") == ("".join(right),) * 2, reply
