"""Tables that are not read without a layout: each is refused, or its rows are rejected, and nothing is invented from it."""

import json

import pytest

from atomexam.records.item import QuestionItem
from atomexam.text.refusal import Refusal
from crawlers.read.files import FileResult, read_steps
from tests.crawlers.read.bodies import SEEN, csv_of, json_of
from tests.crawlers.read.files.test_shapes import GOLD
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
