"""Small files made to do harm: each is read or refused in one line, in seconds, and nothing in it multiplies."""

import io
import json
import sqlite3
import struct
import time
import zipfile
from collections.abc import Iterator, Mapping

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import FileResult, read_steps

_SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_OFFICE = "http://schemas.openxmlformats.org"
_SPACES = (
    f'xmlns:a="{_OFFICE}/drawingml/2006/main" xmlns:p="{_OFFICE}/presentationml/2006/main"'
    f' xmlns:r="{_OFFICE}/officeDocument/2006/relationships"'
)


def _zip(members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as parts:
        for name, text in members.items():
            parts.writestr(name, text)
    return out.getvalue()


def _damaged(member: str, method: int, after: int) -> bytes:
    """Return a zip whose one member is damaged behind its head."""
    body = bytearray(_zip({member: "hello world " * 100}, method))
    start = body.find(member.encode()) + len(member) + after
    body[start : start + 20] = b"\xff" * 20
    return bytes(body)


def _lists_of_lists() -> bytes:
    """Return a binary property list of 30 lists, each of the next one twice."""
    objects = [bytes([0xA2, at + 1, at + 1]) for at in range(30)] + [b"\x51a"]
    offsets = [8 + sum(map(len, objects[:at])) for at in range(len(objects))]
    body = b"bplist00" + b"".join(objects)
    table = b"".join(struct.pack(">H", offset) for offset in offsets)
    return body + table + b"\0" * 6 + bytes([2, 1]) + struct.pack(">QQQ", len(objects), 0, len(body))


def _database(columns: int = 0, rows: int = 1, script: str = "") -> bytes:
    base = sqlite3.connect(":memory:")
    base.executescript(f"CREATE TABLE t (a TEXT); {script}")
    base.executemany("INSERT INTO t (a) VALUES (?)", [("x",)] * rows)
    for at in range(columns):
        base.execute(f"ALTER TABLE t ADD COLUMN c{at} TEXT DEFAULT 'abcdefgh'")
    base.commit()
    return base.serialize()


def _mail(headers: str) -> bytes:
    return f"MIME-Version: 1.0\n{headers}\n\n<p>1. x</p>\n".encode()


def _nested(depth: int) -> str:
    return "\n\n".join(f'Content-Type: multipart/mixed; boundary="b{at}"\n\n--b{at}' for at in range(depth)).replace("\n\nC", "\nC")


def _slides(slide: str, times: int) -> bytes:
    ids = '<p:sldId r:id="r1"/>' * times
    return _zip(
        {
            "ppt/presentation.xml": f"<p:presentation {_SPACES}>{ids}</p:presentation>",
            "ppt/_rels/presentation.xml.rels": '<R><x Id="r1" Target="slides/s.xml"/></R>',
            "ppt/slides/s.xml": f"<p:sld {_SPACES}><p:sp><p:txBody>{slide}</p:txBody></p:sp></p:sld>",
        }
    )


def _levels(count: int) -> str:
    numbers = '<a:buAutoNum type="arabicPeriod"/>'
    return "".join(f'<a:p><a:pPr lvl="{at}">{numbers}</a:pPr><a:r><a:t>x</a:t></a:r></a:p>' for at in range(count))


def _book(times: int) -> bytes:
    spine = '<itemref idref="a"/>' * times
    return _zip(
        {
            "META-INF/container.xml": '<c><rootfile full-path="c.opf"/></c>',
            "c.opf": f'<p><manifest><item id="a" href="a.html" media-type="text/html"/></manifest><spine>{spine}</spine></p>',
            "a.html": "<html><body>" + "words " * 100_000 + "</body></html>",
        }
    )


def _sheet(chars: int) -> bytes:
    cell = f'<t:table-cell t:number-columns-repeated="512"><t:p>{"题" * chars}</t:p></t:table-cell>'
    row = f"<t:table-row>{cell}</t:table-row>"
    return _zip({"content.xml": f'<o xmlns:t="urn:t"><t:table t:name="s">{row * 3}</t:table></o>'})


_FILES = {
    "lzma.zip": lambda: _damaged("a.txt", zipfile.ZIP_LZMA, 9),
    "lzma.pptx": lambda: _damaged("ppt/a.xml", zipfile.ZIP_LZMA, 9),
    "mimetype.unknown": lambda: _damaged("mimetype", zipfile.ZIP_DEFLATED, 0),
    "lists.plist": _lists_of_lists,
    "wide.db": lambda: _database(columns=150, rows=40_000),
    "computed.db": lambda: _database(script="ALTER TABLE t ADD COLUMN b GENERATED ALWAYS AS (hex(zeroblob(400000000)));"),
    "deep.mht": lambda: _mail(_nested(3000)),
    "deep.eml": lambda: _mail(_nested(3000)),
    "signs.mht": lambda: _mail('Content-Type: text/html; a="' + ";" * 200_000),
    "signs.eml": lambda: _mail('Content-Type: text/html; a="' + ";" * 200_000),
    "levels.pptx": lambda: _slides(_levels(6000), 1),
    "again.pptx": lambda: _slides("<a:p><a:r><a:t>words</a:t></a:r></a:p>" * 5000, 5000),
    "again.epub": lambda: _book(5000),
    "again.ods": lambda: _sheet(20_000),
    "escapes.js": lambda: b'x = ["' + b"\\\n" * 60,
    "comments.js": lambda: b"/* " * 100_000,
    "passed.js": lambda: b"q('a','b','c');" * 10_000,
    "number.toml": lambda: b"x = " + b"9" * 5000,
    "twice.yaml": lambda: "".join(f'q{n}_stem: "{side}"\n' for side in "甲乙" for n in range(20_000)).encode(),
    "twice.properties": lambda: "".join(f"q{n}_stem={side}\n" for side in "甲乙" for n in range(20_000)).encode(),
    "aliases.yaml": lambda: ("- a: &x '" + "长" * 100_000 + "'\n" + "- a: *x\n" * 9000).encode(),
    "tables.json": lambda: json.dumps({f"t{n}": [{"id": m, "qid": m, "text": f"t{n} {m}"} for m in range(4)] for n in range(200)}).encode(),
    "named.json": lambda: json.dumps({f"药{n}": {"name": f"药{n}", "effect": "清热", "dose": "3g"} for n in range(6000)}).encode(),
    "lists.json": lambda: (
        '[{"QA": ' + ",".join(['[{"question": "诊断？", "answer": "感冒"}, {"question": "治疗？"}]'] * 1500) + "}]"
    ).encode(),
    "depth.tex": lambda: b"\\begin{enumerate}\n" * 5000 + b"\\item x\n" * 5000,
    "题库 below.md": lambda: ("- 什么是X？ #card\n" + "  - a\n" * 30_000).encode(),
    "题库 apart.md": lambda: "什么是X？ :: y #card\n\n".encode() * 5000,
}


@pytest.mark.parametrize("name", list(_FILES))
def test_a_hostile_file_is_read_or_refused_in_seconds(name: str) -> None:
    body = _FILES[name]()
    start = time.process_time()
    try:
        list(read_steps(name, body, None, _SEEN))
    except ValueError as error:
        assert str(error).startswith(name)
    assert time.process_time() - start < 20  # less than 4 on an idle machine; unbounded work takes minutes


def test_a_question_with_ten_options_on_lines_of_their_own_goes_before_another() -> None:
    options = "\n".join(f"{letter}\n部位{letter}" for letter in "ABCDEFGHIJ")
    paper = "\n".join(f"{n}\n第{n}例患者病变的部位是（ ）\n{options}\n答案\nB" for n in range(1, 5))
    [result] = [step for step in read_steps("a.txt", paper.encode(), None, _SEEN) if isinstance(step, FileResult)]
    assert [len(item.options_raw or []) for item in result.reading.items if isinstance(item, QuestionItem)] == [10] * 4


def test_a_packed_member_of_a_small_archive_is_weighed_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: object, name: str, *__: object) -> Iterator[object]:
        raise ValueError(f"{name} weighs much")

    monkeypatch.setattr("crawlers.coverage.files.read_guarded", read)
    book = _zip({"META-INF/container.xml": "<c/>", "a.html": "words " * 300_000})
    with pytest.raises(ValueError, match=r"a\.epub weighs much"):
        list(read_steps("a.zip", _zip({"a.epub": book}), None, _SEEN))


