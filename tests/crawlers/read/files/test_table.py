"""Tables to records: delimiters, quotes, headers under titles, headings among the rows, workbooks, and files that are not tables."""

import io
import json
import re
import unicodedata
import zipfile
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from atomexam.records.item import QuestionItem
from crawlers.read.formats import guess_format, read_file
from crawlers.read.tables.columns import layout_of_keys
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.tables.roles.values import split_options
from tests.crawlers.read.bodies import SEEN, book_of, csv_of, sound

HEADER = ["序号", "题型", "题干", "选项A", "选项B", "选项C", "正确答案", "解析"]
ROWS = [["1", "单选题", "感觉是（ ）。", "甲", "乙", "丙", "B", "见书"], ["2", "单选题", "知觉是（ ）。", "丁", "戊", "", "A", ""]]


def workbook(**sheets: list[list[Any]]) -> bytes:
    return book_of(*sheets.items())


def read(name: str, body: bytes, format_name: str = "table") -> FileReading:
    return read_file(name, body, format_name, SEEN)


def test_titles_above_and_headings_among_the_rows() -> None:
    rows = [["心理学题库"], [], ["2020 年用"], HEADER, ["一、单选题"], ROWS[0], [], HEADER, ["二、多选题"], ROWS[1]]
    reading = read("a.xlsx", workbook(题库=rows, 空=[], 说明=[["怎样做题"], ["先看题"]], 二=[HEADER, ROWS[0]]))
    assert [item.section_raw for item in sound(reading)] == ["一、单选题", "二、多选题", None]
    assert reading.unread[:2] == ["心理学题库", "2020 年用"] and reading.record_count == 3
    assert reading.skipped == ["sheet 说明: no known header, so its 2 rows are not read: 怎样做题"]


@pytest.mark.parametrize(
    ("header", "fields", "options"),
    [
        (["题目", "A", "B", "答案"], {"stem_raw": "题目"}, ["A", "B"]),
        (["Question", "Option A", "Option_B", "Correct Answer", "Explanation"], {"answer_raw": "Correct Answer"}, ["Option A", "Option_B"]),
        (
            ["试题编号", "试题内容（必填）", "选项一", "选项二", "答案【多选用逗号】"],
            {"stem_raw": "试题内容（必填）"},
            ["选项一", "选项二"],
        ),
        (["题干", "题目", "备选答案", "参考答案"], {"stem_raw": "题干", "options_raw": "备选答案"}, []),
        (
            ["章节", "科目", "题干", "B选项", "A选项", "答案", "答案解析"],
            {"subject_raw": "科目", "explanation_raw": "答案解析"},
            ["A选项", "B选项"],
        ),
        (["材料", "问题", "选项1", "选项2", "选项3", "答案"], {"case_raw": "材料"}, ["选项1", "选项2", "选项3"]),
        (["题号", "题干及选项", "正确答案"], {"stem_raw": "题干及选项", "answer_raw": "正确答案"}, []),
        (["题目 / 选项", "答案"], {"stem_raw": "题目 / 选项"}, []),
        (
            ["题干 Question", "选项A Option A", "选项B Option B", "Answer 答案"],
            {"stem_raw": "题干 Question", "answer_raw": "Answer 答案"},
            ["选项A Option A", "选项B Option B"],
        ),
        (["content", "choice_1", "choice_0", "answer"], {"stem_raw": "content"}, ["choice_0", "choice_1"]),
    ],
)
def test_words_of_headers(header: list[str], fields: dict[str, str], options: list[str]) -> None:
    found = layout_of_keys(header)
    assert found is not None and found.option_keys == options
    assert {field: found.keys_of(field)[0] for field in fields} == fields


@pytest.mark.parametrize("header", [[], ["姓名", "电话"], ["题干"], ["题目", "分数"], ["name", "A", "B"], ["id", "query", "label"]])
def test_unknown_headers_are_not_headers(header: list[str]) -> None:
    assert layout_of_keys(header) is None


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        ("A.甲\nB.乙\nC.丙", ["A.甲", "B.乙", "C.丙"]),
        ("A、甲 B、乙 C、丙", ["A、甲", "B、乙", "C、丙"]),
        ("A.甲;B.乙；C.丙", ["A.甲", "B.乙", "C.丙"]),
        ("（A）甲（B）乙", ["（A）甲", "（B）乙"]),
        ("Ａ．维生素B、C族 Ｂ．叶酸", ["Ａ．维生素B、C族", "Ｂ．叶酸"]),
        ("甲\n乙\n\n丙", ["甲", "乙", "丙"]),
        ("甲|乙|丙", ["甲", "乙", "丙"]),
        ("甲$;$乙", ["甲", "乙"]),
        ("正确；错误", ["正确", "错误"]),
        ("甲、乙和丙", ["甲、乙和丙"]),
        ("A.甲\n乙的后半\nB.丙", ["A.甲\n乙的后半", "B.丙"]),
        ("  ", []),
    ],
)
def test_options_in_one_cell(cell: str, options: list[str]) -> None:
    assert split_options(cell) == options


