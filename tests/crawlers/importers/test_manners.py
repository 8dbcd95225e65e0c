"""One bank in many manners of giving options and answers: each reads back equal, by whatever format its file is told to be."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from openpyxl import Workbook

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.column_roles.values import answer_letters, bare, plain
from crawlers.importers.formats import guess_format, read_guessed
from crawlers.importers.layouts.layout_files import shipped_layouts

_SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_PARTS = ["心脏", "肝脏", "肺部", "肾脏", "脾脏", "胃部", "胆囊", "膀胱"]
_L = "ABCD"
Asked = tuple[str, list[str], int]
GOLD: list[Asked] = [
    (f"第{'一二三四五六七八九十'[n]}例患者主要累及的部位是（ ）", [_PARTS[(3 * n + k) % 8] for k in range(4)], (n * 3 + n // 4) % 4)
    for n in range(10)
]


def _csv(rows: list[list[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def _book(*sheets: list[list[Any]]) -> bytes:
    book = Workbook()
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.remove(book.worksheets[0])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _paper(block: Callable[[int, Asked], str]) -> str:
    return "\n".join(block(n, one) for n, one in enumerate(GOLD, 1))


def _lines(options: list[str], signs: list[str] | str, form: str) -> str:
    return "\n".join(form.format(sign, option) for sign, option in zip(signs, options, strict=False))


MANNERS: dict[str, tuple[str, str | bytes]] = {
    "truth values beside options": (
        "a.csv",
        _csv(
            [["题目", *(word for k in "1234" for word in (f"选项{k}", f"是否正确{k}"))]]
            + [[q, *(word for k, o in enumerate(os) for word in (o, "是" if k == a else "否"))] for q, os, a in GOLD]
        ),
    ),
    "truth values in columns of their own": (
        "a.csv",
        _csv(
            [["question", *(f"choice{s}" for s in _L), *(f"is{s}" for s in _L)]]
            + [[q, *os, *(k == a for k in range(4))] for q, os, a in GOLD]
        ),
    ),
    "an option a row": (
        "a.csv",
        _csv(
            [["qid", "stem", "option_text", "is_correct"]]
            + [[n, q, o, int(k == a)] for n, (q, os, a) in enumerate(GOLD) for k, o in enumerate(os)]
        ),
    ),
    "pairs with a truth value": ("a.json", _json([{"q": q, "o": [[o, k == a] for k, o in enumerate(os)]} for q, os, a in GOLD])),
    "letters with pairs": ("a.json", _json([{"q": q, "o": {_L[k]: [o, k == a] for k, o in enumerate(os)}} for q, os, a in GOLD])),
    "texts as keys": ("a.json", _json([{"q": q, "o": {o: k == a for k, o in enumerate(os)}} for q, os, a in GOLD])),
    "columns": (
        "a.json",
        _json({"question": [q for q, _, _ in GOLD], "options": [os for _, os, _ in GOLD], "answer": [_L[a] for _, _, a in GOLD]}),
    ),
    "columns of a frame": (
        "a.json",
        _json(
            {"题干": {str(n): q for n, (q, _, _) in enumerate(GOLD)}}
            | {_L[k]: {str(n): os[k] for n, (_, os, _) in enumerate(GOLD)} for k in range(4)}
            | {"答案": {str(n): _L[a] for n, (_, _, a) in enumerate(GOLD)}}
        ),
    ),
    "named by the stem": ("a.json", _json({q: {"options": dict(zip(_L, os, strict=True)), "answer": _L[a]} for q, os, a in GOLD})),
    "talks": (
        "a.json",
        _json(
            [
                {
                    "messages": [
                        {"role": "user", "content": q + "\n" + _lines(os, _L, "{}. {}")},
                        {"role": "assistant", "content": f"答案：{_L[a]}"},
                    ]
                }
                for q, os, a in GOLD
            ]
        ),
    ),
    "options behind the stem": (
        "a.jsonl",
        "\n".join(
            _json({"input": q + " " + " ".join(f"{s}、{o}" for s, o in zip(_L, os, strict=True)), "target": _L[a]}) for q, os, a in GOLD
        ),
    ),
    "answers on a sheet": (
        "a.xlsx",
        _book(
            [["题号", "试题", *_L], *([n, q, *os] for n, (q, os, _) in enumerate(GOLD, 1))],
            [["题号", "答案"], *([n, _L[a]] for n, (_, _, a) in reversed(list(enumerate(GOLD, 1))))],
        ),
    ),
    "a question a column": (
        "a.xlsx",
        _book(
            [
                ["题目", *(q for q, _, _ in GOLD)],
                *([f"选项{_L[k]}", *(os[k] for _, os, _ in GOLD)] for k in range(4)),
                ["答案", *(_L[a] for _, _, a in GOLD)],
            ]
        ),
    ),
    "the column of the answer": (
        "a.json",
        _json([{"question": q, **{f"option{s}": o for s, o in zip(_L, os, strict=True)}, "answer": f"option{_L[a]}"} for q, os, a in GOLD]),
    ),
    "the id of the answer": (
        "a.json",
        _json(
            [
                {"body": q, "choices": [{"id": 100 * n + k, "content": o} for k, o in enumerate(os)], "key": [100 * n + a]}
                for n, (q, os, a) in enumerate(GOLD, 1)
            ]
        ),
    ),
    "a mask": (
        "a.csv",
        _csv(
            [["question", *(f"choice{k}" for k in range(4)), "mask"]]
            + [[q, *os, "".join(str(int(k == a)) for k in range(4))] for q, os, a in GOLD]
        ),
    ),
    "lines that end in letters": (
        "a.txt",
        "\n".join("|".join([q, *os[: 3 + (n % 2 or a == 3)], _L[a]]) for n, (q, os, a) in enumerate(GOLD)),
    ),
    "numbers for letters": ("a.txt", _paper(lambda n, one: f"第{n}题 {one[0]}\n{_lines(one[1], '1234', '{}) {}')}\n答案：{one[2] + 1}")),
    "stems for letters": (
        "a.txt",
        _paper(lambda n, one: f"{n}、{one[0]}\n{_lines(one[1], '甲乙丙丁', '{}、{}')}\n答案：{'甲乙丙丁'[one[2]]}"),
    ),
    "Roman numerals for letters": (
        "a.txt",
        _paper(lambda n, one: f"{n}、{one[0]}\n{_lines(one[1], 'ⅠⅡⅢⅣ', '{}、{}')}\n答案：{'ⅠⅡⅢⅣ'[one[2]]}"),
    ),
    "answers by text": ("a.txt", "\n\n".join(f"问：{q}\n{_lines(os, '····', '{} {}')}\n答：{os[a]}" for q, os, a in GOLD)),
    "light brackets": ("a.txt", _paper(lambda n, one: f"【{n}】{one[0]}\n{_lines(one[1], _L, '〔{}〕{}')}\n【标准答案】{_L[one[2]]}\n")),
    "signs between options": (
        "a.txt",
        "\n\n".join(f"题目：{q}\n选项：{'|'.join(f'{s}.{o}' for s, o in zip(_L, os, strict=True))}\n答案：{_L[a]}" for q, os, a in GOLD),
    ),
    "signs between options of a cell": (
        "a.csv",
        _csv([["题干", "选项", "答案"]] + [[q, "$".join(f"{s}:{o}" for s, o in zip(_L, os, strict=True)), _L[a]] for q, os, a in GOLD]),
    ),
    "lists of a page": (
        "a.html",
        "<ol>"
        + "".join(
            f"<li><p>{q}</p><ul>" + "".join(f"<li{' class=correct' * (k == a)}>{o}</li>" for k, o in enumerate(os)) + "</ul></li>"
            for q, os, a in GOLD
        )
        + "</ol>",
    ),
}


def _items(name: str, body: str | bytes) -> list[QuestionItem]:
    given = body.encode() if isinstance(body, str) else body
    _, reading = read_guessed(name, given, guess_format(name, given), _SEEN, (), shipped_layouts())
    return [item for item in reading.items if isinstance(item, QuestionItem)]


@pytest.mark.parametrize("manner", MANNERS)
def test_a_bank_reads_back_equal_in_each_manner(manner: str) -> None:
    items = _items(*MANNERS[manner])
    assert [item.doubt for item in items] == [None] * len(GOLD)
    for item, (stem, options, right) in zip(items, GOLD, strict=True):
        told = [plain(bare(option)) for option in item.options_raw or []]
        letters = answer_letters(item.answer_raw, item.options_raw or [], "letters") or answer_letters(
            item.answer_raw, item.options_raw or [], "text"
        )
        assert plain(item.stem_raw or "").endswith(plain(stem))
        assert told == [plain(option) for option in options[: len(told)]]
        assert len(told) >= 3
        assert letters == _L[right]


def test_wrong_answers_beside_the_right_one_are_options_too() -> None:
    rows = [{"question": q, "correct_answer": os[a], "incorrect_answers": [o for o in os if o != os[a]]} for q, os, a in GOLD]
    for item, (_, options, right) in zip(_items("a.json", _json({"results": rows})), GOLD, strict=True):
        assert item.options_raw == [f"{letter}.{text}" for letter, text in zip(_L, sorted(options), strict=True)]
        assert options[right] == sorted(options)["ABCD".index(item.answer_raw or "")]


def test_numbers_that_answer_how_many_stay_numbers() -> None:
    text = "\n".join(f"{n}、下列各项中属于症状的有几项\n1) 头痛\n2) 发热\n3) 血压\n答案：2" for n in range(1, 7))
    assert all(item.answer_raw == "2" for item in _items("题库.txt", text))


def test_ones_and_noughts_are_truth_values() -> None:
    rows = [["题目", "答案"], *([f"第{n}条骨骼的数目是正确的。", n % 2] for n in range(12))]
    assert [item.answer_raw for item in _items("a.xlsx", _book(rows))] == ["错误", "正确"] * 6


def test_options_whose_answer_is_unknown_are_no_words() -> None:
    rows = [["题干", "选项1", "选项2", "选项3", "答案"], *([q, *os[:3], f"{_L[a % 3]}（{os[a % 3]}）"] for q, os, a in GOLD)]
    assert all(item.options_raw for item in _items("a.csv", _csv(rows)))


def test_a_sign_behind_every_option_is_a_part_of_it() -> None:
    text = "\n".join(f"{n}、应选用的铅丝是（ ）\nA.14#\nB.16#\nC.18#\nD.20#\n答案：B" for n in range(1, 7))
    assert all(item.options_raw == ["A.14#", "B.16#", "C.18#", "D.20#"] for item in _items("题库.txt", text))


def test_a_dot_within_an_option_is_no_bullet() -> None:
    names = ["卡尔·罗杰斯", "约翰·华生", "伯尔赫斯·斯金纳", "西格蒙德·弗洛伊德"]
    body = "\n\n".join(
        f"{n}. 第{n}种学说的提出者是\n" + "\n".join(f"·{name}" for name in names) + f"\n答：{names[n % 4]}" for n in range(1, 7)
    )
    questions = _items("a.txt", body)
    assert len(questions) == 6
    assert all(one.options_raw == names and one.answer_raw in (*names, *"ABCD") for one in questions if not one.doubt)
