"""What people fill in: text stays text, the bytes hang on the content alone, and nothing changes on the way there and back."""

import re
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
from atomexam.runtime.sheets import read_sheet, without_apostrophe, write_sheet
from crawlers.read.containers.files.workbook import sheets_of

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


def test_formulas_are_written_as_text(tmp_path: Path) -> None:
    write_sheet(tmp_path / "a.xlsx", ["one", "two"], [[text, "x"] for text in FORMULAS])
    cells = list(openpyxl.load_workbook(tmp_path / "a.xlsx").worksheets[0]["A"])[1:]
    assert [cell.data_type for cell in cells] == ["s"] * len(FORMULAS)
    assert all(cell.hyperlink is None for cell in cells)
    assert [row.cells["one"] for row in read_sheet(tmp_path / "a.xlsx")] == [text.strip() for text in FORMULAS]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(TEXT, TEXT).filter(any), max_size=5))
def test_round_trip_changes_nothing(rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("sheet") / "a.xlsx"
    write_sheet(path, ["one", "two"], rows)
    assert [tuple(row.cells.values()) for row in read_sheet(path)] == rows


def test_bytes_depend_only_on_the_content(tmp_path: Path) -> None:
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


def test_uncomputed_formula_is_returned_as_typed(tmp_path: Path) -> None:
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
def test_removes_the_apostrophe_that_marks_text(cell: str, text: str) -> None:
    assert without_apostrophe(cell) == text


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_whatever_stands_between_cells_is_known_by_the_first_line(sign: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f'claim{sign}verdict\n"a,b;c"{sign}=1\n乙\n', encoding="utf-8")
    assert [row.cells for row in read_sheet(tmp_path / "a.csv")] == [{"claim": "a,b;c", "verdict": "=1"}, {"claim": "乙", "verdict": ""}]


@pytest.mark.slow
def test_reports_damaged_workbook(tmp_path: Path) -> None:
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
        ("a.xlsx", b"no zip", r"not a workbook \(.*; save the table as \.xlsx or as CSV UTF-8"),
        ("a.ods", b"", r"found the ending '\.ods', expected \.xlsx or \.csv"),
        ("a.csv", b"\xff\xff\xff", "neither UTF-8 nor GB 18030"),
        ("a.csv", b"\n\n", "no header; expected the names of the columns"),
        ("a.csv", b"one,one\n1,2\n", "columns named twice: one"),
    ],
)
def test_rejects_what_is_not_a_table(name: str, content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=told):
        read_sheet(tmp_path / name)


