"""Tables that are read partly or not at all without a layout: the rest of the file decides, and nothing is invented."""

import json
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.text.refusal import Refusal
from crawlers.read.files import FileResult, read_steps
from tests.crawlers.read.bodies import BANK, LETTERS, SEEN, book_of, csv_of, json_of, result_of, sound
from tests.layouts.law import cleaned

_OPTIONS, _STATED = ["题干", "选项", "答案"], [f"{word}{n}" for n in range(1, 5) for word in ("选项", "得分")]
_PLACES = [f"choice{at}" for at in range(4)]
REFUSED = {
    "options in rows below.csv": csv_of(
        [["题号", "题目", "答案"], *(row for q in BANK for row in [[q.n, q.stem, q.key], *(["", text, ""] for text in q.texts)])]
    ),
    "only the first option.csv": csv_of([_OPTIONS, *([q.stem, q.texts[0], q.key] for q in BANK)]),
    "any sign between options.csv": csv_of([_OPTIONS, *([q.stem, "$".join(q.texts), q.key] for q in BANK)]),
    "codes of options elsewhere.json": json_of([{"topic": q.stem, "correct": f"opt{q.n}"} for q in BANK]),
    "a right one among columns.csv": csv_of([["t", "z", "c1", "c2"], *([q.stem, *q.texts[:3]] for q in BANK)]),
    "ids in another order.json": json_of(
        [
            {"topic": q.stem, "right": str(q.n % 4 + 1)}
            | {"list": [{"_id": (at + q.n) % 4 + 1, "title": text} for at, text in enumerate(q.texts)]}
            for q in BANK
        ]
    ),
    **{
        f"wrong answers in columns, {header}.csv": csv_of([header.split(), *([q.stem, *q.texts] for q in BANK)])
        for header in (
            "题目 正确答案 干扰项1 干扰项2 干扰项3",
            "题目 正确答案 错误1 错误2 错误3",
            "question key distractorA distractorB distractorC",
            "t zhengque cuowu1 cuowu2 cuowu3",
        )
    },
    "wrong answers in a list.json": json_of(
        [{"question": q.stem, "correct_answer": q.texts[0], "incorrect_answers": q.texts[1:]} for q in BANK]
    ),
    "an option a row.csv": csv_of(
        [["qid", "stem", "option_text", "is_correct"], *([q.n, q.stem, text, int(key == q.key)] for q in BANK for key, text in q.pairs)]
    ),
    **{
        f"{signs} beside options.csv": csv_of(
            [["题目", *_STATED], *([q.stem, *(word for key, text in q.pairs for word in (text, signs[key == q.key]))] for q in BANK)]
        )
        for signs in ("否是", "02")
    },
    "options in pairs.json": json_of([{"q": q.stem, "o": [[text, key == q.key] for key, text in q.pairs]} for q in BANK]),
    "a mask.csv": csv_of(
        [["question", *_PLACES, "mask"], *([q.stem, *q.texts, "".join(str(int(key == q.key)) for key in LETTERS)] for q in BANK)]
    ),
    "bits.csv": csv_of([["question", *_PLACES, "answer"], *([q.stem, *q.texts, 1 << q.right] for q in BANK)]),
    "named by the stem.json": json_of({q.stem: {"options": dict(q.pairs), "answer": q.key} for q in BANK}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_reads_nothing_from_a_refused_table(name: str) -> None:
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


def test_reads_all_consecutive_option_columns_and_no_other() -> None:
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


def test_error_counts_are_not_wrong_answers() -> None:
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


def test_headings_between_rows_do_not_hide_the_columns() -> None:
    rows: list[tuple[Any, ...]] = []
    for n, (stem, options, answer) in enumerate(_GOLD):
        rows += [(f"▶ 第{n}部分",), (1, "单", stem, *options, *[None] * (5 - len(options)), answer)]
    header = ("题号", "类型", "题面", "备选答案A", "备选答案B", "备选答案C", "备选答案D", "备选答案E", "标答")
    assert _read("bank.xlsx", _sheet(header, *rows)) == _GOLD


def test_statements_with_marked_options_are_choice_questions() -> None:
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
