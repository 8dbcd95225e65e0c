"""What people fill in: text stays text, the bytes hang on the content alone, and nothing changes on the way there and back."""

import subprocess
import sys
import zipfile
from pathlib import Path
from random import Random

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.runtime import sheets
from atomexam.runtime.sheets import read_sheet, typed, write_sheet
from crawlers.importers.files.workbook import sheets_of

FORMULAS = [
    "=1+1",
    '=HYPERLINK("http://a")',
    "+1",
    "-1",
    "@SUM(A1)",
    "\tx",
    "'=1",
    "=cmd|' /C calc'!A0",
    "{=1}",
    "http://a.b/",
    "_x0041_",
    "007",
    "1e5",
]
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=20).map(str.strip)


def test_what_looks_like_a_formula_is_text(tmp_path: Path) -> None:
    write_sheet(tmp_path / "a.xlsx", ["one", "two"], [[text, "x"] for text in FORMULAS])
    cells = list(openpyxl.load_workbook(tmp_path / "a.xlsx").worksheets[0]["A"])[1:]
    assert [cell.data_type for cell in cells] == ["s"] * len(FORMULAS)
    assert all(cell.hyperlink is None for cell in cells)
    assert [row.cells["one"] for row in read_sheet(tmp_path / "a.xlsx")] == [text.strip() for text in FORMULAS]


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(TEXT, TEXT).filter(any), max_size=5))
def test_there_and_back_changes_nothing(rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("sheet") / "a.xlsx"
    write_sheet(path, ["one", "two"], rows)
    assert [tuple(row.cells.values()) for row in read_sheet(path)] == rows


def test_the_bytes_hang_on_the_content_alone(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from atomexam.runtime.sheets import write_sheet; "
        "write_sheet(Path(sys.argv[1]), ['claim', 'verdict'], [['甲', '']], {'verdict': ['support', 'refute']})"
    )
    for name in ("a.xlsx", "b.xlsx"):
        subprocess.run([sys.executable, "-c", script, tmp_path / name], check=True)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    assert {entry.date_time[0] for entry in zipfile.ZipFile(tmp_path / "a.xlsx").infolist()} == {1980}
    offered = openpyxl.load_workbook(tmp_path / "a.xlsx").worksheets[0].data_validations.dataValidation
    assert [(one.formula1, str(one.sqref)) for one in offered] == [('"support,refute"', "B2")]


def test_a_formula_that_no_program_computed_is_what_was_typed(tmp_path: Path) -> None:
    """It would be read as an empty cell, and an answer be lost in silence."""
    book = openpyxl.Workbook()
    book.active.append(["one", "two"])
    book.active.append(["=1+1", "x"])
    assert book.active["A2"].data_type == "f"
    book.save(tmp_path / "a.xlsx")
    assert [row.cells for row in read_sheet(tmp_path / "a.xlsx")] == [{"one": "=1+1", "two": "x"}]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        *[("'=1+1", "=1+1"), ("'+1", "+1"), ("'-1", "-1"), ("'@a", "@a"), ("'support", "support"), ("'", ""), ("", ""), ("=1", "=1")],
        *[("'腹痛'不在文中", "'腹痛'不在文中"), ("''", "''"), ("见'甲'", "见'甲'"), ("'=a'", "=a'")],
    ],
)
def test_the_apostrophe_that_marks_text_is_no_part_of_it(cell: str, text: str) -> None:
    assert typed(cell) == text


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_whatever_stands_between_cells_is_known_by_the_first_line(sign: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f'claim{sign}verdict\n"a,b;c"{sign}=1\n乙\n', encoding="utf-8")
    assert [row.cells for row in read_sheet(tmp_path / "a.csv")] == [{"claim": "a,b;c", "verdict": "=1"}, {"claim": "乙", "verdict": ""}]