def test_cells_as_excel_shows_them() -> None:
    rows = [["题干", "A", "B", "C", "D", "答案"], ["几_x000D_\n是（ ）。", 3.0, 0.1 + 0.2, True, datetime(2020, 1, 5), "A"]]
    (item,) = sound(read("a.xlsx", workbook(一=rows)))
    assert item.options_raw == ["A.3", "B.0.3", "C.TRUE", "D.2020-01-05"]
    assert item.stem_raw == "几\n是（ ）。"


def test_unreadable_rows_do_not_affect_others() -> None:
    rows = [*ROWS, ["3", "单选题", "", "", "", "", "C", ""], ["4", "单选题", "想象是", "甲", "乙", "丙", "A", "见书", "多", "余"], ROWS[0]]
    reading = read("a.csv", csv_of([HEADER, *rows]))
    doubts = [(item.doubt, item.provenance.position) for item in reading.items if isinstance(item, QuestionItem) and item.doubt]
    assert doubts == [("record_empty", "line:4"), ("record_unreadable", "line:5")]
    assert len(sound(reading)) == 3 and reading.record_count == 5 == len(reading.items)
    assert "10 cells under 8 columns" in reading.faults[1]


def test_a_repeated_case_forms_a_group_and_unread_columns_are_reported() -> None:
    rows = [
        ["案例", "题干", "A", "B", "答案", "难度", "收藏"],
        ["某女，30岁。", "诊断是（ ）。", "甲", "乙", "A", "易", "7"],
        ["某女，30岁。", "治疗是（ ）。", "甲", "乙", "B", "", "8"],
    ]
    reading = read("a.csv", csv_of(rows))
    first, second = sound(reading)
    assert first.case_raw == "某女，30岁。" and first.group_raw == second.group_raw is not None
    assert reading.unread == ["field '收藏' of 2 records"] and (first.difficulty_raw, second.difficulty_raw) == ("难度：易", None)


