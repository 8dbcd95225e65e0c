"""Records of dialogues with a model: requests and replies become questions, small talk does not."""

import json
from contextlib import suppress
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.text.refusal import Refusal
from tests.crawlers.read.bodies import result_of

OPTIONS = "A．感觉\nB．知觉\nC．记忆\nD．思维"
CHOICES = [
    ("人脑对直接作用于感官的个别属性的反映是", "答案：A", "A"),
    ("过去经验在头脑中的反映是（ ）", "选C。因为它保留经验。", "C"),
    ("对整体的反映是", "B. 知觉", "B"),
    ("概括的、间接的反映是", "先排除感觉与知觉。\n故正确答案为：D", "D"),
    ("下列属于感性认识的有", "正确选项是A、B", "AB"),
]


def lines_of(records: list[Any]) -> str:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n"


def questions_of(records: list[Any], name: str = "a.jsonl") -> list[QuestionItem]:
    return [item for item in result_of(name, lines_of(records)).reading.items if isinstance(item, QuestionItem)]


def said(*turns: str) -> list[dict[str, str]]:
    return [{"role": "assistant" if at % 2 else "user", "content": turn} for at, turn in enumerate(turns)]


FORMS = {
    "instruction and input": lambda stem, reply: {"instruction": "请回答这道题。", "input": f"{stem}\n{OPTIONS}", "output": reply},
    "input first": lambda stem, reply: {"output": reply, "input": "", "instruction": f"{stem}\n{OPTIONS}"},
    "prompt below": lambda stem, reply: {"prompt": f"题目：{stem}\n选项：\n{OPTIONS}\n请直接给出答案。", "completion": reply, "id": "m-1"},
    "query": lambda stem, reply: {"system": "你是老师。", "query": f"单选题：{stem}\n{OPTIONS}", "response": reply, "history": []},
    "messages": lambda stem, reply: {"messages": [{"role": "system", "content": "你是老师。"}, *said(f"{stem}\n{OPTIONS}", reply)]},
    "parts": lambda stem, reply: {
        "messages": [{"content": [{"type": "text", "text": f"{stem}\n{OPTIONS}"}], "role": "user"}, {"content": reply, "role": "assistant"}]
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_a_record_gives_stem_options_and_answer(form: str) -> None:
    read = questions_of([FORMS[form](stem, reply) for stem, reply, _ in CHOICES])
    assert [(item.stem_raw, item.options_raw, item.doubt) for item in read] == [(stem, OPTIONS.split("\n"), None) for stem, *_ in CHOICES]
    assert ["".join(filter(str.isalpha, item.answer_raw or "")) for item in read] == [letters for *_, letters in CHOICES]


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("A和C错误，选B", "B"),
        ("A项错误，因为它不对；B项正确。故选B。", "B"),
        ("逐项分析：\nA. 感觉：错误\nB. 知觉：正确\n所以选B", "B"),
        ("**答案：B**\n\n**解析：**因为它完整", "B"),
        ("知觉。", "B"),
        ("不选A，因为它不对", None),
        ("答案不是A而是B", None),
        ("AB都不对", None),
        ("先选A，再选B", None),
        ("答案为A，B、C、D均错。", None),
        ("无法确定，选A或B均可", None),
        ("很多人误选A", None),
        ("学生选A。点评：不对", None),
        ("答案：A. 感觉，B. 知觉，D. 思维", None),
    ],
)
def test_the_answer_is_the_conclusion_of_a_reply(reply: str, answer: str | None) -> None:
    asked = [*((stem, said) for stem, said, _ in CHOICES), ("对整体的反映有", reply)]
    *_, item = questions_of([FORMS["query"](*each) for each in asked])
    assert item.answer_raw == answer if answer else item.answer_raw == reply or item.doubt


def test_reads_other_types_from_the_prompt_and_the_reply() -> None:
    verdict, words = "判断下面的话对不对。", "请用一两句话作答。"
    records = [
        {"instruction": verdict, "input": "感觉是知觉的基础。", "output": "正确"},
        {"instruction": verdict, "input": "记忆没有遗忘。", "output": "错误。\n解析：有遗忘。"},
        {"instruction": verdict, "input": "思维是间接的反映。", "output": "这种说法是正确的。"},
        {"instruction": words, "input": "简述遗忘的规律。", "output": "（1）先快后慢\n（2）先多后少"},
        {"instruction": words, "input": "简述注意的品质。", "output": ""},
    ]
    read = questions_of(records)
    assert [item.answer_raw for item in read] == ["正确", "错误", "正确", "（1）先快后慢\n（2）先多后少", None]
    assert read[1].explanation_raw == "有遗忘。"
    assert [item.stem_raw for item in read] == [record["input"] for record in records]