def test_a_damaged_workbook_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    write_sheet(path, ["one", "two"], [["甲", "=1"]])
    whole, random = path.read_bytes(), Random(1)
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    for number in range(150):
        if number % 2:
            place = random.randrange(len(whole))
            path.write_bytes(whole[:place] + (b"" if number % 4 == 1 else b"\xff" + whole[place + 1 :]))
        else:
            broken, place = random.choice(sorted(parts)), random.randrange(40)
            with zipfile.ZipFile(path, "w") as book:
                for name, part in parts.items():
                    book.writestr(name, part[:place] + bytes([random.randrange(256)]) + part[place + 1 :] if name == broken else part)
        try:
            read_sheet(path)
        except ValueError as error:
            assert str(error).startswith(str(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_csv_of_excel_is_read(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes('claim,verdict\r\n"乳核, 甲",support\r\n,\r\n乙,\r\n'.encode(encoding))
    rows = read_sheet(tmp_path / "a.csv")
    assert [row.cells for row in rows] == [{"claim": "乳核, 甲", "verdict": "support"}, {"claim": "乙", "verdict": ""}]
    assert rows[1].where == f"{tmp_path}/a.csv:4"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.xlsx", b"no zip", r"no workbook \(.*; save the table as \.xlsx or as CSV UTF-8"),
        ("a.ods", b"", r"found the ending '\.ods', expected \.xlsx or \.csv"),
        ("a.csv", b"\xff\xff\xff", "neither UTF-8 nor GB 18030"),
        ("a.csv", b"\n\n", "no line with the names of the columns"),
        ("a.csv", b"one,one\n1,2\n", "columns named twice: one"),
    ],
)
def test_what_is_no_table_is_told(name: str, content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=told):
        read_sheet(tmp_path / name)


def test_a_missing_table_and_another_ending_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.xlsx: no such file; name a filled table"):
        read_sheet(tmp_path / "a.xlsx")
    with pytest.raises(ValueError, match=r"found the ending '\.csv'; a workbook is written"):
        write_sheet(tmp_path / "a.csv", ["one"], [])


def test_a_text_longer_than_a_cell_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="row 2, one: 40000 characters; a cell holds 32767"):
        write_sheet(tmp_path / "a.xlsx", ["one"], [["甲" * 40_000]])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "row", ['<row r="99999999999"><c t="inlineStr"><is><t>x</t></is></c></row>', '<row><c r="A99999999999" t="n"><v>1</v></c></row>']
)
def test_a_row_further_down_than_a_sheet_goes_is_told_at_once(row: str, tmp_path: Path) -> None:
    """openpyxl makes up every row before it: 4.7 kB took 3.8 GB."""
    write_sheet(tmp_path / "sound.xlsx", ["a"], [["1"]])
    path = tmp_path / "far.xlsx"
    with zipfile.ZipFile(tmp_path / "sound.xlsx") as sound, zipfile.ZipFile(path, "w") as far:
        for entry in sound.infolist():
            content = sound.read(entry)
            if entry.filename == "xl/worksheets/sheet1.xml":
                content = content.replace(b"</sheetData>", row.encode() + b"</sheetData>")
            far.writestr(entry, content)
    told = r"far\.xlsx.* has row 99999999999; 1048576 is the last"
    with pytest.raises(ValueError, match=told):
        read_sheet(path)
    with pytest.raises(ValueError, match=told):
        list(sheets_of(path.name, path.read_bytes()))


def test_a_workbook_that_unfolds_to_more_than_is_read_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One cell in the last column has openpyxl make up all before it; blanks of any length compress to nothing."""
    book = openpyxl.Workbook()
    for row in range(1, 30):
        book.active.cell(row, 16_384, "x")
    book.save(tmp_path / "wide.xlsx")
    monkeypatch.setattr(sheets, "MAX_CELLS", 100_000)
    with pytest.raises(ValueError, match=r"wide.xlsx: no workbook \(more than 100000 cells by row 7"):
        read_sheet(tmp_path / "wide.xlsx")
    with zipfile.ZipFile(tmp_path / "wide.xlsx", "a", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/blank.xml", b" " * 3_000_000)
    monkeypatch.setattr(sheets, "MAX_UNPACKED_BYTES", 2_000_000)
    with pytest.raises(ValueError, match="bytes when unpacked; at most 2000000 are read"):
        read_sheet(tmp_path / "wide.xlsx")
