"""Tables read by a layout that names their columns: forms of options and answers, rows above the header, and doubts if nothing fits."""

import json
from pathlib import Path
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from crawlers.read.__main__ import read_row
from crawlers.read.account.report import ReportRow
from tests.crawlers.read.bodies import csv_of

_STEMS = [f"第{n}次测量时应当先看哪一项（ ）" for n in range(1, 13)]
_OPTIONS = [["感知觉", "记忆力", "注意力", "思维"][n % 4 :] + ["感知觉", "记忆力", "注意力", "思维"][: n % 4] for n in range(12)]


def _read(folder: Path, name: str, body: bytes | Any, table: dict[str, Any] | None = None) -> ReportRow:
    path = folder / name
    path.write_bytes(body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode())
    if table:
        path.with_name(f"{path.stem}.layout.yaml").write_text(json.dumps({"bank": {"tables": [table]}}, ensure_ascii=False))
    return read_row(name, path)


def _told(row: ReportRow) -> list[tuple[str, list[str] | None, str | None]]:
    assert not row.error, row.error
    items = [item for item in row.reading.items if isinstance(item, QuestionItem)]
    return [(item.stem_raw or "", item.options_raw, item.answer_raw) if not item.doubt else (item.doubt, None, None) for item in items]


_EXPECTED = [(stem, options, "ABCD"[n % 4]) for n, (stem, options) in enumerate(zip(_STEMS, _OPTIONS, strict=True))]
_TABLE = {"under": ["*"], "stem": "q", "options": ["o"], "answer": "k"}
_BY_LAYOUT = pytest.mark.parametrize("layout", [None, _TABLE], ids=["by content", "by layout"])


def test_an_unknown_table_field_lists_the_known_ones(tmp_path: Path) -> None:
    error = _read(tmp_path, "bank.json", [{"q": "甲"}], {**_TABLE, "number": "n"}).error or ""
    assert "unknown: number; known: under, header, stem, options, divider, answer, form, explanation, others, type" in error


@pytest.mark.parametrize("sign", ["$", "#", "^", "~", "@@"])
def test_divides_options_by_the_separator_of_the_layout(tmp_path: Path, sign: str) -> None:
    more = [[*options, "情绪"] if n == 3 else options for n, options in enumerate(_OPTIONS)]
    rows = [{"q": stem, "o": sign.join(options), "k": "ABCD"[n % 4]} for n, (stem, options) in enumerate(zip(_STEMS, more, strict=True))]
    assert _told(_read(tmp_path, "bank.json", rows, {**_TABLE, "divider": sign})) == [
        (stem, options, "ABCD"[n % 4]) for n, (stem, options) in enumerate(zip(_STEMS, more, strict=True))
    ]


@_BY_LAYOUT
@pytest.mark.parametrize("signs", ["甲乙丙丁", "①②③④"])
def test_answers_in_other_signs_are_letters(tmp_path: Path, signs: str, layout: dict[str, Any] | None) -> None:
    rows = [{"q": stem, "o": options, "k": signs[n % 4]} for n, (stem, options) in enumerate(zip(_STEMS, _OPTIONS, strict=True))]
    assert _told(_read(tmp_path, "bank.json", rows, layout)) == _EXPECTED


@_BY_LAYOUT
@pytest.mark.parametrize(("signs", "form"), [("甲乙丙丁", "{}. {}"), ("①②③④", "{}{}"), ("1234", "({}) {}"), ("1234", "{}、{}")])
def test_strips_signs_of_options(tmp_path: Path, signs: str, form: str, layout: dict[str, Any] | None) -> None:
    marked = [[form.format(sign, text) for sign, text in zip(signs, options, strict=True)] for options in _OPTIONS]
    rows = [{"q": stem, "o": options, "k": signs[n % 4]} for n, (stem, options) in enumerate(zip(_STEMS, marked, strict=True))]
    assert _told(_read(tmp_path, "bank.json", rows, layout)) == _EXPECTED


def test_numbers_do_not_name_unnumbered_options(tmp_path: Path) -> None:
    rows = [{"q": stem, "o": options, "k": str(n % 4 + 1)} for n, (stem, options) in enumerate(zip(_STEMS, _OPTIONS, strict=True))]
    assert {doubt for doubt, _, _ in _told(_read(tmp_path, "bank.json", rows, _TABLE))} == {"answer_unreadable"}


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        (form, answer)
        for form, wrong in {
            **{"letters": "E AE 戊 ⑤", "text": "E 7", "from 0": "4 B", "from 1": "0 A"},
            **{"words": "E", "verdict": "E"},
        }.items()
        for answer in wrong.split()
    ],
)
def test_an_answer_that_names_no_option_in_its_form_is_doubted(tmp_path: Path, form: str, answer: str) -> None:
    rows = [{"q": stem, "o": options, "k": answer} for stem, options in zip(_STEMS, _OPTIONS, strict=True)]
    doubts = {doubt for doubt, _, _ in _told(_read(tmp_path, "bank.json", rows, {**_TABLE, "form": form}))}
    assert doubts == {"answer_unreadable"}