def test_a_prompt_is_not_a_stem_even_if_it_occurs_once() -> None:
    [item] = questions_of([{"query": f"以下是心理学的一道单选题，请选出答案。\n知觉是\n{OPTIONS}", "response": "B"}])
    assert (item.stem_raw, item.type_raw) == ("知觉是", "以下是心理学的一道单选题，请选出答案。")


def test_turns_of_a_dialogue_share_its_case() -> None:
    case = "患者，男，45岁，情绪低落一个月。"
    records: list[Any] = [
        {"messages": said(f"阅读材料后回答问题。\n{case}\n\n第1题 最可能是\n{OPTIONS}", "A", f"第2题 应首先\n{OPTIONS}", "B")},
        {"messages": said(f"阅读材料后回答问题。\n女，30岁，失眠。\n第1题 该患者\n{OPTIONS}", "A", f"第2题 其次是\n{OPTIONS}", "答案：B")},
        {"messages": said(f"知觉是\n{OPTIONS}", "B", f"记忆是\n{OPTIONS}", "C")},
        {"messages": said(case, "请提问。", f"诊断是\n{OPTIONS}", "D")},
    ]
    read = questions_of(records)
    cases = [case, case, "女，30岁，失眠。", "女，30岁，失眠。", None, None, case]
    assert [(item.case_raw, item.stem_raw) for item in read] == list(
        zip(cases, ["最可能是", "应首先", "该患者", "其次是", "知觉是", "记忆是", "诊断是"], strict=True)
    )
    assert read[0].group_raw == read[1].group_raw != read[2].group_raw


@pytest.mark.parametrize("judge", ["answer", "label", "chosen", "reference"])
def test_a_judged_reply_is_not_the_key(judge: str) -> None:
    records = [FORMS["query"](stem, reply) | {judge: "B"} for stem, reply, _ in CHOICES]
    with suppress(Refusal):
        assert all(item.doubt or item.answer_raw == "B" for item in questions_of(records))


@pytest.mark.parametrize("history", [5, "none", [["甲"]], [{"role": "user", "content": "问"}]])
def test_ignores_an_empty_or_invalid_history(history: Any) -> None:
    records = [FORMS["query"](stem, reply) | {"history": history} for stem, reply, _ in CHOICES]
    assert [item.stem_raw for item in questions_of(records)] == [stem for stem, *_ in CHOICES]


def test_an_empty_turn_does_not_end_the_dialogue() -> None:
    turns = [*said(f"知觉是\n{OPTIONS}", "B"), {"role": "assistant", "content": None}, *said(f"记忆是\n{OPTIONS}", "C")]
    assert [item.answer_raw for item in questions_of([{"messages": turns}])] == ["B", "C"]


TALK = [
    ("我最近总是失眠，怎么办？", "建议您规律作息，睡前不喝咖啡。"),
    ("写一首关于秋天的诗。", "秋风起，黄叶落。"),
    ("高血压患者能吃柚子吗？", "服用某些降压药时应避免。"),
    ("把下面的话翻译成英文：你好", "Hello"),
]


@pytest.mark.parametrize("form", FORMS)
def test_refuses_talk_with_a_reason(form: str) -> None:
    records = [FORMS[form](stem, reply) for stem, reply in TALK]
    body = lines_of(records).replace(json.dumps(f"\n{OPTIONS}", ensure_ascii=False)[1:-1], "").replace("单选题：", "")
    with pytest.raises(Refusal, match=r"only 0 of 4 requests have options, .* looks like a chat, not a question bank"):
        result_of("a.jsonl", body)


def test_rejects_talk_among_questions() -> None:
    records = [FORMS["messages"](stem, reply) for stem, reply, _ in CHOICES] + [{"messages": said("您好，能帮我看看吗？", "可以。")}]
    assert [item.doubt for item in questions_of(records)] == [None] * len(CHOICES) + ["stem_unreadable"]
