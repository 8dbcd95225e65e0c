"""A new snapshot of a site: asked for on condition, stored where it changed, read as a whole; and older ones stay as they were."""

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from warcio.archiveiterator import ArchiveIterator

from atomexam.runtime.archive_index import INDEX
from crawlers.html.source_spider import SourceSpider
from crawlers.store.exchanges import REPLAYED
from crawlers.store.index import rows_of
from crawlers.store.merging import finish
from crawlers.store.part_writer import PartWriter
from crawlers.store.request_keys import request_key
from crawlers.store.segments import read_index, read_page, segment
from crawlers.store.warc import Page, SentRequest
from crawlers.web.archive import ArchiveMiddleware, finish_crawl

FIRST, SECOND, THIRD = "2026-01-01", "2026-02-01", "2026-03-01"
MADE, SENT = "Wed, 01 Jan 2025 00:00:00 GMT", "Sun, 01 Feb 2026 00:00:00 GMT"


def page(name: str, text: str = "", **headers: str) -> Page:
    key = request_key("GET", f"https://site.example/{name}")
    return Page(key=key, date=f"{FIRST}T00:00:00Z", status=200, headers=sorted(headers.items()), body=(text or name).encode() * 99)


def write_snapshot(folder: Path, snapshot: str, pages: list[Page], origin: str = "live") -> None:
    writer = PartWriter(folder, snapshot, origin)
    for one in pages:
        writer.write(one, SentRequest(key=one.key, date=one.date))
    writer.close()
    finish(folder, snapshot, origin, with_segment=origin == "live")


class Recrawl:
    """A second crawl of a folder, without a network: what is asked, and what is answered."""

    def __init__(self, folder: Path, snapshot: str = SECOND, origin: str = "live") -> None:
        self.folder, self.snapshot, self.origin = folder, snapshot, origin
        crawler = get_crawler(settings_dict={"ARCHIVE_FOLDER": str(folder), "ARCHIVE_SNAPSHOT": snapshot, "ARCHIVE_ORIGIN": origin})
        crawler.spider = SourceSpider(name="toy")
        self.archive = ArchiveMiddleware(crawler)

    def ask(self, name: str, **more: object) -> Request:
        """Return the request as it goes out, or raise where it does not."""
        request = Request(f"https://site.example/{name}", **more)
        assert self.archive.process_request(request) is None
        return request

    def answer(self, request: Request, status: int = 200, body: bytes = b"", **headers: str) -> Response:
        """Return what the spider sees."""
        named = {name.replace("_", "-"): value for name, value in headers.items()} | {"Date": SENT}
        return self.archive.process_response(request, Response(request.url, status=status, headers=named, body=body))

    def end(self) -> dict[str, bytes]:
        """Finish; return the body of each page by its address."""
        self.archive.spider_closed()
        finish_crawl(self.folder, self.snapshot, self.origin)
        return bodies(self.folder, self.snapshot)


def bodies(folder: Path, snapshot: str) -> dict[str, bytes]:
    return {row.url.rsplit("/", 1)[1]: read_page(folder, row).body for row in read_index(folder, snapshot)}


def kinds(folder: Path, snapshot: str) -> list[str]:
    with open(segment(folder, snapshot), "rb") as file:
        return [record.rec_type for record in ArchiveIterator(file) if record.rec_type not in ("warcinfo", "request")]


