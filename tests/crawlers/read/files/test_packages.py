"""Archives and decks: the members and notes in them read like files of their own; bombs, locks and steps out are told, not followed."""

import io
import json
import zipfile
from collections.abc import Callable

import pytest

from atomexam.records.item import QuestionItem
from tests.crawlers.read.bodies import result_of

_PAPER = "内科练习题\n" + "\n".join(f"{n}. 第{n}例患者的诊断是（ ）\nA. 甲\nB. 乙\nC. 丙\n答案：{'ABC'[n % 3]}" for n in range(1, 7))
_ROWS = [{"question": f"第{n}个器官是哪个（ ）", "options": ["心", "肝", "脾"], "answer": "ABC"[n % 3]} for n in range(6)]


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


def test_members_of_an_archive_read_like_files() -> None:
    inner = {
        "卷/一.txt": _PAPER.encode(),
        "../../etc/二.json": json.dumps(_ROWS).encode(),
        "photo.png": b"x",
        "a.zip": b"x",
        ".x/y.txt": b"x",
    }
    result = result_of("all.zip", _zip(inner))
    places = [item.provenance.position for item in result.reading.items]
    assert (len(places), places[0], places[-1]) == (12, "etc/二.json:record:1", "卷/一.txt:q6")
    assert [item.answer_raw for item in result.reading.items if isinstance(item, QuestionItem)][6:] == [*"BCABCA"]
    assert sorted(fault.partition(":")[0] for fault in result.reading.skipped) == ["a.zip", "photo.png"]
    assert result.account.difference == 0 and result.account.characters > 300


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("bomb.zip", _zip({"a.txt": b"0" * 8_000_000}), "that is not a document"),
        ("many.zip", _zip({f"{n}.txt": b"" for n in range(2001)}), "at most 2000 files"),
        ("cut.zip", _zip({"a.txt": b"x"})[:-9], "not a readable zip"),
        ("none.zip", _zip({"a.png": b"x"}), "no format reads a file that ends in '.png'"),
        ("locked.zip", _zip({"a.txt": b"x"}).replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"), "password"),
    ],
)
def test_hostile_packages_are_refused(name: str, body: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        result_of(name, body)
