"""Hostile files through every importer: any bytes give items or a ValueError that names the file, in bounded time; found = items."""

import io
import json
import time
import zipfile
from collections.abc import Iterator

import pytest
from docx import Document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atomexam.runtime.budgets import stop
from crawlers.read.containers.documents.pdf import read_pdf
from crawlers.read.formats import known_formats, read_file, suffixes_of
from tests.crawlers.read.bodies import SEEN, book_of, saved, zip_of

PAPER = "一、单项选择题\n1．感觉是（ ）。\nA．甲 B．乙\n答案：A\n2．知觉是（ ）。\nA．丙\nB．丁\n答案：B\n解析：见书。\n"
PDF = (
    b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n"
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>\nendobj\n4 0 obj\n"
    b"<</Length 92>>stream\nBT /F1 12 Tf 72 700 Td (1. Which one?) Tj 0 -20 Td (A. this) Tj 0 -20 Td (B. that) Tj ET"
    b"            \nendstream\n"
    b"endobj\n5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\ntrailer<</Size 6/Root 1 0 R>>\n%%EOF"
)


def docx() -> bytes:
    document = Document()
    for line in PAPER.splitlines():
        document.add_paragraph(line, style="List Number" if line.startswith("1") else None)
    document.add_table(2, 2).cell(0, 0).text = "A.甲"
    return saved(document)


RECORD = {"subject_name": "心理学", "question_type": "single", "question": "感觉是", "options": {"A": "甲", "B": "乙"}, "answer": "A"}
FILES = {
    "a.txt": PAPER.encode(),
    "gbk.txt": PAPER.encode("gb18030"),
    "a.html": f"<p>{PAPER}</p>".encode(),
    "a.docx": docx(),
    "a.pdf": PDF,
    "a.csv": b"question,A,B,answer\nwhat,one,two,A\n",
    "a.xlsx": book_of([["题干", "A", "B", "答案"], ["感觉是（ ）。", "甲", "乙", "A"]]),
    "a.json": json.dumps([RECORD]).encode(),
    "a.jsonl": json.dumps(RECORD, ensure_ascii=False).encode(),
}


@pytest.fixture(scope="module", autouse=True)
def no_reader_left() -> Iterator[None]:
    yield
    stop()


def check(name: str, body: bytes, format_name: str) -> None:
    """Read a file; it may not crash, lose count, or take long."""
    start = time.process_time()
    try:
        reading = read_file(name, body, format_name, SEEN)
    except ValueError as error:
        assert name in str(error)
    else:
        assert reading.record_count == len(reading.items)
        assert all(item.provenance.position for item in reading.items)
        assert len({item.provenance.position for item in reading.items}) == len(reading.items)
    assert time.process_time() - start < 5


def formats_for(name: str) -> list[str]:
    return [format_name for format_name in known_formats() if name[name.index(".") :] in suffixes_of(format_name)]


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """Return a file with bytes changed, cut out, doubled or put in."""
    name = draw(st.sampled_from([name for name in FILES if name != "a.pdf"]))
    body = bytearray(FILES[name])
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, max(0, len(body) - 1)))
        length = draw(st.integers(1, 40))
        change = draw(st.sampled_from(["cut", "double", "put", "flip"]))
        if change == "cut":
            del body[place : place + length]
        elif change == "double":
            body[place:place] = body[place : place + length]
        elif change == "put":
            body[place:place] = draw(st.binary(max_size=20))
        elif body:
            body[place] ^= 1 << draw(st.integers(0, 7))
    return name, bytes(body)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated(), st.data())
def test_mutated_files_are_read_or_refused(case: tuple[str, bytes], data: st.DataObject) -> None:
    name, body = case
    check(name, body, data.draw(st.sampled_from(formats_for(name))))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, len(PDF) - 1), st.binary(max_size=30), st.integers(0, 60))
def test_mutated_pdfs_are_read_or_refused(place: int, put: bytes, cut: int) -> None:
    body = PDF[:place] + put + PDF[place + cut :]
    try:
        read_pdf("a.pdf", body)  # in this process: what the guard would catch is to be known
    except ValueError as error:
        assert "a.pdf" in str(error)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(sorted(FILES)), st.data())
def test_any_bytes_are_read_or_refused(body: bytes, name: str, data: st.DataObject) -> None:
    if name != "a.pdf":
        check(name, body, data.draw(st.sampled_from(formats_for(name))))


def parts_of(body: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(body)) as whole:
        return {entry.filename: whole.read(entry) for entry in whole.infolist()}


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(["a.docx", "a.xlsx"]), st.data())
def test_mutated_parts_of_documents_are_read_or_refused(name: str, data: st.DataObject) -> None:
    parts = parts_of(FILES[name])
    part = data.draw(st.sampled_from(sorted(parts)))
    if data.draw(st.integers(0, 9)) == 0:
        del parts[part]
    else:
        body = parts[part]
        place, cut = data.draw(st.integers(0, len(body))), data.draw(st.integers(0, 60))
        parts[part] = (
            body[:place] + data.draw(st.sampled_from([b"", b"<", b"9", b'"', b"<w:p>", b"w:", b"-1", b"99999999999"])) + body[place + cut :]
        )
    check(name, zip_of(parts), "paper" if name == "a.docx" else "table")


def test_a_document_whose_main_part_is_something_else_is_refused() -> None:
    parts = parts_of(FILES["a.docx"])
    parts["word/document.xml"] = parts["word/document.xml"].replace(b"/2006/main", b"/2006/9main")
    check("a.docx", zip_of(parts), "paper")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["question", "options", "A", "answer", "name", "label"]), inner, max_size=4)
    ),
    max_leaves=8,
)
KEYS = [
    "subject_name",
    "question_type",
    "question",
    "options",
    "answer",
    "name",
    "example",
    "share_content",
    "QA_pairs",
    "option",
    "sections",
]
KEYS += ["questions", "content", "correct", "别名", "适应证", "题干", "选项"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), values, max_size=7) | values, max_size=5), st.data())
def test_any_records_are_items_or_lost(records: list, data: st.DataObject) -> None:
    check("a.json", json.dumps(records).encode(), data.draw(st.sampled_from(formats_for("a.json"))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "body", "format_name"),
    [
        ("a.txt", b"1. " + b"word " * 100_000, "paper"),
        ("a.csv", b"question,A,B,answer\n" + b'"' + b"x" * 10_000_000, "table"),
        ("a.csv", b"question,A,B,answer\n" + b"what," * 1_000_000, "table"),
        ("a.csv", b"question,A,B,answer\n" + b"what,one,two,A\n" * 100_000, "table"),
        ("a.jsonl", b'{"question": "' + b"x" * 10_000_000 + b'", "answer": "A"}', "table"),
        ("a.json", b"[" * 10_000_000, "table"),
        ("a.json", b'{"question": ' + b"9" * 5000 + b"}", "table"),
    ],
    ids=range(7),
)
def test_large_files_take_time_by_their_size(name: str, body: bytes, format_name: str) -> None:
    start = time.process_time()
    try:
        read_file(name, body, format_name, SEEN)
    except ValueError as error:
        assert name in str(error)
    assert time.process_time() - start < 5 + 2e-5 * len(body)