@pytest.mark.parametrize(("form", "answer"), [("letters", "A"), ("letters", "B"), ("from 1", "1"), ("text", "感知觉")])
def test_options_that_cannot_be_divided_are_doubted(tmp_path: Path, form: str, answer: str) -> None:
    rows = [{"q": stem, "o": "感知觉和记忆力及注意力", "k": answer} for stem in _STEMS]
    doubts = {doubt for doubt, _, _ in _told(_read(tmp_path, "bank.json", rows, {**_TABLE, "form": form}))}
    assert doubts == {"options_unreadable"}


@_BY_LAYOUT
def test_numeric_options_are_texts(tmp_path: Path, layout: dict[str, Any] | None) -> None:
    texts = [["1", "2", "3", "4"], *_OPTIONS[1:]]
    listed = [[{"sort": n, "code": "ABCD"[n - 1], "content": text} for n, text in enumerate(options, 1)] for options in texts]
    rows = [{"q": stem, "o": options, "k": "ABCD"[n % 4]} for n, (stem, options) in enumerate(zip(_STEMS, listed, strict=True))]
    expected = [(stem, options, "ABCD"[n % 4]) for n, (stem, options) in enumerate(zip(_STEMS, texts, strict=True))]
    assert _told(_read(tmp_path, "bank.json", rows, layout)) == expected


_CELLS = [[stem, *options, n % 4 + 1] for n, (stem, options) in enumerate(zip(_STEMS, _OPTIONS, strict=True))]


@pytest.mark.parametrize("name", ["bank.csv", "bank.xls"])
def test_a_layout_names_the_row_of_the_header(tmp_path: Path, name: str) -> None:
    rows = [["说明：请勿改动", "共", "若干"], ["甲方审定", "第二稿", "2020"], ["要问的", "一", "二", "三", "四", "选哪个"], *_CELLS]
    page = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    body = csv_of(rows) if name == "bank.csv" else f"<html><table>{page}</table></html>".encode()
    under = [] if name == "bank.csv" else ["table 1"]
    table = {"under": under, "header": 3, "stem": "要问的", "options": [*"一二三四"], "answer": "选哪个", "form": "from 1"}
    assert _told(_read(tmp_path, name, body, table)) == _EXPECTED
    assert "a header in row 99" in str(_read(tmp_path, name, body, {**table, "header": 99}).error)


def test_refuses_a_header_row_in_data_without_rows(tmp_path: Path) -> None:
    assert "`header: 2`" in str(_read(tmp_path, "bank.json", [{"q": stem} for stem in _STEMS], {**_TABLE, "header": 2}).error)


def test_further_filled_columns_of_options_are_reported(tmp_path: Path) -> None:
    rows = [["q", *"abcd", "k"], *([stem, *options, answer] for stem, options, answer in _EXPECTED)]
    (tmp_path / "bank.csv").write_bytes(csv_of(rows))
    for keys, reported in ((["options_raw", [*"abcd"]], True), (["option_keys", [*"abcd"]], False)):
        fields = {"stem_raw": "q", "answer_raw": "k"} | ({keys[0]: keys[1]} if reported else {})
        layout = {"questions": fields} | ({} if reported else {keys[0]: keys[1]})
        (tmp_path / "bank.layout.yaml").write_text(json.dumps({"bank": layout}))
        row = read_row("bank.csv", tmp_path / "bank.csv")
        assert any("field 'b' of 12 records: not read" in text and "`option_keys`" in text for text in row.reading.skipped) == reported
        assert reported or [len(options or []) for _, options, _ in _told(row)] == [4] * 12


@pytest.mark.parametrize("name", ["题干", "q"])
def test_numbers_of_missing_options_are_not_answers(tmp_path: Path, name: str) -> None:
    rows = [{name: stem, "答案": str(n % 4 + 1)} for n, stem in enumerate(_STEMS)]
    verdicts = [{name: f"第{n}项检查可以不做。", "答案": "对" if n % 2 else "错"} for n in range(6)]
    row = _read(tmp_path, "bank.json", [*rows, *verdicts])
    assert row.error or {answer for _, _, answer in _told(row)} <= {"对", "错", None}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"stem": "q", "options": ["o"], "answer": "q"},
            "column 'q' is named 2 times, as stem and answer; expected a separate column for each",
        ),
        ({"stem": "q", "options": ["q", "o"], "answer": "k"}, "'q' is named 2 times, as stem and options"),
        ({"stem": "q", "options": ["o"], "answer": "o"}, "'o' is named 2 times, as options and answer"),
        ({"stem": "q", "options": ["o"], "answer": "k", "explanation": "k"}, "'k' is named 2 times, as answer and explanation"),
        ({"stem": "q", "options": ["o"], "answer": "k", "others": {"题型": "k"}}, "'k' is named 2 times, as answer and others"),
        ({"stem": "q", "options": ["q"], "answer": "q"}, "options in the cells of the stem, 'q', but no cell has options"),
    ],
)
def test_a_column_has_one_role(tmp_path: Path, table: dict[str, Any], message: str) -> None:
    rows = [{"q": stem, "o": options, "k": "A"} for stem, options in zip(_STEMS, _OPTIONS, strict=True)]
    row = _read(tmp_path, "bank.json", rows, {"under": ["*"], **table})
    assert message in row.error and "bank" in row.error