def test_unchanged_pages_are_stored_once(tmp_path: Path) -> None:
    old = [page("a", ETag='"1"', Last_Modified=MADE), page("b"), page("c", **{"Last-Modified": MADE}), page("d", ETag='"4"')]
    write_snapshot(tmp_path, FIRST, old)
    crawl = Recrawl(tmp_path)
    a, b, c, d = (crawl.ask(name) for name in "abcd")
    assert (a.headers["If-None-Match"], c.headers["If-Modified-Since"].decode()) == (b'"1"', MADE)
    assert "If-None-Match" not in b.headers and "If-Modified-Since" not in b.headers
    seen = crawl.answer(a, 304, ETag='"1"')
    assert (seen.status, seen.body, seen.headers["ETag"]) == (200, old[0].body, b'"1"')
    assert REPLAYED not in seen.flags  # what stands in it holds now, such as a token
    assert crawl.answer(b, 200, old[1].body).body == old[1].body  # the server knows no conditions, and the page is the same
    assert crawl.answer(c, 200, b"new").body == b"new"
    crawl.answer(d, 404, b"gone")
    assert crawl.end() == {"a": old[0].body, "b": old[1].body, "c": b"new", "d": b"gone"}
    assert kinds(tmp_path, SECOND) == ["revisit", "revisit", "response", "response"]
    assert bodies(tmp_path, FIRST) == {name: one.body for name, one in zip("abcd", old, strict=True)}
    assert crawl.archive.stats.get_value("archive/unchanged") == 2


