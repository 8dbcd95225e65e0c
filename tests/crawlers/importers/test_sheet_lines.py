"""Sheets whose rows are the lines of a paper: read as a paper is, and by a layout of lines; other sheets give nothing."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from atomexam.records.item import QuestionItem
from crawlers.coverage.proposed import proposed_layout
from crawlers.coverage.report import ReportRow
from crawlers.read import read_row

Cells = list[list[Any]]
_WORDS = ["感知觉", "记忆力", "注意力", "思维", "情绪", "意志", "能力", "气质"]
_BANK = [
    (n, f"第{n}次测量时应当先看哪一项（ ）", [_WORDS[(n + at) % 8] for at in range(4)], "ABCD"[(n * 3 + n // 3) % 4]) for n in range(1, 13)
]
_Question = tuple[int, str, list[str], str]


def _lettered(options: Sequence[str]) -> list[str]:
    return [f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True)]


def _each(rows_of: Any) -> Cells:
    return [row for question in _BANK for row in rows_of(*question)]


def _side_by_side(pairs: Sequence[tuple[_Question, _Question]]) -> Cells:
    rows: Cells = []
    for (n, one, first, a), (m, other, second, b) in pairs:
        rows += [
            [f"{n}. {one}", f"{m}. {other}"],
            *map(list, zip(_lettered(first), _lettered(second), strict=True)),
            [f"答案：{a}", f"答案：{b}"],
        ]
    return rows


_SHEETS: dict[str, Cells] = {
    "options in a row": _each(lambda n, stem, options, answer: [[f"{n}、{stem}"], _lettered(options), [f"答案：{answer}"]]),
    "no numbers": _each(lambda n, stem, options, answer: [[stem], _lettered(options), [f"答案：{answer}"], []]),
    "labels": _each(lambda n, stem, options, answer: [["题目", stem], ["选项", *_lettered(options)], ["答案", answer]]),
    "letters in cells": _each(
        lambda n, stem, options, answer: [
            [n, stem],
            [cell for pair in zip("ABCD", options, strict=True) for cell in pair],
            ["答案", answer],
        ]
    ),
    "answer beside the stem": _each(
        lambda n, stem, options, answer: [[f"{n}. {stem}", "", f"答案：{answer}"], _lettered(options)[:2], _lettered(options)[2:]]
    ),
    "answer within the stem": _each(
        lambda n, stem, options, answer: [[f"{n}. {stem[:-3]}（{answer}）"], _lettered(options)[:2], _lettered(options)[2:]]
    ),
    "type and number": _each(
        lambda n, stem, options, answer: [
            ["单选题", n, stem],
            *(["", *pair] for pair in zip("ABCD", options, strict=True)),
            ["", "答案", answer],
        ]
    ),
    "list of answers": [
        ["一、单选题"],
        *_each(lambda n, stem, options, answer: [[f"{n}. {stem}"], _lettered(options)]),
        ["参考答案"],
        [f"{n}.{answer}" for n, _, _, answer in _BANK],
    ],
    "two beside each other": _side_by_side([*zip(_BANK[::2], _BANK[1::2], strict=True)]),
    "two columns of questions": _side_by_side([*zip(_BANK[:6], _BANK[6:], strict=True)]),
}


def _xlsx(rows: Cells) -> bytes:
    book, body = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(body)
    return body.getvalue()


def _csv(rows: Cells) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _read(folder: Path, name: str, rows: Cells, paper: dict[str, Any] | None = None) -> ReportRow:
    path = folder / name
    path.write_bytes(_xlsx(rows) if name.endswith(".xlsx") else _csv(rows))
    if paper:
        (folder / f"{path.stem}.layout.yaml").write_text(json.dumps({"bank": {"paper": paper}}, ensure_ascii=False), encoding="utf-8")
    return read_row(name, path)


def _bare(text: str) -> str:
    return "".join(text.split()).replace("（）", "")


def _questions(row: ReportRow) -> list[tuple[str, list[str], str | None]]:
    assert not row.error, row.error
    items = [item for item in row.reading.items if isinstance(item, QuestionItem) and not item.doubt]
    stems = [_bare(item.stem_raw or "").partition("第") for item in items]
    return sorted(
        (f"第{rest}", [_bare(option).lstrip("ABCD.") for option in item.options_raw or []], item.answer_raw)
        for (_, _, rest), item in zip(stems, items, strict=True)
    )


_EXPECTED = sorted((_bare(stem), options, answer) for _, stem, options, answer in _BANK)


@pytest.mark.parametrize("suffix", [".xlsx", ".csv"])
@pytest.mark.parametrize("name", _SHEETS)
def test_rows_that_are_lines_of_a_paper_are_read(tmp_path: Path, name: str, suffix: str) -> None:
    row = _read(tmp_path, f"bank{suffix}", _SHEETS[name])
    assert (_questions(row), row.reading.faults) == (_EXPECTED, [])
    assert row.account and row.account.unread_characters == 0, row.account.unread


_FOREIGN: dict[str, Cells] = {
    "prices": [[n, f"{word}片", n * 1.5, "盒"] for n, word in enumerate(_WORDS * 3, 1)],
    "prices beside each other": [[f"{n}. {word}片", 3, f"{n + 8}. {word}膏", 5] for n, word in enumerate(_WORDS, 1)],
    "accounts": [row for letter in "ABCD" for row in [*([f"{letter}. {word}", n] for n, word in enumerate(_WORDS, 1)), ["合计", 8]]],
    "checks": [["每日检查"], *([n, f"{word}是否完好？", "√" if n % 3 else "×"] for n, word in enumerate(_WORDS * 2, 1))],
    "plan": [row for n, word in enumerate(_WORDS, 1) for row in ([f"{n}. {word}讨论"], ["A. 报告", "B. 提问"], ["负责人：甲"])],
    "survey": [
        ["满意度调查"],
        *(row for n, word in enumerate(_WORDS, 1) for row in ([f"{n}. 您对{word}满意吗？"], ["A. 满意", "B. 不满意"], ["答案：A"])),
    ],
    "people": [row for word in _WORDS for row in (["姓名", word], ["电话", "138"], ["备注", "答案：A"], [])],
}


@pytest.mark.parametrize("suffix", [".xlsx", ".csv"])
@pytest.mark.parametrize("name", _FOREIGN)
def test_other_sheets_give_nothing(tmp_path: Path, name: str, suffix: str) -> None:
    row = _read(tmp_path, f"sheet{suffix}", _FOREIGN[name])
    assert row.error and not row.reading.items


def test_a_stem_in_several_cells_is_rejected(tmp_path: Path) -> None:
    rows = [[*row, "2分"] if n in (3, 9) else row for n, row in enumerate(_SHEETS["letters in cells"])]
    row = _read(tmp_path, "bank.xlsx", rows)
    assert len(_questions(row)) == 10 and ["cells_unclear" in fault for fault in row.reading.faults] == [True, True]


def test_a_comma_of_a_text_in_a_csv_is_kept(tmp_path: Path) -> None:
    lines = [f"{n}. 某患者,男,{n}岁,应当先看哪一项\nA. 甲{n}\nB. 乙{n}\nC. 丙{n}\nD. 丁{n}\n答案：B\n解析：因为在先\n" for n in range(1, 9)]
    (tmp_path / "bank.csv").write_text("".join(lines), encoding="utf-8")
    items = read_row("bank.csv", tmp_path / "bank.csv").reading.items
    assert [item.stem_raw for item in items if isinstance(item, QuestionItem)] == [
        f"{n}. 某患者,男,{n}岁,应当先看哪一项" for n in range(1, 9)
    ]


_ODD: dict[str, tuple[Cells, str]] = {
    "signs": (
        _each(
            lambda n, stem, options, answer: [
                [f"#{n}#", stem],
                ["选>", *(f"{a}={b}" for a, b in zip("ABCD", options, strict=True))],
                ["钥>", answer],
            ]
        ),
        "#{number}# {stem}\n选> {options}\n钥> {answer}",
    ),
    "stars": (
        _each(
            lambda n, stem, options, answer: [
                [f"题{n} >>", stem],
                *(["★" if "ABCD"[at] == answer else "☆", text] for at, text in enumerate(options)),
            ]
        ),
        "题{number} >> {stem}\n★ {right_option}\n☆ {option}",
    ),
    "Q and A": (
        _each(lambda n, stem, options, answer: [[f"Q{n}", stem], *map(list, zip("ABCD", options, strict=True)), [f"A{n}", answer]]),
        "Q{number} {stem}\n{letter} {option}\nA{number} {answer}",
    ),
    "without letters": (
        _each(lambda n, stem, options, answer: [[n, stem], options, ["答案", answer]]),
        "{number} {stem}\n{options}\n答案 {answer}",
    ),
}


@pytest.mark.parametrize("suffix", [".xlsx", ".csv"])
@pytest.mark.parametrize("name", _ODD)
def test_a_layout_of_lines_reads_the_rows_of_a_sheet(tmp_path: Path, name: str, suffix: str) -> None:
    rows, template = _ODD[name]
    row = _read(tmp_path, f"bank{suffix}", rows, {"question": template})
    assert (_questions(row), row.reading.faults) == (_EXPECTED, [])
    assert row.account and row.account.unread_characters == 0, row.account.unread


@pytest.mark.parametrize("name", ["options in a row", "letters in cells", "answer beside the stem", "answer within the stem"])
def test_a_layout_of_lines_is_proposed_and_reads_as_much(name: str) -> None:
    text = proposed_layout("bank.xlsx", _xlsx(_SHEETS[name]))
    assert "  paper:" in text and "12 questions by this layout, 12 without it; 0 rejected" in text and "confirmed: no" not in text, text


def test_a_sheet_of_lines_with_unknown_signs_gets_its_first_lines_as_a_skeleton() -> None:
    text = proposed_layout("bank.xlsx", _xlsx(_ODD["signs"][0]))
    assert "confirmed: no" in text and "# 选> A=记忆力 B=注意力 C=思维 D=情绪" in text