@pytest.mark.parametrize("answer", [None, "q"])
@pytest.mark.parametrize("form", ["{stem}\n{options}\n答案：{answer}", "{stem}（{answer}）\n{options}"])
def test_cells_of_whole_questions_are_divided(tmp_path: Path, form: str, answer: str | None) -> None:
    cells = [
        form.format(
            stem=stem.removesuffix("（ ）"), options="\n".join(f"{a}. {b}" for a, b in zip("ABCD", options, strict=True)), answer=key
        )
        for stem, options, key in _EXPECTED
    ]
    row = _read(
        tmp_path,
        "bank.json",
        [{"q": cell, "note": "甲"} for cell in cells],
        {"under": ["*"], "stem": "q", "options": ["q"], "answer": answer},
    )
    assert [(stem.removesuffix("（ ）"), [option[3:] for option in options or []], key) for stem, options, key in _told(row)] == [
        (stem.removesuffix("（ ）"), options, key) for stem, options, key in _EXPECTED
    ]


def test_answers_may_be_the_names_of_the_columns_of_options(tmp_path: Path) -> None:
    rows = [{"q": stem, "x": dict(zip("pqrs", options, strict=True)), "k": "pqrs"["ABCD".index(key)]} for stem, options, key in _EXPECTED]
    layout = {"under": ["*"], "stem": "q", "options": [f"x.{name}" for name in "pqrs"], "answer": "k"}
    assert _told(_read(tmp_path, "bank.json", rows, layout)) == _EXPECTED
    rows[3]["k"] = "z"
    assert {doubt for doubt, options, _ in _told(_read(tmp_path, "bank.json", rows, layout)) if options is None} == {"answer_unreadable"}


def test_a_table_may_be_read_twice_for_two_questions_per_row(tmp_path: Path) -> None:
    rows = [["左题", "左选", "左答", "右题", "右选", "右答"]]
    for (one, first, a), (other, second, b) in zip(_EXPECTED[::2], _EXPECTED[1::2], strict=True):
        rows.append([one, "|".join(first), a, other, "|".join(second), b])
    tables = [{"stem": f"{side}题", "options": [f"{side}选"], "answer": f"{side}答"} for side in "左右"]
    (tmp_path / "bank.csv").write_bytes(csv_of(rows))
    (tmp_path / "bank.layout.yaml").write_text(json.dumps({"bank": {"tables": tables}}, ensure_ascii=False), encoding="utf-8")
    row = read_row("bank.csv", tmp_path / "bank.csv")
    assert sorted(_told(row)) == sorted(_EXPECTED) and row.account and row.account.unread_characters == 0


def test_a_layout_reads_answers_that_are_lists(tmp_path: Path) -> None:
    rows = [{"q": stem, "o": options, "k": ["ABCD"[n % 4]]} for n, (stem, options, _) in enumerate(_EXPECTED)]
    (tmp_path / "bank.layout.yaml").write_text('{"bank": {"tables": [{"under": ["*"], "stem": "q", "options": ["o"], "answer": "k"}]}}')
    row = _read(tmp_path, "bank.json", rows)
    assert not row.error and [answer for _, _, answer in _told(row)] == ["ABCD"[n % 4] for n in range(len(rows))]
    (tmp_path / "bank.layout.yaml").write_text(
        '{"bank": {"tables": [{"under": ["*"], "stem": "q", "options": ["o"], "answer": "k", "explanation": "why"}]}}'
    )
    assert "names column 'why'" in _read(tmp_path, "bank.json", rows).error


@pytest.mark.parametrize("words", ["TF", "√×", "对错"])
def test_matches_truth_values_in_other_words(tmp_path: Path, words: str) -> None:
    rows = [{"q": stem, "o": options, "k": key} for stem, options, key in _EXPECTED]
    rows += [{"q": f"第{n}次测量属于感知觉。", "o": ["正确", "错误"], "k": words[n % 2]} for n in range(20, 24)]
    read = _told(_read(tmp_path, "bank.json", rows, _TABLE))
    assert read[len(_EXPECTED) :] == [(f"第{n}次测量属于感知觉。", ["正确", "错误"], "AB"[n % 2]) for n in range(20, 24)]
