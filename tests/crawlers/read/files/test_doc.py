"""Old Word documents: a .doc reads like its .docx; other files named .doc are read by content; damaged ones are refused."""

import io
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import olefile
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.doc import read_doc
from crawlers.read.containers.documents.doc_file import OLE, DocFile
from crawlers.read.containers.documents.doc_parts import numbering_of
from crawlers.read.containers.documents.docx import read_docx
from crawlers.read.containers.files.archives import true_name
from crawlers.read.formats import guess_format, read_file, read_suffixes
from crawlers.read.vocabulary.labels import IMAGE

FOLDER = Path(__file__).parent / "word"
"""Papers as .docx, and as .doc converted by an office program: `soffice --headless --convert-to doc *.docx`."""
PAPERS = ("mixed", "numbered", "tables")
SEEN = Provenance(source="own", url="file:a", snapshot="2026-01-01", page_id="page-0", position="")
_TABLES = 100


def _doc(name: str) -> bytes:
    return (FOLDER / f"{name}.doc").read_bytes()


def docx_bytes(name: str) -> bytes:
    return (FOLDER / f"{name}.docx").read_bytes()


def _lines(body: bytes) -> list[str]:
    return [line for line in read_doc("a.doc", body).lines if line.strip()]


def _items(name: str, body: bytes) -> list[tuple[object, ...]]:
    items = read_file(name, body, guess_format(name, body), SEEN).items
    return [(item.stem_raw, item.options_raw, item.answer_raw, item.explanation_raw, item.doubt) for item in items]  # type: ignore[union-attr]


@pytest.mark.parametrize("name", PAPERS)
def test_a_doc_reads_like_its_docx(name: str) -> None:
    docx = docx_bytes(name)
    own, new = _lines(_doc(name)), [line for line in read_docx("a.docx", docx).lines if line.strip()]
    if name == "mixed":  # a text box is an image at its anchor, and text at the end
        at = new.index("图旁")
        new = [*new[:at], f"图旁{IMAGE}{IMAGE}", *new[at + 3 :], *new[at + 1 : at + 3]]
    assert own == new
    assert _items("a.doc", _doc(name)) == _items("a.docx", docx) != []


