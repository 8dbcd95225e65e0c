"""Full disks, damaged records, spoiled indexes: no page is lost without a word, and what can be fetched again is."""

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from warcio.cli import main as warcio

from atomexam.runtime.archive_index import INDEX
from atomexam.runtime.jsonl import write_jsonl
from crawlers.html.source_spider import SourceSpider
from crawlers.store.index import scan
from crawlers.store.merging import finish
from crawlers.store.part_writer import CannotWrite, PartWriter, part_rows, parts
from crawlers.store.request_keys import request_key
from crawlers.store.segments import ArchiveRow, read_index, read_page, segment
from crawlers.store.warc import Page, SentRequest
from crawlers.web.archive import ArchiveMiddleware, finish_crawl
from crawlers.web.cookies import Cookies
from crawlers.web.page_kinds import KINDS_FILE

FIRST, SNAPSHOT = "2026-01-01", "2026-11-20"
SITE = "https://toy.example"
Toy = Callable[..., tuple[int, str]]


def page(number: int, **headers: str) -> Page:
    key = request_key("GET", f"{SITE}/p/{number}")
    return Page(key=key, date=f"{FIRST}T00:00:00Z", status=200, headers=sorted(headers.items()), body=f"第{number}页".encode() * 50)


def write_snapshot(folder: Path, pages: list[Page], snapshot: str = SNAPSHOT, origin: str = "live") -> None:
    writer = PartWriter(folder, snapshot, origin)
    for one in pages:
        writer.write(one, SentRequest(key=one.key, date=one.date))
    writer.close()
    finish(folder, snapshot, origin, with_segment=origin == "live")


def archive_of(folder: Path, snapshot: str = SNAPSHOT, **more: object) -> ArchiveMiddleware:
    wanted = {"ARCHIVE_FOLDER": str(folder), "ARCHIVE_SNAPSHOT": snapshot, "ARCHIVE_ORIGIN": "live", **more}
    crawler = get_crawler(settings_dict=wanted)
    crawler.spider = SourceSpider(name="toy")
    return ArchiveMiddleware(crawler)


def spoil(path: Path, row: ArchiveRow, offset: int = 20) -> None:
    """Flip bytes within the record of a row."""
    whole = bytearray(path.read_bytes())
    for place in range(row.offset + offset, row.offset + offset + 20):
        whole[place] ^= 0xFF
    path.write_bytes(whole)


def row_of(folder: Path, url: str, snapshot: str = SNAPSHOT) -> ArchiveRow:
    return next(row for row in read_index(folder, snapshot) if row.url == url)


def bodies(folder: Path, snapshot: str = SNAPSHOT) -> dict[str, bytes]:
    return {row.url: read_page(folder, row).body for row in read_index(folder, snapshot)}


def is_sound(path: Path) -> bool:
    with pytest.raises(SystemExit) as end:
        warcio(["check", str(path)])
    return end.value.code == 0


@pytest.mark.slow
@pytest.mark.parametrize("origin", ["embedded", "live"])
def test_a_full_disk_ends_the_crawl_and_loses_nothing(tmp_path: Path, run_toy: Toy, origin: str) -> None:
    folder, whole, asked = tmp_path / "toy", tmp_path / "whole" / "toy", tmp_path / "asked"
    status, errors = run_toy("crawl", folder, pages=20, full="8-11", origin=origin, asked=asked)
    assert status == 1
    assert "0000.warc.gz cannot be written: File too large" in errors and "fetched pages are kept" in errors
    assert len(asked.read_text().splitlines()) < 12  # it ended at once
    assert is_sound(parts(folder, SNAPSHOT)[0])
    assert run_toy("crawl", folder, pages=20, origin=origin) == (0, "")
    assert run_toy("crawl", whole, pages=20, origin=origin) == (0, "")
    assert bodies(folder) == bodies(whole) and len(bodies(folder)) == 22
    assert is_sound(segment(folder, SNAPSHOT))


