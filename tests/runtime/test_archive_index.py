"""Rows of an archive's index, and the members that they name."""

import zlib
from pathlib import Path

import msgspec
import pytest

from atomexam.runtime.archive_index import INDEX, IndexRow, indexes, read_packed, unpacked

ROW = {
    "page_id": "page-1",
    "method": "GET",
    "url": "https://a.example/",
    "status": 200,
    "file": "2026-11-20.warc.gz",
    "offset": 3,
    "length": 9,
}


def test_a_row_says_of_which_snapshot_it_is() -> None:
    own = msgspec.convert(ROW, IndexRow)
    seen_again = msgspec.convert(ROW | {"snapshot": "2026-12-01", "revisit": (5, 7)}, IndexRow)
    assert (own.of, seen_again.of) == ("2026-11-20", "2026-12-01")
    assert msgspec.json.decode(msgspec.json.encode(own)) == ROW
    with pytest.raises(msgspec.ValidationError, match="unknown"):
        msgspec.convert(ROW | {"more": 1}, IndexRow)


def test_reads_and_unpacks_a_member_up_to_a_limit(tmp_path: Path) -> None:
    packed = zlib.compress(b"WARC/1.1 " * 99, 9, zlib.MAX_WBITS | 16)
    (tmp_path / "a").write_bytes(b"xyz" + packed + b"rest")
    member = read_packed(tmp_path / "a", 3, len(packed))
    assert member == packed and unpacked(member) == b"WARC/1.1 " * 99 and unpacked(member, 8) == b"WARC/1.1"
    with pytest.raises(zlib.error):
        unpacked(member[:-9])


def test_every_source_has_an_index(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        (tmp_path / name).mkdir()
    for name in ("b", "a"):
        (tmp_path / name / INDEX).touch()
    assert [path.parent.name for path in indexes(tmp_path)] == ["a", "b"]