class _Streams(dict[str, bytes]):
    """The streams of a compound file."""

    exists = dict.__contains__

    def openstream(self, name: str) -> io.BytesIO:
        return io.BytesIO(self[name])

    def __enter__(self) -> "_Streams":
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _streams(
    pieces: list[tuple[bytes, bool]], tables: dict[int, bytes] | None = None, faces: bytes = b"", paragraph: bytes = b"\0\0"
) -> _Streams:
    """Return a document of pieces of single-byte or two-byte text, all with the same properties."""
    start = 2048
    main, ends, entries = bytearray(), [0], []
    for words, is_single in pieces:
        place = start + len(main)
        main += words
        ends.append(ends[-1] + (len(words) if is_single else len(words) // 2))
        entries.append(struct.pack("<HIH", 0, place * 2 | 0x40000000 if is_single else place, 0))
    clx = struct.pack(f"<{len(ends)}i", *ends) + b"".join(entries)
    clx = b"\2" + struct.pack("<I", len(clx)) + clx
    stop = start + len(main)
    pages = b""
    for size, own in ((1, bytes([len(faces)]) + faces), (13, bytes([len(paragraph) // 2 + 1]) + paragraph + b"\0")):
        page = struct.pack("<II", start, stop) + bytes([100]).ljust(size, b"\0")
        pages += (page.ljust(200, b"\0") + own).ljust(511, b"\0") + b"\1"
    own_tables = {12: struct.pack("<III", start, stop, 2), 13: struct.pack("<III", start, stop, 3), 33: clx, **(tables or {})}
    table, places = b"", [(0, 0)] * _TABLES
    for index, content in own_tables.items():
        if index >= 0:
            places[index] = (len(table), len(content))
        table += content
    head = struct.pack("<HH6xHI", 0xA5EC, 0xC1, 0x1200, 0).ljust(32, b"\0") + struct.pack("<H28xH", 14, 22)
    counts = [0] * 22
    counts[3] = ends[-1]
    head += struct.pack("<22iH", *counts, _TABLES) + b"".join(struct.pack("<II", *place) for place in places)
    return _Streams({"WordDocument": head.ljust(1024, b"\0") + pages + main, "1Table": table})


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield a function that reads streams as the lines of a document."""

    def read(streams: _Streams) -> list[str]:
        monkeypatch.setattr(olefile, "OleFileIO", lambda _: streams)
        return read_doc("a.doc", OLE).lines

    yield read


def test_joins_single_byte_and_two_byte_pieces(opened: Any) -> None:
    pieces = [(b"1. caf\xe9 \x93x\x94 ", True), ("是什么\r".encode("utf-16-le"), False), (b"A. tea\x0bB. ink\rC.\x0cD\x1e\x1f\r", True)]
    assert opened(_streams(pieces)) == ["1. café “x” 是什么", "A. tea", "B. ink", "C.", "D-"]


def test_refuses_chinese_in_single_bytes(opened: Any) -> None:
    words = "下列各项中正确的是哪一个？甲乙丙丁都不对，以上说法全部错误\r" * 4
    with pytest.raises(Refusal, match="decoded as cp1252"):
        opened(_streams([(words.encode("gb18030"), True)]))


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("甲\x13 PAGE \x14乙\x15丙\r", ["甲乙丙"]),
        ("甲\x13 IF \x13 REF x \x14一\x15 \x14乙\x15丙\r", ["甲乙丙"]),
        ("甲\x13 XE 一 \x15丙\r", ["甲丙"]),
        ("甲\x13 EQ \\f(1,2) \x15丙\r", [f"甲{IMAGE}丙"]),
        ("甲\x01乙\x08\r丙", [f"甲{IMAGE}乙{IMAGE}", "丙"]),
    ],
)
def test_keeps_field_results(opened: Any, words: str, lines: list[str]) -> None:
    assert opened(_streams([(words.encode("utf-16-le"), False)])) == lines


@pytest.mark.parametrize(
    ("words", "said"), [("\x13 AUTONUM \x15甲\r", "numbers of its 'AUTONUM' fields"), ("甲\x13 PAGE 乙\r丙\r", "a field without an end")]
)
def test_fields_whose_text_is_unknown_refuse_the_document(opened: Any, words: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        opened(_streams([(words.encode("utf-16-le"), False)]))


def _level(start: int, text: str, kind: int = 0) -> bytes:
    return struct.pack("<iBB22x", start, kind, 0) + struct.pack("<H", len(text)) + text.encode("utf-16-le")


_LISTS = {
    74: struct.pack("<i", 2) + struct.pack("<i8xB3x", 5, 0) + struct.pack("<i8xB3x", 5, 1) + b"\xff" * 8 + struct.pack("<iI", 4, 0x10),
    73: struct.pack("<h", 1) + struct.pack("<ii9HBB", 5, 0, *[0xFFF] * 9, 1, 0),
    -1: _level(2, "第\0题："),
}
"""One list that starts at 2, and an override that starts at 4; the level is after the table."""


def test_list_numbers_continue_and_restart(opened: Any) -> None:
    words = ("甲\r" * 3).encode("utf-16-le")
    plain = struct.pack("<HHH", 0, 0x460B, 1)
    assert opened(_streams([(words, False)], _LISTS, paragraph=plain)) == ["第2题：甲", "第3题：甲", "第4题：甲"]
    changed = struct.pack("<HHHHB", 0, 0x460B, 2, 0x260A, 0)
    assert opened(_streams([(words, False)], _LISTS, paragraph=changed)) == ["第4题：甲", "第5题：甲", "第6题：甲"]
    none = struct.pack("<HHh", 0, 0x460B, -2047)
    assert opened(_streams([(words, False)], _LISTS, paragraph=none)) == ["甲"] * 3


@pytest.mark.parametrize("number", [3, 0x7FF])
def test_refuses_a_reference_to_a_missing_list(opened: Any, number: int) -> None:
    with pytest.raises(Refusal, match=f"automatic numbers refer to list {number}"):
        opened(_streams([("甲\r".encode("utf-16-le"), False)], _LISTS, paragraph=struct.pack("<HHH", 0, 0x460B, number)))


def test_refuses_a_truncated_list_table(opened: Any) -> None:
    with pytest.raises(Refusal, match="not a readable Word document"):
        opened(_streams([("甲\r".encode("utf-16-le"), False)], {**_LISTS, -1: _LISTS[-1][:-3]}))


@pytest.mark.parametrize("index", [12, 13])
def test_refuses_a_property_page_listed_twice(opened: Any, index: int) -> None:
    twice = struct.pack("<IIIII", 2048, 2049, 2052, index - 10, index - 10)
    with pytest.raises(Refusal, match="property page"):
        opened(_streams([("甲\r".encode("utf-16-le"), False)], {index: twice}))


def test_refuses_pieces_that_repeat_the_same_bytes(opened: Any) -> None:
    count = 4000
    clx = struct.pack(f"<{count + 1}i", *range(0, count * 4 + 1, 4)) + struct.pack("<HIH", 0, 2048, 0) * count
    with pytest.raises(Refusal, match="in pieces"):
        opened(_streams([("甲乙丙\r".encode("utf-16-le"), False)], {33: b"\2" + struct.pack("<I", len(clx)) + clx}))


def test_refuses_deeply_nested_tables(opened: Any) -> None:
    deep = struct.pack("<HHBHi", 0, 0x2416, 1, 0x6649, 1_000_000) + b"\0"
    with pytest.raises(Refusal, match="tables are nested 1000000 levels deep"):
        opened(_streams([("甲\r".encode("utf-16-le"), False)], paragraph=deep))


@pytest.mark.parametrize(
    ("place", "put", "said"),
    [(2, b"\x65\x00", "older than Word 97"), (10, b"\x00\x13", "locked with a password"), (0, b"\0\0", "older than Word 97")],
)
def test_names_old_and_locked_documents(place: int, put: bytes, said: str) -> None:
    body = bytearray(_doc("numbered"))
    start = body.index(b"\xec\xa5\x01\x01")
    body[start + place : start + place + 2] = put
    with pytest.raises(Refusal, match=said):
        read_doc("a.doc", bytes(body))


def test_lists_of_a_real_file_are_read_to_their_end() -> None:
    numbering, numbers = numbering_of(DocFile("a.doc", _doc("numbered")))
    assert numbers >= {1, 2, 3, 4} and "upperLetter" in numbering and 'w:val="（%1）"' in numbering


@pytest.mark.parametrize("name", PAPERS)
def test_truncated_documents_are_read_or_refused(name: str) -> None:
    body = _doc(name)
    for size in range(8, len(body), 2039):
        try:
            read_doc("a.doc", body[:size])
        except Refusal as error:
            assert "a.doc" in str(error)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PAPERS), st.lists(st.tuples(st.integers(0, 60_000), st.binary(min_size=1, max_size=6)), min_size=1, max_size=6))
def test_mutated_documents_are_read_or_refused(name: str, changes: list[tuple[int, bytes]]) -> None:
    body = bytearray(_doc(name))
    for place, put in changes:
        place %= len(body)
        body[place : place + len(put)] = put
    try:
        read_doc("a.doc", bytes(body))
    except Refusal as error:
        assert "a.doc" in str(error)


_PAPER = "".join(f"{n}. 第{n}间仓库里有什么？\nA. 木尺\nB. 铜镜\n答案：{'AB'[n % 2]}\n" for n in range(1, 5))
_PAGE = f"<html><body>{''.join(f'<p>{line}</p>' for line in _PAPER.splitlines())}</body></html>"


@pytest.mark.parametrize(
    ("name", "body", "suffix"),
    [
        ("a.doc", _PAGE.encode(), ".html"),
        ("a.doc", _PAPER.encode("gb18030"), ".txt"),
        ("a.doc", docx_bytes("numbered"), ".docx"),
        ("a.docx", (FOLDER / "numbered.doc").read_bytes(), ".doc"),
        ("a.wps", (FOLDER / "numbered.doc").read_bytes(), ".doc"),
        ("a", (FOLDER / "numbered.doc").read_bytes(), ".doc"),
    ],
)
def test_reads_files_named_doc_by_content(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, body: bytes, suffix: str) -> None:
    from crawlers.read.__main__ import main

    assert true_name(name, body, read_suffixes()).endswith(suffix)
    (tmp_path / name).write_bytes(body)
    assert main([str(tmp_path / name)]) == 0
    read = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["answer_raw"] for line in read] in (["B", "A", "B", "A"], ["A", "B", "C", "D", "A", "B", "√", "×", "√", "×"])


def test_refuses_rich_text_named_doc_with_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from crawlers.read.__main__ import main

    (tmp_path / "a.doc").write_bytes(b"{\\rtf1\\ansi 1. \\u30002?\\par}")
    assert main([str(tmp_path / "a.doc")]) == 1
    assert "that end in '.rtf'; save it as .docx" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["<w:wordDocument/>", "<!DOCTYPE a><w:wordDocument/>", "<pkg:package", "plain", '<?xml version="1.0"?><a/>']
)
def test_other_xml_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match=r"a\.doc"):
        read_doc("a.doc", text.encode())