def test_repeats_request_without_rejected_conditions(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", ETag='"1"'), page("b")])
    crawl = Recrawl(tmp_path)
    first = crawl.ask("a", meta={"depth": 1})
    again = crawl.answer(first, 412)
    assert isinstance(again, Request) and again.dont_filter and again.meta["depth"] == 1 and again.url == first.url
    assert crawl.archive.process_request(again) is None and "If-None-Match" not in again.headers
    assert crawl.answer(again, 200, page("a").body, ETag='"1"').status == 200
    b = crawl.ask("b")  # no conditions: the answer is what it says
    assert crawl.answer(b, 412).status == 412
    assert list(crawl.archive.failed.items()) == [("GET https://site.example/b", "HTTP status 412")]
    assert crawl.end() == {"a": page("a").body}
    assert kinds(tmp_path, SECOND) == ["revisit"]


def test_conditions_are_given_up_once(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", ETag='"1"')])
    crawl = Recrawl(tmp_path)
    again = crawl.answer(crawl.ask("a"), 412)
    assert crawl.archive.process_request(again) is None
    assert crawl.answer(again, 412).status == 412 and len(crawl.archive.failed) == 1


def test_cookies_are_those_of_this_session(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", **{"Set-Cookie": "s=old", "ETag": '"1"', "Content-Type": "text/html"}), page("b")])
    crawl = Recrawl(tmp_path)
    seen = crawl.answer(crawl.ask("a"), 304, Set_Cookie="s=new", Content_Type="text/plain")
    assert seen.headers.getlist("Set-Cookie") == [b"s=new"]
    assert (seen.headers["ETag"], seen.headers["Content-Type"]) == (b'"1"', b"text/html")
    again = Recrawl(tmp_path).archive.process_request(Request("https://site.example/a"))
    assert "Set-Cookie" not in again.headers  # a run that goes on has a session of its own


def test_a_revisit_says_what_it_is_to_any_tool(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", ETag='"1"'), page("b")])
    crawl = Recrawl(tmp_path)
    crawl.answer(crawl.ask("a"), 304)
    crawl.answer(crawl.ask("b"), 200, page("b").body)
    crawl.end()
    with open(segment(tmp_path, FIRST), "rb") as file:
        older = [dict(record.rec_headers.headers) for record in ArchiveIterator(file) if record.rec_type == "response"]
    with open(segment(tmp_path, SECOND), "rb") as file:
        found = [(dict(one.rec_headers.headers), one.http_headers) for one in ArchiveIterator(file) if one.rec_type == "revisit"]
    assert [headers["WARC-Profile"].rsplit("/", 1)[1] for headers, _ in found] == ["server-not-modified", "identical-payload-digest"]
    for (headers, _), old in zip(found, older, strict=True):
        assert headers["WARC-Refers-To"] == old["WARC-Record-ID"]
        assert headers["WARC-Refers-To-Date"] == old["WARC-Date"] != headers["WARC-Date"]
        assert headers["WARC-Refers-To-Target-URI"] == old["WARC-Target-URI"]
        assert headers["WARC-Payload-Digest"] == old["WARC-Payload-Digest"]
    assert found[0][1].get_statuscode() == "304"


def test_equal_bytes_that_are_to_be_read_otherwise_are_another_page(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", **{"Content-Type": "text/html; charset=gbk"})])
    crawl = Recrawl(tmp_path)
    crawl.answer(crawl.ask("a"), 200, page("a").body, Content_Type="text/html; charset=utf-8")
    crawl.end()
    assert kinds(tmp_path, SECOND) == ["response"]


def test_third_snapshot_refers_to_the_stored_page(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", ETag='"1"'), page("b", ETag='"1"')])
    second = Recrawl(tmp_path)
    second.answer(second.ask("a"), 304)
    second.answer(second.ask("b"), 200, b"new", ETag='"2"')
    second.end()
    third = Recrawl(tmp_path, THIRD)
    a, b = third.ask("a"), third.ask("b")
    assert (a.headers["If-None-Match"], b.headers["If-None-Match"]) == (b'"1"', b'"2"')
    third.answer(a, 304)
    third.answer(b, 304)
    assert third.end() == {"a": page("a").body, "b": b"new"}
    assert [(row.file[:10], row.of) for row in read_index(tmp_path, THIRD)] == [(FIRST, THIRD), (SECOND, THIRD)]
    whole = (tmp_path / INDEX).read_bytes()
    (tmp_path / INDEX).unlink()  # the files alone say all of it
    assert list(rows_of(tmp_path, THIRD)) and finish_crawl(tmp_path, THIRD, "live") == 2
    assert (tmp_path / INDEX).read_bytes() == whole


def test_a_redirected_request_does_not_inherit_conditions(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", ETag='"1"')])
    crawl = Recrawl(tmp_path)
    first = crawl.ask("a")
    crawl.answer(first, 302, Location="/other")
    assert "If-None-Match" not in crawl.ask("other", headers=first.headers).headers


def test_not_modified_without_a_condition_is_no_answer(tmp_path: Path) -> None:
    crawl = Recrawl(tmp_path)
    crawl.answer(crawl.ask("a"), 304)
    assert dict(crawl.archive.failed) == {"GET https://site.example/a": "HTTP status 304"}


def test_an_older_file_that_grows_takes_its_newer_rows_along(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("m", ETag='"1"')])
    second = Recrawl(tmp_path)
    second.answer(second.ask("m"), 304)
    second.end()
    late = Recrawl(tmp_path, FIRST)  # the older snapshot is crawled on, with a wider scope
    late.answer(late.ask("a"), 200, b"before it")
    late.end()
    assert bodies(tmp_path, FIRST) == {"a": b"before it", "m": page("m").body}
    assert bodies(tmp_path, SECOND) == {"m": page("m").body}


def test_resumed_crawl_finds_pages_in_a_grown_older_file(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("m", ETag='"1"')])
    killed = Recrawl(tmp_path)
    killed.answer(killed.ask("m"), 304)
    late = Recrawl(tmp_path, FIRST)
    late.answer(late.ask("a"), 200, b"before it")
    late.end()
    again = Recrawl(tmp_path)
    assert again.archive.process_request(Request("https://site.example/m")).body == page("m").body
    assert again.end() == {"m": page("m").body}


def test_replicas_that_are_crawled_anew_leave_newer_snapshots_their_pages(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", ETag='"1"'), page("b")], "embedded x")
    second = Recrawl(tmp_path, SECOND, "embedded y")
    second.answer(second.ask("a"), 304, ETag='"1"')
    second.answer(second.ask("b"), 200, b"new")
    before = second.end()
    write_snapshot(tmp_path, FIRST, [page("a", "changed")], "embedded z")
    assert bodies(tmp_path, FIRST) == {"a": page("a", "changed").body}
    assert bodies(tmp_path, SECOND) == before
    assert kinds(tmp_path, SECOND) == ["response", "response"]
    assert [row.file for row in read_index(tmp_path, SECOND)] == [segment(tmp_path, SECOND).name] * 2


def test_pages_of_the_replicas_are_no_older_pages_of_the_real_site(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", ETag='"1"')], "embedded x")
    assert "If-None-Match" not in Recrawl(tmp_path).ask("a").headers


def test_missing_older_file_is_reported_and_fetched_again(tmp_path: Path) -> None:
    write_snapshot(tmp_path, FIRST, [page("a", ETag='"1"')])
    second = Recrawl(tmp_path)
    second.answer(second.ask("a"), 304)
    second.end()
    segment(tmp_path, FIRST).unlink()
    [row] = read_index(tmp_path, SECOND)
    with pytest.raises(ValueError, match=rf"{FIRST}\.warc\.gz is missing, and with it GET https://site.example/a; .* `dvc checkout`"):
        read_page(tmp_path, row)
    again = Recrawl(tmp_path)
    again.answer(again.ask("a"), 200, b"anew")
    assert again.end() == {"a": b"anew"}


@pytest.mark.slow
def test_a_recrawl_asks_all_and_stores_what_changed(tmp_path: Path, run_toy: Callable[..., tuple[int, str]]) -> None:
    folder, fresh, asked = tmp_path / "toy", tmp_path / "fresh" / "toy", tmp_path / "asked"
    assert run_toy("crawl", folder, pages=50) == (0, "")
    size = segment(folder, "2026-11-20").stat().st_size
    assert run_toy("crawl", folder, pages=50, edition="neu", snapshot="2026-12-20", asked=asked) == (0, "")
    assert run_toy("crawl", fresh, pages=50, edition="neu", snapshot="2026-12-20") == (0, "")
    assert len(asked.read_text().splitlines()) == 52
    changed = [row.url for row in read_index(folder, "2026-12-20") if row.file.startswith("2026-12-20")]
    assert changed == [f"https://toy.example/p/{number}" for number in (0, 10, 20, 30, 40)]
    assert {row.page_id for row in read_index(folder, "2026-12-20")} == {row.page_id for row in read_index(fresh, "2026-12-20")}
    items = []
    for place in (folder, fresh):
        assert run_toy("extract", place, snapshot="2026-12-20") == (0, "")
        items.append((place.parent / "items.jsonl").read_bytes())
    assert items[0] == items[1] and b"neu" in items[0]
    assert run_toy("extract", folder) == (0, "")  # the older snapshot is read as before
    assert b"neu" not in (tmp_path / "items.jsonl").read_bytes()
    assert segment(folder, "2026-11-20").stat().st_size == size
    sent = gzip.decompress(segment(folder, "2026-12-20").read_bytes())
    assert (sent.count(b"If-None-Match: "), sent.count(b"server-not-modified")) == (52, 47)


@pytest.mark.slow
def test_a_site_with_sessions_is_read_the_same_again(tmp_path: Path, root: Path) -> None:
    """examcoo: pages with tokens and cookies, answers to POST, calls whose answer says nothing by itself."""

    def run(stage: str, snapshot: str, *paths: str) -> None:
        command = [sys.executable, "-m", f"crawlers.{stage}", "examcoo", "--snapshot", snapshot, *paths]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    found = []
    for folder, crawled in (("again", (FIRST, SECOND)), ("fresh", (SECOND,))):
        pages, items, metrics = (str(tmp_path / folder / name) for name in ("examcoo", "items.jsonl", "metrics.json"))
        for snapshot in crawled:
            run("crawl", snapshot, "--out", pages, "--metrics", metrics)
        run("extract", SECOND, "--pages", pages, "--out", items)
        found.append((Path(items).read_bytes(), Path(metrics).read_bytes()))
    assert found[0] == found[1]
    written = kinds(tmp_path / "again" / "examcoo", SECOND)
    assert written.count("response") < 5 < written.count("revisit")  # a redirect and a 404 are stored as they come
