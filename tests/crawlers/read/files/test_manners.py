"""One bank in many manners of giving options and answers: each reads back equal, by whatever format its file is told to be."""

import pytest

from atomexam.records.item import QuestionItem
from crawlers.read.tables.roles.values import answer_letters, bare, plain
from tests.crawlers.read.bodies import book_of, csv_of, json_of, read

_PARTS = ["心脏", "肝脏", "肺部", "肾脏", "脾脏", "胃部", "胆囊", "膀胱"]
_L = "ABCD"
Asked = tuple[str, list[str], int]
GOLD: list[Asked] = [
    (f"第{'一二三四五六七八九十'[n]}例患者主要累及的部位是（ ）", [_PARTS[(3 * n + k) % 8] for k in range(4)], (n * 3 + n // 4) % 4)
    for n in range(10)
]


def _lines(options: list[str], signs: list[str] | str, form: str) -> str:
    return "\n".join(form.format(sign, option) for sign, option in zip(signs, options, strict=False))


MANNERS: dict[str, tuple[str, str | bytes]] = {
    "columns": (
        "a.json",
        json_of({"question": [q for q, _, _ in GOLD], "options": [os for _, os, _ in GOLD], "answer": [_L[a] for _, _, a in GOLD]}),
    ),
    "columns of a frame": (
        "a.json",
        json_of(
            {"题干": {str(n): q for n, (q, _, _) in enumerate(GOLD)}}
            | {_L[k]: {str(n): os[k] for n, (_, os, _) in enumerate(GOLD)} for k in range(4)}
            | {"答案": {str(n): _L[a] for n, (_, _, a) in enumerate(GOLD)}}
        ),
    ),
    "options behind the stem": (
        "a.jsonl",
        b"\n".join(
            json_of({"input": q + " " + " ".join(f"{s}、{o}" for s, o in zip(_L, os, strict=True)), "target": _L[a]}) for q, os, a in GOLD
        ),
    ),
    "answers by text": ("a.txt", "\n\n".join(f"问：{q}\n{_lines(os, '····', '{} {}')}\n答：{os[a]}" for q, os, a in GOLD)),
    "signs between options": (
        "a.txt",
        "\n\n".join(f"题目：{q}\n选项：{'|'.join(f'{s}.{o}' for s, o in zip(_L, os, strict=True))}\n答案：{_L[a]}" for q, os, a in GOLD),
    ),
    "signs between options of a cell": (
        "a.csv",
        csv_of([["题干", "选项", "答案"]] + [[q, "$".join(f"{s}:{o}" for s, o in zip(_L, os, strict=True)), _L[a]] for q, os, a in GOLD]),
    ),
}


def _items(name: str, body: str | bytes) -> list[QuestionItem]:
    given = body.encode() if isinstance(body, str) else body
    return [item for item in read(name, given).items if isinstance(item, QuestionItem)]


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


def test_numbers_that_answer_how_many_stay_numbers() -> None:
    text = "\n".join(f"{n}、下列各项中属于症状的有几项\n1) 头痛\n2) 发热\n3) 血压\n答案：2" for n in range(1, 7))
    assert all(item.answer_raw == "2" for item in _items("题库.txt", text))


def test_ones_and_noughts_are_truth_values() -> None:
    rows = [["题目", "答案"], *([f"第{n}条骨骼的数目是正确的。", n % 2] for n in range(12))]
    assert [item.answer_raw for item in _items("a.xlsx", book_of(rows))] == ["错误", "正确"] * 6


def test_options_whose_answer_is_unknown_are_no_words() -> None:
    rows = [["题干", "选项1", "选项2", "选项3", "答案"], *([q, *os[:3], f"{_L[a % 3]}（{os[a % 3]}）"] for q, os, a in GOLD)]
    assert all(item.options_raw for item in _items("a.csv", csv_of(rows)))


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