def test_a_rare_sign_in_rich_text_is_whole_and_half_a_one_is_said_to_be_lost() -> None:
    words = "{\\rtf1\\ansi 1. Which is \\u-10179?\\u-8704? here?\\par A. x\\par B. y\\par Answer: A\\par}"
    [result] = [step for step in read_steps("a.rtf", words.encode(), None, _SEEN) if isinstance(step, FileResult)]
    [item] = [item for item in result.reading.items if isinstance(item, QuestionItem)]
    assert "\U0001f600 here" in (item.stem_raw or "")
    with pytest.raises(ValueError, match=r"a\.rtf: 1 of 1 non-ASCII characters"):
        list(read_steps("a.rtf", words.replace("\\u-8704?", "").encode(), None, _SEEN))


def _asked(**more: str) -> list[dict[str, object]]:
    keys = {field: values.split() for field, values in more.items()}
    return [
        {"id": n, "question": f"第{n}个器官病变的原因是什么（ ）", "options": [f"原因{n}{m}" for m in range(4)]}
        | {field: values[n % len(values)] for field, values in keys.items()}
        for n in range(8)
    ]


def _answers_in(document: object) -> list[object]:
    try:
        steps = list(read_steps("a.json", json.dumps(document).encode(), None, _SEEN))
    except ValueError:
        return []
    items = [item for step in steps if isinstance(step, FileResult) for item in step.reading.items]
    return [item.answer_raw for item in items if isinstance(item, QuestionItem) and item.answer_raw]


@pytest.mark.parametrize("name", ["user_choice", "myAnswer", "picked", "selectedAnswer", "学员答案", "你的答案", "作答"])
def test_what_a_learner_chose_is_no_key_where_nothing_else_is_one(name: str) -> None:
    assert len(_answers_in(_asked(answer="A D C B"))) == 8
    assert _answers_in(_asked(**{name: "A D C B"})) == []


@pytest.mark.parametrize("name", ["answer_sheet", "exam_results", "candidates", "学员成绩"])
def test_answers_of_learners_in_a_table_of_their_own_are_not_joined(name: str) -> None:
    said = [{"id": n + 50, "question_id": n, "answer": "ADCB"[n % 4]} for n in range(8)]
    assert len(_answers_in({"questions": _asked(), "answers": said})) == 8
    assert _answers_in({"questions": _asked(), name: said}) == []
