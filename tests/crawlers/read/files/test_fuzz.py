"""Hostile files: any records and any PDF give items or a ValueError that names the file, in bounded time; found = items.

Spoiled files of all kinds are in tests/crawlers/test_fuzz.py.
"""

import io
import json
import time
import zipfile
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atomexam.runtime.budgets import stop
from crawlers.read.containers.documents.pdf import read_pdf
from crawlers.read.formats import known_formats, read_file, suffixes_of
from tests.crawlers.read.bodies import SEEN, zip_of
from tests.crawlers.small_files import small_files

PDF = (
    b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n"
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>\nendobj\n4 0 obj\n"
    b"<</Length 92>>stream\nBT /F1 12 Tf 72 700 Td (1. Which one?) Tj 0 -20 Td (A. this) Tj 0 -20 Td (B. that) Tj ET"
    b"            \nendstream\n"
    b"endobj\n5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\ntrailer<</Size 6/Root 1 0 R>>\n%%EOF"
)


@pytest.fixture(scope="module", autouse=True)
def no_reader_left() -> Iterator[None]:
    yield
    stop()


def check(name: str, body: bytes, format_name: str) -> None:
    """Read a file; assert that it does not crash, lose count, or take long."""
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


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, len(PDF) - 1), st.binary(max_size=30), st.integers(0, 60))
def test_mutated_pdfs_are_read_or_refused(place: int, put: bytes, cut: int) -> None:
    body = PDF[:place] + put + PDF[place + cut :]
    try:
        read_pdf("a.pdf", body)  # in this process, to see what the guard would catch
    except ValueError as error:
        assert "a.pdf" in str(error)


def test_refuses_a_document_with_a_wrong_main_part() -> None:
    with zipfile.ZipFile(io.BytesIO(small_files()["paper.docx"])) as whole:
        parts = {entry.filename: whole.read(entry) for entry in whole.infolist()}
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


@settings(max_examples=100, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), values, max_size=7) | values, max_size=5), st.data())
def test_any_record_becomes_an_item_or_is_lost(records: list, data: st.DataObject) -> None:
    check("a.json", json.dumps(records).encode(), data.draw(st.sampled_from(formats_for("a.json"))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "body", "format_name"),
    [
        ("a.txt", b"1. " + b"word " * 100_000, "paper"),
        ("a.csv", b"question,A,B,answer\n" + b'"' + b"x" * 2_000_000, "table"),
        ("a.csv", b"question,A,B,answer\n" + (b"what," * 400 + b"\n") * 1_000, "table"),
        ("a.csv", b"question,A,B,answer\n" + b"what,one,two,A\n" * 50_000, "table"),
        ("a.jsonl", b'{"question": "' + b"x" * 2_000_000 + b'", "answer": "A"}', "table"),
        ("a.json", b"[" * 2_000_000, "table"),
        ("a.json", b'{"question": ' + b"9" * 5000 + b"}", "table"),
    ],
    ids=range(7),
)
def test_reads_large_files_in_linear_time(name: str, body: bytes, format_name: str) -> None:
    start = time.process_time()
    try:
        read_file(name, body, format_name, SEEN)
    except ValueError as error:
        assert name in str(error)
    assert time.process_time() - start < 6 + 1e-5 * len(body)  # four times the time on an idle machine
