"""Tables that are read in part or not at all without a layout: what is left of the file decides, and nothing is invented from it."""

import json
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.text.refusal import Refusal
from crawlers.read.files import FileResult, read_steps
from tests.crawlers.read.bodies import GOLD, SEEN, book_of, csv_of, json_of, result_of, sound
from tests.layouts.law import cleaned

_ROWS = [(stem, options, "ABCD"[right]) for stem, options, right in GOLD]


def _csv(header: list[str], rows: list[list[str]]) -> bytes:
    return csv_of([header, *rows])


REFUSED = {
    "options in rows below.csv": _csv(
        ["题号", "题目", "答案"],
        [
            row
            for n, (stem, options, letter) in enumerate(_ROWS, 1)
            for row in [[str(n), stem, letter], *(["", text, ""] for text in options)]
        ],
    ),
    "only the first option.csv": _csv(["题干", "选项", "答案"], [[stem, options[0], letter] for stem, options, letter in _ROWS]),
    "any sign between options.csv": _csv(["题干", "选项", "答案"], [[stem, "$".join(options), letter] for stem, options, letter in _ROWS]),
    "codes of options elsewhere.json": json_of([{"topic": stem, "correct": f"opt{n}"} for n, (stem, _, _) in enumerate(_ROWS)]),
    "a right one among columns.csv": _csv(["t", "z", "c1", "c2"], [[stem, *options[:3]] for stem, options, _ in _ROWS]),
    "ids in another order.json": json_of(
        [
            {"topic": stem, "list": [{"_id": (k + n) % 4 + 1, "title": text} for k, text in enumerate(options)], "right": str(n % 4 + 1)}
            for n, (stem, options, _) in enumerate(_ROWS)
        ]
    ),
    **{
        f"wrong answers in columns {n}.csv": _csv(header, [[stem, options[0], *options[1:]] for stem, options, _ in _ROWS])
        for n, header in enumerate(
            (
                ["题目", "正确答案", "干扰项1", "干扰项2", "干扰项3"],
                ["题目", "正确答案", "错误1", "错误2", "错误3"],
                ["Question", "Correct Answer", "Wrong 1", "Wrong 2", "Wrong 3"],
                ["question", "key", "distractorA", "distractorB", "distractorC"],
                ["t", "zhengque", "cuowu1", "cuowu2", "cuowu3"],
            )
        )
    },
    "wrong answers in a list.json": json_of(
        [{"question": stem, "correct_answer": options[0], "incorrect_answers": options[1:]} for stem, options, _ in _ROWS]
    ),
    "an option a row.csv": _csv(
        ["qid", "stem", "option_text", "is_correct"],
        [
            [str(n), stem, text, str(int("ABCD"[k] == letter))]
            for n, (stem, options, letter) in enumerate(_ROWS)
            for k, text in enumerate(options)
        ],
    ),
    "truth values beside options.csv": _csv(
        ["题目", *(word for k in "1234" for word in (f"选项{k}", f"是否正确{k}"))],
        [
            [stem, *(word for k, text in enumerate(options) for word in (text, "否是"["ABCD"[k] == letter]))]
            for stem, options, letter in _ROWS
        ],
    ),
    "points beside options.csv": _csv(
        ["题目", *(word for k in "1234" for word in (f"选项{k}", f"得分{k}"))],
        [
            [stem, *(word for k, text in enumerate(options) for word in (text, "02"["ABCD"[k] == letter]))]
            for stem, options, letter in _ROWS
        ],
    ),
    "options in pairs.json": json_of(
        [{"q": stem, "o": [[text, "ABCD"[k] == letter] for k, text in enumerate(options)]} for stem, options, letter in _ROWS]
    ),
    "a mask.csv": _csv(
        ["question", *(f"choice{k}" for k in range(4)), "mask"],
        [[stem, *options, "".join(str(int("ABCD"[k] == letter)) for k in range(4))] for stem, options, letter in _ROWS],
    ),
    "bits.csv": _csv(
        ["question", *(f"choice{k}" for k in range(4)), "answer"],
        [[stem, *options, str(1 << "ABCD".index(letter))] for stem, options, letter in _ROWS],
    ),
    "named by the stem.json": json.dumps(
        {stem: {"options": dict(zip("ABCD", options, strict=True)), "answer": letter} for stem, options, letter in _ROWS},
        ensure_ascii=False,
    ).encode(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_nothing_is_invented_from_a_table_that_is_not_read(name: str) -> None:
    try:
        [result] = [step for step in read_steps(name, REFUSED[name], None, SEEN) if isinstance(step, FileResult)]
    except Refusal:
        return
    assert not [each.question for each in cleaned([one for one in result.reading.items if isinstance(one, QuestionItem)]) if each.question]


_PARTS = ["心脏外膜", "肝脏左叶", "肺部尖端", "肾脏皮质", "脾脏包膜", "胃部底端"]
_STEMS = [f"第{'甲乙丙丁戊己庚辛'[n]}例患者入院，检查发现异常，最先受到影响的器官是" for n in range(8)]
_OPTIONS = [[_PARTS[(n + step) % 6] for step in range(5 if n % 2 else 4)] for n in range(8)]
_ANSWERS = ["BADCADCB"[n] if n != 3 else "E" for n in range(8)]
Question = tuple[str, list[str], str]


def _read(name: str, body: str | bytes) -> list[Question]:
    items = sound(result_of(name, body).reading)
    return [
        (item.stem_raw or "", [text.partition(".")[2] or text for text in item.options_raw or ()], item.answer_raw or "") for item in items
    ]


def _sheet(*rows: tuple[Any, ...]) -> bytes:
    return book_of(rows and [*rows])


_GOLD = list(zip(_STEMS, _OPTIONS, _ANSWERS, strict=True))


@pytest.mark.parametrize(
    "header",
    [
        ",Question,A,B,C,D,E,Answer",  # known without E
        "id,type,question,option_a,option_b,option_c,option_d,option_e,answer,created_at",  # known without options
    ],
)
def test_a_known_layout_that_leaves_options_gives_way(header: str) -> None:
    columns = header.split(",")
    lines = [header]
    for n, (stem, options, answer) in enumerate(_GOLD):
        cells = dict(zip([key for key in columns if key and (key in "ABCDE" or "option" in key)], [*options, ""], strict=False))
        names = {"Question": stem, "question": stem, "Answer": answer, "answer": answer, "": str(n), "id": str(8800 + n), "type": "single"}
        lines.append(",".join((cells | names).get(key, "") if key else str(n) for key in columns))
    read = _read("bank.csv", "\n".join(lines))
    assert [(stem, answer) for stem, _, answer in read] == [(stem, answer) for stem, _, answer in _GOLD]
    assert [options for _, options, _ in read] == _OPTIONS


def test_the_options_are_all_of_those_named_in_turn_and_no_column_beside_them() -> None:
    records = [
        {
            "seq": n,
            "gain": 5 * (n % 2),
            "question": {"content": stem, **{f"item{letter}": text for letter, text in zip("ABCDE", options, strict=False)}},
            "userAnswer": "ABCDABCD"[n],
            "standardAnswer": answer,
        }
        for n, (stem, options, answer) in enumerate(_GOLD)
    ]
    assert _read("record.json", json.dumps({"score": 80, "records": records}, ensure_ascii=False)) == _GOLD


def test_how_often_a_question_was_answered_wrongly_is_no_wrong_answer() -> None:
    records = {
        str(114706269 + 1000 * n): {
            "body": "\n".join([stem, *(f"{letter}.{text}" for letter, text in zip("ABCDE", options, strict=False))]),
            "kind": "单选题",
            "ans": answer,
            "wrong": n % 4,
        }
        for n, (stem, options, answer) in enumerate(_GOLD)
    }
    assert _read("bank.json", json.dumps({"version": 3, "questions": records}, ensure_ascii=False)) == _GOLD


def test_numbers_and_chapters_are_no_options() -> None:
    rows = [(f"第{n // 3 + 1}章", n + 1, f"第{n}项关于药品储存的规定适用于所有零售企业。", n % 2) for n in range(8)]
    read = _read("bank.xlsx", _sheet(("章节", "序号", "题干", "答案"), *rows))
    assert all(not options for _, options, _ in read)


def test_headings_between_rows_do_not_hide_the_columns() -> None:
    rows: list[tuple[Any, ...]] = []
    for n, (stem, options, answer) in enumerate(_GOLD):
        rows += [(f"▶ 第{n}部分",), (1, "单", stem, *options, *[None] * (5 - len(options)), answer)]
    header = ("题号", "类型", "题面", "备选答案A", "备选答案B", "备选答案C", "备选答案D", "备选答案E", "标答")
    assert _read("bank.xlsx", _sheet(header, *rows)) == _GOLD


def test_options_of_which_one_is_marked_make_statements_questions() -> None:
    records = [
        {
            "_id": {"$oid": f"5f3a0000000000000000{n:04x}"},
            "topic": f"第{n}项药品管理规定适用于所有零售企业。",
            "items": [{"text": "正确", "correct": n % 3 > 0}, {"text": "错误", "correct": n % 3 == 0}],
            "mask": [int(n % 3 > 0), int(n % 3 == 0)],
            "createdAt": {"$date": f"2021-09-{n + 1:02d}T08:00:00.000Z"},
        }
        for n in range(8)
    ]
    read = _read("bank.json", "\n".join(json.dumps(record, ensure_ascii=False) for record in records))
    assert [stem for stem, _, _ in read] == [record["topic"] for record in records]
    assert [answer for _, _, answer in read] == ["A" if n % 3 else "B" for n in range(8)]


def test_statements_whose_options_are_columns_are_read() -> None:
    header = ("Question", "Question Type", "Option 1", "Option 2", "Option 3", "Correct Option", "Time (sec)")
    rows = [
        (f"第{n}项药品管理规定适用于所有零售企业。", "Multiple Choice", "正确", "错误", None, str(n % 3 % 2 + 1), "30") for n in range(14)
    ]
    read = _read("bank.xlsx", _sheet(header, *rows))
    assert [(len(options), answer) for _, options, answer in read] == [(2, "AB"[n % 3 % 2]) for n in range(14)]
