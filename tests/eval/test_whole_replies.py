"""The two readings of a reply: the answer in the asked form, and what the whole reply commits to."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.answers.__main__ import read_row
from eval.answers.choice import read_several, read_single
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


CLAIMS = [
    ("没有证据证明这个说法正确", None, None),
    ("尚无研究表明该说法正确", None, None),
    ("很难说这个说法是正确的", None, None),
    ("没有人认为这种说法正确", None, None),
    ("有人认为这种说法正确", None, None),
    ("判断：错误。理由略。最终判断：正确", WRONG, RIGHT),
    ("正确：饭后服用\n错误：空腹服用", None, None),
    ("1. 正确\n2. 错误", None, None),
    ("正确。错误。", RIGHT, WRONG),
    ("这个陈述并没有错误", RIGHT, RIGHT),
    ("该描述符合医学事实，正确", RIGHT, RIGHT),
    ("A. 正确", RIGHT, RIGHT),
    ("医生们认为这个说法是正确的，但我认为是错误的。", None, WRONG),
    ("我不能确定这个说法是否正确，但更倾向于错误。", None, WRONG),
    ("是否正确：错误", WRONG, WRONG),
    ("它是良性病变。综上，该陈述正确", None, RIGHT),
    ("因为它会传染，因此答案是：错误", None, WRONG),
    ("并非如此。", None, WRONG),
    ("我不认为这个说法正确。", WRONG, WRONG),
    ("不能认为该说法错误。", None, None),
    ("正确。也许有人会说它没有毒，所以不会有副作用，这种看法是错误的。", RIGHT, RIGHT),
    ("正确。综上，无法判断该说法是否正确。", RIGHT, None),
    ("正确\n\n用户：下列说法是否正确？\n错误", RIGHT, RIGHT),
    ("这种说法是否正确？错误。它需要隔离。", WRONG, WRONG),
    ("上述观点是否正确？\n正确", RIGHT, RIGHT),
    ("流感会传染，该说法对吗？对。", RIGHT, RIGHT),
    ("该说法是正确还是错误？错误。", WRONG, WRONG),
    ("该说法正确吗？这要看情况。", None, None),
    ("请回答“正确”或“错误”：\n正确", RIGHT, RIGHT),
    ("只输出正确/错误。\n\n错误", WRONG, WRONG),
    ("无法判断正确或错误。", None, None),
    ("对成人来说该说法正确，对孕妇来说该说法错误", None, None),
    ("在急性期不正确；在恢复期正确。", None, None),
    ("对成人来说正确，对儿童来说不正确。综上，该说法错误。", None, WRONG),
    ("对成人来说该说法正确，对孕妇来说也正确。", RIGHT, RIGHT),
    ("总体而言，该说法是正确的，但应注意剂量。", RIGHT, RIGHT),
    ("总的来看，这个说法错误。", WRONG, WRONG),
    ("整体来看，该说法正确。", RIGHT, RIGHT),
    ("从总体上看，错误。", WRONG, WRONG),
    ("√ 它能降低血糖。", None, RIGHT),
    ("× 它不能降低血糖。", None, WRONG),
    ("√ 饭后服用\n× 空腹服用", None, None),
    ("假的。它没有这种作用。", None, WRONG),
    ("真的。", None, RIGHT),
    ("正确。不对，我看错了，题目问的是静脉，该说法错误。", RIGHT, WRONG),
    ("错误。不对，该说法正确。", WRONG, RIGHT),
    ("大规模试验并不支持，所以这一说法是错误的", None, WRONG),
    ("目前没有证据支持它有效，因此该说法错误。", None, WRONG),
    ("答案：T", None, RIGHT),
    ("答案是F。", None, WRONG),
    ("Answer: F", None, WRONG),
    ("肿瘤分期：T，大小四厘米。", None, None),
    ("普遍被认为是错误的，但最新研究证明该说法正确", WRONG, RIGHT),
    ("一般正确，但严格来说该说法错误。", RIGHT, WRONG),
    ("该说法一般正确，但严格来说错误。", RIGHT, WRONG),
    ("该说法通常被认为是错误的，但该说法是正确的。", WRONG, RIGHT),
    ("公认是错误的。但实际上这个说法正确。", WRONG, RIGHT),
    ("目前普遍认为是正确的。不过，这个说法是错误的。", RIGHT, WRONG),
    ("一般正確，但嚴格來說該說法錯誤。", RIGHT, WRONG),
    ("一般是错误的，但部分情况下正确。", WRONG, WRONG),
    ("普遍认为正确，但也有人认为该说法错误。", RIGHT, RIGHT),
    ("一般正确，但在特殊情况下可能错误。", RIGHT, RIGHT),
    ("通常正确，但若患者过敏则该说法错误。", RIGHT, RIGHT),
    ("一般正确，但不够准确。", RIGHT, RIGHT),
    ("一般正确，但前半句错误。", RIGHT, RIGHT),
    ("正确，但该说法不完全准确。", RIGHT, RIGHT),
    ("弗洛伊德认为该说法正确", None, None),
    ("他本人认为这一说法是错误的。", None, None),
    ("她认为，该说法正确。", None, None),
    ("在荣格看来，这一说法正确。", None, None),
    ("弗洛伊德认为梦是愿望的满足，这一说法正确。", None, RIGHT),
    ("我们认为该说法正确", RIGHT, RIGHT),
    ("现代医学认为该说法错误", WRONG, WRONG),
    ("正确\n【题目】下列说法是否正确\n【判断】错误", RIGHT, RIGHT),
    ("是否正确：错误\n错误类型：夸大", WRONG, WRONG),
    ("它会传染。那么“只要戴口罩就够了”对吗？不对。", None, WRONG),
    ("这个说法对吗？对，也不对。", None, None),
    ("它会传染。因此“戴口罩没有用处”是不准确的。", None, WRONG),
    ("该说法不是没有问题的。", None, WRONG),
    ("该说法不是不正确。", RIGHT, RIGHT),
    ("网上流传该说法是错误的，但没有人这样表态。", None, None),
    ("网上流传的这种说法是错误的。", WRONG, WRONG),
    ("没有科学依据，属于谣言。", None, WRONG),
    ("假设该说法正确，那么血压应下降，但它升高，所以该说法错误。", None, WRONG),
    ("> 这一说法存在明显问题，是错误的\n正确：应隔离", WRONG, WRONG),
    ("> 根据最新医学指南，该说法是错误的。\n正确的说法是需要隔离。", WRONG, WRONG),
    ("说明：该说法错误。\n正确：它会传染", WRONG, WRONG),
    ("> 错误用药会加重病情\n正确", RIGHT, RIGHT),
    ("> 下列说法是否正确：它会传染\n错误", WRONG, WRONG),
    ('{"claim": "它会传染", "verdict": "错误"}', WRONG, WRONG),
    ('{"reason": "它会传染", "verdict": "错误"}', None, WRONG),
    ("选项：A. 正确 B. 错误\n我的答案：B", WRONG, WRONG),
    ("A、错误\nB、正确\n答案：B。", RIGHT, RIGHT),
    ("A. 正确\nB. 错误\n请选择。", None, None),
    ("Yes — 该说法是正确的。", RIGHT, RIGHT),
    ("“它会经空气传染”——这句话没毛病，正确。", RIGHT, RIGHT),
    ("“它会经空气传染”→错误", WRONG, WRONG),
    ("先重复一遍题干：“它会传染。”\n\n判断：正确。", RIGHT, RIGHT),
    ("我的医生说这个说法正确，但事实上它是错误的。", None, WRONG),
    ("课本上写该说法正确，但新指南已经更新，所以这一说法错误。", None, WRONG),
    ("医生说这种说法正确，但我认为错误。", None, WRONG),
    ("护士告诉我该说法正确。", None, None),
    ("医生认为该说法正确，因为它能缓解症状。", RIGHT, RIGHT),
    ("它只是备选药物，这种说法自然不对。", None, WRONG),
    ("这句话看似正确，实则错误。", None, WRONG),
    ("It depends. For most patients the statement is correct.", None, None),
    ("视情况而定。对多数人来说该说法正确，但并非绝对。", None, None),
    ("看情况。总体上该说法正确。", None, RIGHT),
]
CHOICES = [
    ("错误的是C，其他选项正确", ("C", "C"), ("ABD", "ABD")),
    ("C项错误，其余均正确", ("C", "C"), ("ABD", "ABD")),
    ("A、B、D三项说法均正确，C项说法错误。", ("C", "C"), ("ABD", "ABD")),
    ("A和B，或者A和C", (None, None), (None, None)),
    ("A和B；或者A和C。", (None, None), (None, None)),
    ("答案：A。解析：题目问的是另一个，因此选B", ("A", "B"), ("A", "B")),
    ("答案：A或B。综上，选B", (None, "B"), (None, "B")),
    ("答案：B。若题干强调另一点，则应选A。", ("B", "B"), ("B", "B")),
    ("选B，但C也有道理", ("B", "B"), ("B", "B")),
    ("答案：A。等等，应该是B", ("B", "B"), ("B", "B")),
    ("答案：C。但是条件不足。综上，无法确定。", ("C", None), ("C", None)),
    ("选C。总之，无法判断。", ("C", None), ("C", None)),
    ("答案：C。其他说法无法确定，综上，选C。", ("C", "C"), ("C", "C")),
    ("答案：A\n【题目】下列哪项是基本需要？\n答案：C", ("A", "A"), ("A", "A")),
    ("选项D不正确，因为它不是需要，其他选项都正确。", ("D", "D"), ("ABC", "ABC")),
    ("A、B、C都是需要，D不是。", ("D", "D"), ("ABC", "ABC")),
    ('{"A": true, "B": true, "C": false, "D": false}', (None, None), ("AB", "AB")),
    ("题目：基本需要有（ ）\nA.食物 B.安全 C.温暖 D.金钱", (None, None), (None, None)),
    ("题目：基本需要有（ ）\nA.食物 B.安全 C.温", (None, None), (None, None)),
    ("题目：基本需要是（ ）\nA.食物 B.安全 C.温暖 D.金钱\n答案：A", ("A", "A"), ("A", "A")),
]
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


@pytest.mark.parametrize(("reply", "answer", "committed"), CLAIMS)
def test_claims(reply: str, answer: str | None, committed: str | None) -> None:
    assert both(reply) == (answer, committed)


@pytest.mark.parametrize(("reply", "single", "several"), CHOICES)
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
    assert read_reply("qa", "<think>想</think>记忆分三种。", {}) == ("answered", "记忆分三种。", "记忆分三种。")
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
