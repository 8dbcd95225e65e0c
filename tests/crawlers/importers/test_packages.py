"""Archives and decks: the members and notes in them read like files of their own; bombs, locks and steps out are told, not followed."""

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable

import pytest
from backports import zstd

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import FileResult, read_steps

_SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_PAPER = "内科练习题\n" + "\n".join(f"{n}. 第{n}例患者的诊断是（ ）\nA. 甲\nB. 乙\nC. 丙\n答案：{'ABC'[n % 3]}" for n in range(1, 7))
_ROWS = [{"question": f"第{n}个器官是哪个（ ）", "options": ["心", "肝", "脾"], "answer": "ABC"[n % 3]} for n in range(6)]


def _read(name: str, body: bytes) -> FileResult:
    [result] = [step for step in read_steps(name, body, None, _SEEN) if isinstance(step, FileResult)]
    return result


def _zip(members: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        for name, body in members.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            if change:
                change(entry)
            parts.writestr(entry, body)
    return out.getvalue()


def _deck(newest: bool = False, notes: int = 8) -> bytes:
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE notes (id INTEGER, mid INTEGER, flds TEXT, tags TEXT)")
    if newest:
        base.execute("CREATE TABLE fields (ntid INTEGER, ord INTEGER, name TEXT)")
        base.executemany("INSERT INTO fields VALUES (7, ?, ?)", enumerate(["正面", "背面"]))
    else:
        base.execute("CREATE TABLE col (models TEXT)")
        base.execute("INSERT INTO col VALUES (?)", [json.dumps({"7": {"flds": [{"name": "正面"}, {"name": "背面"}]}})])
    for n in range(notes):
        front = f"第{n}根骨头在哪里（ ）<br>A. 手<br>B. 足<br>C. 头"
        base.execute("INSERT INTO notes VALUES (?, 7, ?, ' 骨 ')", (n, f"{front}\x1f{'ABC'[n % 3]}"))
    base.commit()
    data = base.serialize()
    stub = {"collection.anki2": b"please update"} if newest else {}
    return _zip({"collection.anki21b" if newest else "collection.anki2": zstd.compress(data) if newest else data, "media": b"{}"} | stub)


def test_members_of_an_archive_read_like_files() -> None:
    inner = {
        "卷/一.txt": _PAPER.encode(),
        "../../etc/二.json": json.dumps(_ROWS).encode(),
        "photo.png": b"x",
        "a.zip": b"x",
        ".x/y.txt": b"x",
    }
    result = _read("all.zip", _zip(inner))
    places = [item.provenance.position for item in result.reading.items]
    assert (len(places), places[0], places[-1]) == (12, "etc/二.json:record:1", "卷/一.txt:q6")
    assert [item.answer_raw for item in result.reading.items if isinstance(item, QuestionItem)][6:] == [*"BCABCA"]
    assert sorted(fault.partition(":")[0] for fault in result.reading.skipped) == ["a.zip", "photo.png"]
    assert result.account.difference == 0 and result.account.characters > 300


@pytest.mark.parametrize("newest", [False, True])
def test_notes_of_a_deck_are_rows(newest: bool) -> None:
    result = _read("deck.apkg", _deck(newest))
    read = [(i.stem_raw, i.options_raw, i.answer_raw) for i in result.reading.items if isinstance(i, QuestionItem)]
    assert read == [(f"第{n}根骨头在哪里（ ）", ["A. 手", "B. 足", "C. 头"], "ABC"[n % 3]) for n in range(8)]


def _lock(entry: zipfile.ZipInfo) -> None:
    entry.flag_bits |= 1


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("bomb.zip", _zip({"a.txt": b"0" * 8_000_000}), "that is not a document"),
        ("many.zip", _zip({f"{n}.txt": b"" for n in range(2001)}), "at most 2000 files"),
        ("cut.zip", _zip({"a.txt": b"x"})[:-9], "not a readable zip"),
        ("none.zip", _zip({"a.png": b"x"}), "no format reads a file that ends in '.png'"),
        ("locked.zip", _zip({"a.txt": b"x"}).replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"), "password"),
        ("bare.apkg", _zip({"a.txt": b"x"}), "not an Anki deck"),
        ("text.apkg", b"no zip", "not a readable deck"),
        ("spoiled.apkg", _zip({"collection.anki2": b"SQLite format 3\x00" + b"\x07" * 4000}), "not a readable deck"),
        ("spoiled.apkg", _zip({"collection.anki21b": b"no zstd"}), "not a readable deck"),
        ("bomb.apkg", _zip({"collection.anki21b": zstd.compress(b"\0" * 300_000_000)}), "more than"),
    ],
)
def test_hostile_packages_are_refused(name: str, body: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        _read(name, body)


def test_a_view_that_never_ends_is_stopped() -> None:
    base = sqlite3.connect(":memory:")
    base.execute(
        "CREATE VIEW notes AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 1 mid, '' flds, '' tags FROM n"
    )
    with pytest.raises(ValueError, match="no table of notes"):
        _read("view.apkg", _zip({"collection.anki2": base.serialize()}))
