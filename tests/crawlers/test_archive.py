"""The store of pages: what goes in comes out, a torn tail costs one page, and the bytes depend on the pages alone."""

import gzip
import tempfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from warcio.archiveiterator import ArchiveIterator

from crawlers.archive import ArchiveMiddleware, finish_crawl
from crawlers.segments import PartWriter, finish, parts, read_index, read_page, scan, segment, stored
from crawlers.warc import Key, Page, header_value, page_member, read_member, request_key
from records.provenance import page_id

SNAPSHOT = "2026-11-20"
DATE = "2026-11-20T00:00:00Z"
urls = st.text("abcxyz0123/%", min_size=1, max_size=12).map("https://site.example/".__add__)
file_names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).map("file:".__add__)
header_texts = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
headers = st.lists(st.tuples(st.sampled_from(["Content-Type", "Location", "Set-Cookie"]), header_texts), max_size=3).map(sorted)
answers = st.builds(
    Page,
    key=st.builds(request_key, st.sampled_from(["GET", "POST"]), urls, st.sampled_from([b"", b"id=1", "页=2".encode("gbk")])),
    date=st.just(DATE),
    status=st.sampled_from([200, 302, 404]),
    headers=headers,
    body=st.binary(max_size=200),
)
files = st.builds(Page, key=st.builds(Key, file_names), date=st.just(DATE), status=st.just(200), body=st.binary(max_size=200))


def page(number: int) -> Page:
    key = request_key("GET", f"https://site.example/{number}")
    return Page(key=key, date=DATE, status=200, headers=[("Content-Type", "text/html")], body=f"第{number}页".encode() * 50)


def write_part(folder: Path, pages: list[Page], origin: str = "embedded 1") -> Path:
    writer = PartWriter(folder, SNAPSHOT, origin)
    for one in pages:
        writer.write(one)
    writer.close()
    return writer.path


@given(st.one_of(answers, files))
def test_a_page_comes_back_as_it_went_in(one: Page) -> None:
    assert read_member(page_member(one)) == (None, one)


@given(answers)
def test_a_record_is_a_warc_record(one: Page) -> None:
    record = next(iter(ArchiveIterator(BytesIO(page_member(one)), check_digests=True)))
    assert record.rec_type == "response" and record.rec_headers.get_header("WARC-Target-URI") == one.key.url
    assert record.content_stream().read() == one.body
    assert record.digest_checker.passed is not False


def test_a_header_in_a_foreign_charset_stays_an_address() -> None:
    assert header_value("/疾病?p=1".encode("gbk")) == "/%BC%B2%B2%A1?p=1"
    assert header_value(b"text/html; charset=gb2312") == "text/html; charset=gb2312"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_torn_part_gives_all_but_its_last_page(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        part = write_part(folder, [page(number) for number in range(4)])
        whole = part.read_bytes()
        ends = [row.offset + row.length for row in scan(part)[1]]
        cut = data.draw(st.integers(ends[0], len(whole)))
        part.write_bytes(whole[:cut])
        rows = stored(folder, SNAPSHOT, "embedded 1", with_segment=False)
        assert [key.url[-1] for key in rows] == [str(number) for number, end in enumerate(ends) if end <= cut]
        write_part(folder, [page(number) for number in range(len(rows), 4)])  # the next run goes on in a part of its own
        assert finish_crawl(folder, SNAPSHOT, "embedded 1") == 4


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(6)), st.integers(0, 6), st.booleans())
def test_the_bytes_do_not_depend_on_order_and_runs(order: list[int], split: int, twice: bool) -> None:
    def crawl(folder: Path, runs: list[list[int]]) -> dict[str, bytes]:
        for run in runs:
            write_part(folder, [page(number) for number in run])
        finish_crawl(folder, SNAPSHOT, "embedded 1")
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        again = order[:1] if twice else []  # a page that two runs fetched is kept once
        assert crawl(Path(one), [list(range(6))]) == crawl(Path(other), [order[:split], order[split:] + again])


def test_pages_of_another_origin_do_not_mix(tmp_path: Path) -> None:
    write_part(tmp_path, [page(1)], "embedded 1")
    write_part(tmp_path, [page(2)], "live")
    assert [key.url[-1] for key in stored(tmp_path, SNAPSHOT, "live", with_segment=True)] == ["2"]
    assert len(parts(tmp_path, SNAPSHOT)) == 1


def test_a_finished_live_snapshot_is_kept_and_grows(tmp_path: Path) -> None:
    write_part(tmp_path, [page(1)], "live")
    finish_crawl(tmp_path, SNAPSHOT, "live")
    assert [key.url[-1] for key in stored(tmp_path, SNAPSHOT, "live", with_segment=True)] == ["1"]
    write_part(tmp_path, [page(2)], "live")
    assert finish_crawl(tmp_path, SNAPSHOT, "live") == 2


def test_the_index_finds_a_page_by_its_id(tmp_path: Path) -> None:
    write_part(tmp_path, [page(number) for number in (2, 1)])
    finish_crawl(tmp_path, SNAPSHOT, "embedded 1")
    rows = {row.page_id: row for row in read_index(tmp_path, SNAPSHOT)}
    row = rows[page_id(page(2).key.url, page(2).body)]
    assert read_page(tmp_path, row) == page(2)
    with open(segment(tmp_path, SNAPSHOT), "rb") as file:
        file.seek(row.offset)
        assert page(2).body in gzip.decompress(file.read(row.length))


def test_the_index_keeps_older_snapshots(tmp_path: Path) -> None:
    for snapshot in ("2026-01-01", SNAPSHOT):
        writer = PartWriter(tmp_path, snapshot, "live")
        row = writer.write(page(1))
        writer.close()
        finish(tmp_path, snapshot, "live", {row.key: row})
    assert [next(read_index(tmp_path, snapshot)).file[:10] for snapshot in ("2026-01-01", SNAPSHOT)] == ["2026-01-01", SNAPSHOT]


def test_a_file_that_is_not_what_the_index_says_is_told(tmp_path: Path) -> None:
    write_part(tmp_path, [page(1), page(2)])
    finish_crawl(tmp_path, SNAPSHOT, "embedded 1")
    first, second = read_index(tmp_path, SNAPSHOT)
    wrong = type(first)(**{name: getattr(second, name) for name in first.__struct_fields__} | {"url": first.url})
    with pytest.raises(ValueError, match=r"2026-11-20\.warc\.gz at \d+: not GET https://site.example/1"):
        read_page(tmp_path, wrong)


def test_a_header_in_no_known_encoding_is_stored(tmp_path: Path) -> None:
    crawler = get_crawler(settings_dict={"ARCHIVE_FOLDER": str(tmp_path), "ARCHIVE_SNAPSHOT": SNAPSHOT, "ARCHIVE_ORIGIN": "live"})
    archive = ArchiveMiddleware(crawler)
    request = Request("https://site.example/1")
    archive.process_response(request, Response(request.url, headers={b"X-\xff": b"\xd6\xd0"}, body=b"1"))
    archive.spider_closed()
    finish_crawl(tmp_path, SNAPSHOT, "live")
    [row] = read_index(tmp_path, SNAPSHOT)
    assert read_page(tmp_path, row).headers == [("X-%FF", "%D6%D0")]