def test_failed_part_ends_at_a_complete_record(tmp_path: Path) -> None:
    writer = PartWriter(tmp_path, SNAPSHOT, "live")
    writer.write(page(1))
    size = writer.path.stat().st_size

    class Full:
        """A disk that takes ten bytes more."""

        def __init__(self, file: object) -> None:
            self.file, self.left = file, 10

        def write(self, data: bytes) -> int:
            if not self.left:
                raise OSError(28, "No space left on device")
            written = self.file.write(data[: self.left])
            self.left -= written
            return written

        def __getattr__(self, name: str) -> object:
            return getattr(self.file, name)

    writer._file = Full(writer._file)
    for _ in range(2):  # not even when there is room again
        with pytest.raises(CannotWrite, match=r"0000\.warc\.gz cannot be written: No space left on device"):
            writer.write(page(2))
        writer._file.left = 10_000
    writer.close()
    assert writer.path.stat().st_size == size
    assert finish(tmp_path, SNAPSHOT, "live") == 1


def test_reports_request_without_outcome(tmp_path: Path) -> None:
    archive = archive_of(tmp_path)
    for number in range(3):
        archive.process_request(Request(f"{SITE}/p/{number}"))
    archive.process_response(Request(f"{SITE}/p/0"), Response(f"{SITE}/p/0", body=b"0"))
    archive.process_exception(Request(f"{SITE}/p/1"), TimeoutError())
    archive.spider_closed()
    assert archive.stats.get_value("archive/unanswered") == 1


@pytest.mark.slow
def test_damaged_page_of_a_live_snapshot_is_fetched_again(tmp_path: Path, run_toy: Toy) -> None:
    folder, asked = tmp_path / "toy", tmp_path / "asked"
    assert run_toy("crawl", folder, origin="live") == (0, "")
    whole = bodies(folder)
    row = row_of(folder, f"{SITE}/p/7")
    spoil(segment(folder, SNAPSHOT), row)
    status, errors = run_toy("extract", folder)
    assert status == 1
    assert f"{SNAPSHOT}.warc.gz at {row.offset}: GET {SITE}/p/7 cannot be read" in errors and "`dvc repro -f crawl@toy`" in errors
    assert errors.count(f"{SITE}/p/7") == 1
    status, errors = run_toy("crawl", folder, origin="live", asked=asked)
    assert status == 0 and f"at {row.offset}: GET {SITE}/p/7 cannot be read" in errors and "fetched again" in errors
    assert sorted(asked.read_text().splitlines()) == ["/p/7", "/robots.txt"]
    assert bodies(folder) == whole
    assert is_sound(segment(folder, SNAPSHOT))


def test_unrequested_damaged_page_is_reported_once(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [page(1), page(2)])
    spoil(segment(tmp_path, SNAPSHOT), row_of(tmp_path, f"{SITE}/p/1"))
    archive = archive_of(tmp_path)
    archive.spider_closed()
    assert archive.stats.get_value("archive/pages") == 2
    assert finish_crawl(tmp_path, SNAPSHOT, "live") == 1
    assert bodies(tmp_path) == {f"{SITE}/p/2": page(2).body}