def test_vertically_merged_cells_apply_to_all_their_rows() -> None:
    book = Workbook()
    rows = [
        ["案例题"],
        ["案例", "题干", "A", "B", "答案"],
        ["某女，30岁。", "诊断是（ ）。", "甲", "乙", "A"],
        [None, "治疗是（ ）。", "丙", "丁", "B"],
    ]
    rows += [[None, "感觉是（ ）。", "戊", "己", "A"], [None, None, "庚", "辛", "B"]]
    for row in rows:
        book.active.append(row)
    for cells in ("A1:E1", "A3:A4", "B5:B6"):
        book.active.merge_cells(cells)
    file = io.BytesIO()
    book.save(file)
    reading = read("a.xlsx", file.getvalue())
    assert [(item.case_raw, item.stem_raw) for item in sound(reading)] == [
        ("某女，30岁。", "诊断是（ ）。"),
        ("某女，30岁。", "治疗是（ ）。"),
        (None, "感觉是（ ）。"),
    ]
    assert [item.doubt for item in reading.items if isinstance(item, QuestionItem) and item.doubt] == ["record_unreadable"]
    assert type(sound(reading)[1].case_raw) is str


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("a.csv", b"   \n", "a.csv: the file is empty"),
        ("a.csv", csv_of([["姓名", "电话"], ["甲", "1"]]), "a.csv: no known header in the first 20 rows; .*found 姓名 电话"),
        ("a.csv", csv_of([HEADER, ROWS[0]]) + b'3,"' + b"x,y\n" * 50, "a.csv: line 3: a quote that opens here is never closed"),
        ("a.csv", csv_of([HEADER, ROWS[0]]) + b"3,\0,\n", "a.csv: line 3: a NUL character"),
        ("a.csv", b"question,A,B,answer\n" + b"x" * 2_000_000, "a.csv: line 2: field larger than field limit"),
        ("a.csv", b"question,A,B,answer\n" + b"x," * 600 + b"\n", "a.csv: line 2 has 601 columns; at most 512 are read"),
        ("a.csv", b"question,A,B,answer\n" + b"x," * 2_500_001, "a.csv: line 2: 5000002 characters; at most 5000000 are read"),
        ("a.xlsx", b"no zip", "a.xlsx: not a readable xlsx"),
        ("a.xlsx", workbook(一=[HEADER])[:-700], "a.xlsx: not a readable xlsx"),
        ("a.xlsx", workbook(一=[["姓名"]]), "a.xlsx: no known header"),
        ("a.et", b"", "does not read files that end in '.et'"),
    ],
    ids=range(11),
)
def test_rejects_what_is_not_a_table(name: str, body: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(name, body)


def test_reports_a_broken_sheet() -> None:
    whole, out = workbook(一=[HEADER, *ROWS]), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as parts, zipfile.ZipFile(out, "w") as broken:
        for entry in parts.infolist():
            body = parts.read(entry)
            broken.writestr(entry.filename, body[: len(body) // 2] if "sheet1" in entry.filename else body)
    with pytest.raises(ValueError, match=r"a\.xlsx: .*not a readable xlsx"):
        read("a.xlsx", out.getvalue())


CELLS = st.text(st.characters(exclude_categories=["C"], exclude_characters="\u2028\u2029\ufffc"), min_size=1, max_size=12).filter(
    lambda text: text.strip()
)
"""Cells without the image placeholder, which is removed from texts."""


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8), st.sampled_from([",", "\t", "|"]))
def test_reads_back_a_written_table(rows: list[tuple[str, str, str]], delimiter: str) -> None:
    body = csv_of([["题干", "A", "B", "答案"], *([f"题{stem}", a, b, "A"] for stem, a, b in rows)], delimiter)
    for item, (stem, a, b) in zip(read("a.csv", body).items, rows, strict=True):
        assert isinstance(item, QuestionItem)
        # a letter inside an option may begin another option
        doubtful = item.doubt == "options_unreadable" and re.search("[A-Ca-c]", unicodedata.normalize("NFKC", a + b))
        assert doubtful or (item.stem_raw, item.options_raw) == (f"题{stem}".strip(), [f"A.{a.strip()}", f"B.{b.strip()}"])


@pytest.mark.parametrize(
    ("name", "body", "format_name"),
    [
        ("a.csv", csv_of([["", "Question", "A", "B", "C", "D", "Answer"], ["0", "问", "甲", "乙", "丙", "丁", "A"]]), "cmmlu"),
        (
            "physician_val.csv",
            csv_of([["id", "question", "A", "B", "C", "D", "answer"], ["0", "问", "甲", "乙", "丙", "丁", "A"]]),
            "ceval",
        ),
        ("a.csv", csv_of([HEADER, *ROWS]), "table"),
        ("a.json", b'[{"question":"q","options":["a","b"],"answer":"A"}]', "table"),
        ("a.json", b'[{"exam_type":"x","exam_subject":"y","question":"q","option":{"A":"a"},"answer":"A"}]', "cmb"),
        ("a.json", b'[{"title":"t","description":"d","QA_pairs":[{"question":"q","solution":"s"}]}]', "cmb"),
        ("a.jsonl", b'{"subject_name":"x","question_type":"single","question":"q"}', "cpsyexam"),
        ("a.json", b'{"type":"A1","example":[{"question":"q\\nA. a\\nB. b","answer":["A"],"analysis":"x"}]}', "tcmbench"),
        ("a.DOCX", b"", "paper"),
    ],
    ids=range(9),
)
def test_guesses_formats_by_content(name: str, body: bytes, format_name: str) -> None:
    assert guess_format(name, body) == format_name


def test_recognizes_published_sets_by_their_keys() -> None:
    body = csv_of([["id", "question", "A", "B", "C", "D", "answer", "explanation"], ["7", "问", "甲", "乙", "丙", "丁", "C", "因"]])
    (item,) = sound(read("basic_medicine_dev.csv", body, "ceval"))
    assert (item.subject_raw, item.number_raw, item.options_raw, item.answer_raw) == (
        "基础医学",
        "7",
        ["A.甲", "B.乙", "C.丙", "D.丁"],
        "C",
    )
    fifth = json.dumps({"id": 1, "question": "问", **dict(zip("ABCDE", "甲乙丙丁戊", strict=True)), "answer": "E"}).encode()
    (item,) = sound(read("a.jsonl", fifth, "ceval"))
    assert item.options_raw == ["A.甲", "B.乙", "C.丙", "D.丁", "E.戊"]
    pairs = [{"question": f"q{number}", "solution": f"s{number}"} for number in (1, 2)]
    clinic = json.dumps([{"id": "0", "title": "案", "description": "男", "QA_pairs": pairs}]).encode()
    first, second = sound(read("a.json", clinic, "cmb"))
    assert (first.paper_raw, first.case_raw, first.stem_raw, first.answer_raw) == ("案", "男", "q1", "s1")
    assert (second.group_raw, second.stem_raw) == (first.group_raw, "q2")