def test_reports_missing_table_and_wrong_suffix(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.xlsx: no such file; name a filled table"):
        read_sheet(tmp_path / "a.xlsx")
    with pytest.raises(ValueError, match=r"found the ending '\.csv'; expected .xlsx, since a workbook is written"):
        write_sheet(tmp_path / "a.csv", ["one"], [])


def test_rejects_text_longer_than_a_cell(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="row 2, one: 40000 characters; at most 32767 fit in a cell"):
        write_sheet(tmp_path / "a.xlsx", ["one"], [["甲" * 40_000]])
    assert not list(tmp_path.iterdir())


def with_rows(path: Path, rows: str, before: str = "<sheetData>") -> Path:
    """Write a workbook of a header and one line, with rows of XML behind them and another begin of its cells."""
    write_sheet(path.with_name("sound.xlsx"), ["a"], [["1"]])
    with zipfile.ZipFile(path.with_name("sound.xlsx")) as sound, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for entry in sound.infolist():
            content = sound.read(entry).decode()
            if entry.filename == "xl/worksheets/sheet1.xml":
                content = re.sub("<dimension [^>]*>", "", content) if before != "<sheetData>" else content
                content = content.replace("<sheetData>", before, 1).replace("</sheetData>", f"{rows}</sheetData>")
            made.writestr(entry, content)
    return path


@pytest.mark.parametrize(
    "row", ['<row r="99999999999"><c t="inlineStr"><is><t>x</t></is></c></row>', '<row><c r="A99999999999" t="n"><v>1</v></c></row>']
)
def test_rejects_rows_beyond_the_sheet_limit(row: str, tmp_path: Path) -> None:
    """openpyxl makes up every row before it: 4.7 kB took 3.8 GB."""
    path = with_rows(tmp_path / "far.xlsx", row)
    told = r"far\.xlsx.* has row number 99999999999; the limit is 1048576"
    with pytest.raises(ValueError, match=told):
        read_sheet(path)
    with pytest.raises(ValueError, match=told):
        list(sheets_of(path.name, path.read_bytes()))


FAR = [
    "<row r='99999999999'/>",
    '<row r="&#57;9999999999"/>',
    '<row r = "99999999999"/>',
    f'<row spans="{"1 " * 200}" r="99999999999"/>',
    '<row spans="1>2" r="99999999999"/>',
]


@pytest.mark.parametrize("row", FAR, ids=range(len(FAR)))
def test_reports_far_rows_in_any_notation(monkeypatch: pytest.MonkeyPatch, row: str, tmp_path: Path) -> None:
    """Its bytes were looked for in one form of several: in the others it took all memory."""
    monkeypatch.setattr(sheets, "MAX_ROWS", 1000)
    path = with_rows(tmp_path / "far.xlsx", row)
    with pytest.raises(ValueError, match=r"far\.xlsx.*a row number above 1000, the limit"):
        read_sheet(path)
    with pytest.raises(ValueError, match=r"far\.xlsx.*a row number above 1000, the limit"):
        list(sheets_of(path.name, path.read_bytes()))


def test_what_a_workbook_says_of_its_size_changes_nothing(tmp_path: Path) -> None:
    """A size that is too small had the rows beyond it left out in silence."""
    rows = '<row r="3"><c r="A3" t="inlineStr"><is><t>2</t></is></c></row>'
    for size in ("A1:A2", "A1:XFD1048576"):
        path = with_rows(tmp_path / "lies.xlsx", rows, f'<dimension ref="{size}"/><sheetData>')
        assert [row.cells for row in read_sheet(path)] == [{"a": "1"}, {"a": "2"}]


@pytest.mark.slow
def test_empty_cells_far_to_the_right_are_counted(tmp_path: Path) -> None:
    """16,384 of them for each row of 22 bytes: 5 kB took 12 s."""
    path = with_rows(tmp_path / "wide.xlsx", '<row><c r="XFD1"/></row>' * 700)
    for read in (lambda: list(sheets_of(path.name, path.read_bytes())), lambda: read_sheet(path)):
        with pytest.raises(ValueError, match=r"wide\.xlsx.*more than 10000000 cells up to row"):
            read()


def test_rejects_sheets_that_share_a_part(tmp_path: Path) -> None:
    """Five thousand names for one sheet: it would be read as often."""
    book = openpyxl.Workbook()
    book.create_sheet("two")
    book.save(tmp_path / "two.xlsx")
    with zipfile.ZipFile(tmp_path / "two.xlsx") as two, zipfile.ZipFile(tmp_path / "one.xlsx", "w") as one:
        for entry in two.infolist():
            one.writestr(entry, two.read(entry).replace(b"worksheets/sheet2.xml", b"worksheets/sheet1.xml"))
    with pytest.raises(ValueError, match=r"2 sheets in 1 parts; expected one part per sheet"):
        list(sheets_of("one.xlsx", (tmp_path / "one.xlsx").read_bytes()))


def test_number_of_thousands_of_digits_has_a_remedy(tmp_path: Path) -> None:
    path = with_rows(tmp_path / "digits.xlsx", f'<row r="3"><c r="A3"><v>{"9" * 5000}</v></c></row>')
    for read in (lambda: list(sheets_of(path.name, path.read_bytes())), lambda: read_sheet(path)):
        with pytest.raises(ValueError, match=r"digits\.xlsx.*more than 4,300 digits; write it as text"):
            read()


def test_rejects_workbook_that_unpacks_too_large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One cell in the last column has openpyxl make up all before it; blanks of any length compress to nothing."""
    book = openpyxl.Workbook()
    for row in range(1, 30):
        book.active.cell(row, 16_384, "x")
    book.save(tmp_path / "wide.xlsx")
    monkeypatch.setattr(sheets, "MAX_CELLS", 100_000)
    with pytest.raises(ValueError, match=r"wide.xlsx: not a workbook \(more than 100000 cells up to row 7"):
        read_sheet(tmp_path / "wide.xlsx")
    with zipfile.ZipFile(tmp_path / "wide.xlsx", "a", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/blank.xml", b" " * 3_000_000)
    monkeypatch.setattr(sheets, "MAX_UNPACKED_BYTES", 2_000_000)
    with pytest.raises(ValueError, match="bytes when unpacked; at most 2000000 are read"):
        read_sheet(tmp_path / "wide.xlsx")