def test_damaged_older_page_is_requested_unconditionally(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_snapshot(tmp_path, [page(1, ETag='"1"'), page(2, ETag='"2"')], FIRST)
    spoil(segment(tmp_path, FIRST), row_of(tmp_path, f"{SITE}/p/1", FIRST))
    archive = archive_of(tmp_path)
    requests = [Request(f"{SITE}/p/{number}") for number in (1, 2)]
    for request in requests:
        assert archive.process_request(request) is None
    assert ["If-None-Match" in request.headers for request in requests] == [False, True]
    archive.process_response(requests[0], Response(requests[0].url, body=page(1).body))
    archive.process_response(requests[1], Response(requests[1].url, status=304))
    archive.spider_closed()
    assert finish_crawl(tmp_path, SNAPSHOT, "live") == 2
    assert bodies(tmp_path) == {one.key.url: one.body for one in (page(1), page(2))}
    assert f"{FIRST}.warc.gz at " in caplog.text


def test_a_page_whose_older_file_was_damaged_since_is_fetched_anew(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [page(1, ETag='"1"')], FIRST)
    archive = archive_of(tmp_path)
    archive.process_request(request := Request(f"{SITE}/p/1"))
    archive.process_response(request, Response(request.url, status=304))
    archive.spider_closed()
    finish_crawl(tmp_path, SNAPSHOT, "live")
    spoil(segment(tmp_path, FIRST), row_of(tmp_path, f"{SITE}/p/1", FIRST))
    again = archive_of(tmp_path)
    request = Request(f"{SITE}/p/1")
    assert again.process_request(request) is None
    again.process_response(request, Response(request.url, body=b"anew"))
    again.spider_closed()
    assert finish_crawl(tmp_path, SNAPSHOT, "live") == 1
    assert bodies(tmp_path) == {f"{SITE}/p/1": b"anew"}


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_scan_loses_the_damaged_record_and_no_other(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("scan")
    writer = PartWriter(folder, SNAPSHOT, "live")
    rows = [writer.write(page(number), SentRequest(key=page(number).key, date=page(number).date)) for number in range(5)]
    writer.close()
    hit = data.draw(st.sampled_from(rows))
    spoil(writer.path, hit, data.draw(st.integers(0, hit.length - 20)))
    assert [record.what.key.url for record in scan(writer.path)] == [row.url for row in rows if row is not hit]
    shutil.rmtree(folder)


def test_a_file_without_its_first_record_is_neither_used_nor_replaced(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [page(1)])
    path = segment(tmp_path, SNAPSHOT)
    path.write_bytes(bytes(30) + path.read_bytes()[30:])
    with pytest.raises(ValueError, match=rf"{SNAPSHOT}\.warc\.gz: its first record, .* cannot be read; .*dvc checkout"):
        archive_of(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("left", ["0000.jsonl", "0007.warc.gz"])
def test_ignores_orphan_next_to_the_parts(tmp_path: Path, run_toy: Toy, left: str) -> None:
    done = tmp_path / "toy" / f"{SNAPSHOT}.done"
    done.mkdir(parents=True)
    (done / left).write_text("{}\n")
    assert run_toy("crawl", tmp_path / "toy", pages=3) == (0, "")
    assert len(list(read_index(tmp_path / "toy", SNAPSHOT))) == 5


@pytest.mark.parametrize("spoiled", ["torn", "of another release", "gone"])
def test_unreadable_index_is_rebuilt(tmp_path: Path, spoiled: str) -> None:
    write_snapshot(tmp_path, [page(1), page(2)], FIRST)
    write_snapshot(tmp_path, [page(2), page(3)])
    whole = (tmp_path / INDEX).read_bytes()
    if spoiled == "gone":
        (tmp_path / INDEX).unlink()
    else:
        (tmp_path / INDEX).write_bytes(whole + b'{"page_id":"x' if spoiled == "torn" else whole.replace(b'"status"', b'"code"', 1))
    archive = archive_of(tmp_path)
    assert (tmp_path / INDEX).read_bytes() == whole
    assert archive.process_request(Request(f"{SITE}/p/3")).body == page(3).body


@pytest.mark.slow
def test_extract_names_the_command_that_mends_an_index(tmp_path: Path, run_toy: Toy) -> None:
    folder = tmp_path / "toy"
    assert run_toy("crawl", folder, pages=3) == (0, "")
    with open(folder / INDEX, "ab") as index:
        index.write(b'{"page_id":"x')
    status, errors = run_toy("extract", folder)
    assert status == 1 and "index.jsonl:6: " in errors and "`dvc repro" in errors
    assert run_toy("crawl", folder, pages=3)[0] == 0
    assert run_toy("extract", folder) == (0, "")


def test_a_live_crawl_over_a_replica_leaves_newer_snapshots_their_pages(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [page(1), page(2)], FIRST, "embedded x")
    crawl = archive_of(tmp_path, ARCHIVE_ORIGIN="embedded x")
    for number in (1, 2):
        crawl.process_request(request := Request(f"{SITE}/p/{number}"))
        crawl.process_response(request, Response(request.url, body=page(number).body))
    crawl.spider_closed()
    finish_crawl(tmp_path, SNAPSHOT, "embedded x")
    assert {row.file for row in read_index(tmp_path, SNAPSHOT)} == {segment(tmp_path, FIRST).name}
    write_snapshot(tmp_path, [page(5)], FIRST, "live")
    assert bodies(tmp_path) == {one.key.url: one.body for one in (page(1), page(2))}
    assert bodies(tmp_path, FIRST) == {page(5).key.url: page(5).body}


@pytest.mark.slow
def test_with_max_pages_reached_exactly_a_miss_is_an_error(tmp_path: Path, run_toy: Toy) -> None:
    folder = tmp_path / "toy"
    assert run_toy("crawl", folder, pages=10, max_pages=11) == (0, "")
    status, errors = run_toy("extract", folder, max_pages=11, spider="greedy")
    assert status == 1 and "1 pages are not in" in errors and "/p/never-crawled" in errors
    assert run_toy("crawl", folder, pages=10, max_pages=5) == (0, "")
    assert run_toy("extract", folder, max_pages=5) == (0, "")
    status, errors = run_toy("extract", folder, max_pages=5, spider="greedy")
    assert status == 1 and "1 pages are not in" in errors


@pytest.mark.slow
def test_stores_requests_beyond_the_limit_per_snapshot(tmp_path: Path, run_toy: Toy) -> None:
    folder = tmp_path / "toy"
    assert run_toy("crawl", folder, pages=10, max_pages=5) == (0, "")
    assert run_toy("crawl", folder, pages=10, snapshot="2026-12-20") == (0, "")
    assert run_toy("extract", folder, max_pages=5) == (0, "")
    assert run_toy("crawl", folder, pages=10) == (0, "")
    assert {path.name for path in folder.iterdir()} == {f"{SNAPSHOT}.warc.gz", "2026-12-20.warc.gz", INDEX, KINDS_FILE}


@pytest.mark.slow
def test_rules_are_asked_for_anew_by_each_run_of_a_live_crawl(tmp_path: Path, run_toy: Toy) -> None:
    folder, asked = tmp_path / "toy", tmp_path / "asked"
    assert run_toy("crawl", folder, pages=10, broken=4, origin="live")[0] == 1
    whole = run_toy("crawl", folder, pages=10, origin="live", hidden="/p/", asked=asked)
    assert whole == (0, "")
    assert asked.read_text().splitlines() == ["/robots.txt"]
    assert b"Disallow: /p/" in bodies(folder)[f"{SITE}/robots.txt"]
    # What was stored while it was allowed stays and is read; what was not is not asked for, and not missed.
    assert run_toy("extract", folder) == (0, "")
    assert (tmp_path / "items.jsonl").read_bytes().count(b"\n") == 6
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert run_toy("crawl", folder, pages=10, origin="live", hidden="/p/", asked=asked) == (0, "")
    assert asked.read_text().splitlines() == ["/robots.txt"] * 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before  # it has not changed, and is stored once


def test_rules_are_asked_for_on_condition(tmp_path: Path) -> None:
    robots = f"{SITE}/robots.txt"
    rules = msgspec.structs.replace(page(0, ETag='"1"'), key=request_key("GET", robots), body=b"User-agent: *\nDisallow:\n")
    write_snapshot(tmp_path, [rules, page(1)])
    archive = archive_of(tmp_path)
    request = Request(robots)
    assert archive.process_request(request) is None and request.headers["If-None-Match"] == b'"1"'
    assert archive.process_response(request, Response(robots, status=304)).body == rules.body
    assert archive.process_request(Request(robots)).body == rules.body  # once in a run
    assert archive.writer is None
    archive.spider_closed()
    assert finish_crawl(tmp_path, SNAPSHOT, "live") == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spider", "says"),
    [
        ("broken", "the spider failed on 10 pages"),
        ("silent", "no items in 11 pages; fix crawlers/sources/toy/spider.py"),
        ("mute", "10 of 11 pages do not fit the spider; if the site has changed, fix crawlers/sources/toy/spider.py"),
        ("foreign", "10 of 11 pages do not fit the spider; if the site has changed, fix crawlers/sources/toy/spider.py"),
    ],
)
def test_live_crawl_without_items_fails(tmp_path: Path, run_toy: Toy, spider: str, says: str) -> None:
    folder, asked = tmp_path / "toy", tmp_path / "asked"
    status, errors = run_toy("crawl", folder, pages=10, origin="live", spider=spider)
    assert status == 1 and says in errors
    assert run_toy("crawl", folder, pages=10, origin="live", asked=asked) == (0, "")
    assert asked.read_text().splitlines() == ["/robots.txt"]  # fetched pages are kept


def test_a_site_sets_no_more_cookies_than_a_browser_keeps() -> None:
    """15,000 fit in the headers of each page, and every host of a site may set its own."""
    cookies = Cookies()
    for number in range(200):
        ask = Request(f"https://h{number % 100}.toy.example/")
        answer = Response(ask.url, headers={"Set-Cookie": ["long=" + "1" * 5000, *(f"c{number}x{at}=1" for at in range(300))]})
        assert cookies.process_response(ask, answer) is answer
    jar = cookies.jars[None]
    assert (len(jar), len(jar._cookies)) == (3000, 60)
    cookies.process_request(ask)
    sent = ask.headers["Cookie"].split(b"; ")
    assert len(sent) == 50 and b"c199x299=1" in sent


def test_the_cookies_set_last_are_kept_whatever_their_path() -> None:
    """A login sets a session at / after a page below has set many; a site that sets each at a path of its own takes no more memory."""
    cookies = Cookies()
    page, login = Request("https://toy.example/p/x"), Request("https://toy.example/login")

    def given(ask: Request, *said: str) -> None:
        cookies.process_response(ask, Response(ask.url, headers={"Set-Cookie": list(said)}))

    given(login, "seen=1; Path=/", "lang=zh; Path=/")
    given(page, *(f"t{number}=1; Path=/p" for number in range(48)))
    given(login, "seen=2; Path=/")
    given(login, "session=1; Path=/", "old=1; Path=/")
    given(login, "old=; Path=/; Max-Age=0")
    for number in range(40):
        given(page, f"t{number}=2; Path=/p/{number}")
    by_path = cookies.jars[None]._cookies["toy.example"]
    assert [*by_path["/"]] == ["seen", "session"] and all(by_path.values()) and len(cookies.jars[None]) == 50


def test_cookies_that_a_site_sets_are_not_stored(tmp_path: Path) -> None:
    archive = archive_of(tmp_path)
    request = Request(f"{SITE}/p/1")
    seen = archive.process_response(request, Response(request.url, headers={"Set-Cookie": "sid=0123", "ETag": "1"}, body=b"1"))
    assert seen.headers["Set-Cookie"] == b"sid=0123"
    archive.spider_closed()
    finish_crawl(tmp_path, SNAPSHOT, "live")
    assert read_page(tmp_path, row_of(tmp_path, request.url)).headers == [("Etag", "1")]


@pytest.mark.slow
def test_a_second_run_says_that_it_waits(tmp_path: Path, start_toy: Callable[..., subprocess.Popen]) -> None:
    folder = tmp_path / "toy"
    with FileLock(tmp_path / ".toy.lock"), start_toy("crawl", folder, pages=3) as process:
        said = process.stderr.readline()
        assert said == f"{folder}: another run is writing to it; waiting until it ends\n"
        time.sleep(0.1)
        assert process.poll() is None
        process.kill()


@pytest.mark.slow
def test_row_that_is_not_text_counts_as_truncated(tmp_path: Path, run_toy: Toy) -> None:
    folder = tmp_path / "toy"
    assert run_toy("crawl", folder, pages=10, broken=4, origin="live")[0] == 1
    (part,) = parts(folder, SNAPSHOT)
    rows, noted = list(part_rows(part, SNAPSHOT)), part.with_name("0000.jsonl")
    lines = noted.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b"toy.example", b"to\xff.example", 1)
    noted.write_bytes(b"".join(lines))
    assert list(part_rows(part, SNAPSHOT)) == rows
    assert run_toy("crawl", folder, pages=10, origin="live") == (0, "")
    assert len(bodies(folder)) == 12


def test_matching_index_is_not_changed(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [page(1)])
    rows = list(read_index(tmp_path, SNAPSHOT))
    write_jsonl(tmp_path / INDEX, [msgspec.structs.replace(row, page_id="kept") for row in rows], key=lambda row: row.url)
    archive_of(tmp_path)
    assert [row.page_id for row in read_index(tmp_path, SNAPSHOT)] == ["kept"]
