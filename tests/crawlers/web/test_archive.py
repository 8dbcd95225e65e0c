"""The store of pages: what goes in comes out, a torn tail costs one page, and the bytes depend on the pages alone."""

import gzip
import shutil
import tempfile
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler
from warcio.archiveiterator import ArchiveIterator
from warcio.cli import main as warcio

from atomexam.records.provenance import page_id
from atomexam.runtime.archive_index import INDEX
from crawlers.html.source_spider import SourceSpider
from crawlers.store.exchanges import OLD_SESSION, SESSION_WORD, UNSTORED, Outdated
from crawlers.store.index import rows_of, scan
from crawlers.store.merging import finish, origins, stored_rows
from crawlers.store.part_writer import PartWriter, discard_foreign_parts, parts
from crawlers.store.request_keys import Key, request_key
from crawlers.store.segments import read_index, read_page, segment
from crawlers.store.warc import (
    Page,
    Revisit,
    SentRequest,
    header_value,
    page_member,
    payload_digest,
    read_member,
    request_member,
    revisit_member,
)
from crawlers.web.archive import ArchiveMiddleware, finish_crawl

SNAPSHOT = "2026-11-20"
DATE = "2026-11-20T00:00:00Z"
urls = st.text("abcxyz0123/%?=", min_size=1, max_size=12).map("https://site.example/".__add__)
file_names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).map("file:".__add__)
header_texts = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
headers = st.lists(st.tuples(st.sampled_from(["Content-Type", "Location", "Set-Cookie"]), header_texts), max_size=3).map(sorted)
bodies = st.sampled_from([b"", b"id=1", "页=2".encode("gbk")])
answers = st.builds(
    Page,
    key=st.builds(request_key, st.sampled_from(["GET", "POST"]), urls, bodies),
    date=st.just(DATE),
    status=st.sampled_from([200, 302, 404]),
    headers=headers,
    body=st.binary(max_size=200),
)
files = st.builds(Page, key=st.builds(Key, file_names), date=st.just(DATE), status=st.just(200), body=st.binary(max_size=200))
questions = bodies.flatmap(
    lambda body: st.builds(
        SentRequest,
        key=st.builds(request_key, st.just("POST"), urls, st.just(body)),
        date=st.just(DATE),
        headers=headers,
        body=st.just(body),
    )
)
revisits = st.builds(
    Revisit,
    key=st.builds(request_key, st.just("GET"), urls),
    date=st.just(DATE),
    status=st.sampled_from([200, 304]),
    headers=headers,
    page_id=st.just("page-0"),
    snapshot=st.just("2026-01-01"),
    older_date=st.just("2026-01-01T07:00:00Z"),
    payload=st.binary(max_size=20).map(payload_digest),
)


def page(number: int) -> Page:
    key = request_key("GET", f"https://site.example/{number}")
    return Page(key=key, date=DATE, status=200, headers=[("Content-Type", "text/html")], body=f"第{number}页".encode() * 50)


def asked(one: Page) -> SentRequest:
    return SentRequest(key=one.key, date=one.date, headers=[("Host", "site.example")])


def write_part(folder: Path, pages: list[Page], origin: str = "embedded 1") -> Path:
    writer = PartWriter(folder, SNAPSHOT, origin)
    for one in pages:
        writer.write(one, asked(one))
    writer.close()
    return writer.path


def stored_numbers(folder: Path, origin: str = "embedded 1", with_segment: bool = False) -> list[str]:
    return [row.url.rsplit("/", 1)[1] for _, row in stored_rows(folder, SNAPSHOT, origin, with_segment)]


def archive_of(folder: Path, snapshot: str = SNAPSHOT, origin: str = "live", **more: object) -> ArchiveMiddleware:
    wanted = {"ARCHIVE_FOLDER": str(folder), "ARCHIVE_SNAPSHOT": snapshot, "ARCHIVE_ORIGIN": origin, **more}
    crawler = get_crawler(settings_dict=wanted)
    crawler.spider = SourceSpider(name="toy")
    return ArchiveMiddleware(crawler)


@given(st.one_of(answers, files))
def test_page_round_trips(one: Page) -> None:
    assert read_member(page_member(one)) == one


@given(questions, revisits)
def test_requests_and_revisits_round_trip(request: SentRequest, seen: Revisit) -> None:
    assert read_member(request_member(request)) == request
    assert read_member(revisit_member(seen)) == seen


@given(answers)
def test_a_record_is_a_warc_record(one: Page) -> None:
    record = next(iter(ArchiveIterator(BytesIO(page_member(one)), check_digests=True)))
    assert record.rec_type == "response" and record.rec_headers.get_header("WARC-Target-URI") == one.key.url
    assert record.content_stream().read() == one.body
    assert record.digest_checker.passed is True
    assert record.rec_headers.get_header("WARC-Payload-Digest") == payload_digest(one.body)


def test_request_record_precedes_its_answer(tmp_path: Path) -> None:
    write_part(tmp_path, [page(1)])
    finish_crawl(tmp_path, SNAPSHOT, "embedded 1")
    with open(segment(tmp_path, SNAPSHOT), "rb") as file:
        kinds = [(record.rec_type, dict(record.rec_headers.headers), record.http_headers) for record in ArchiveIterator(file)]
    [(_, origin, _), (first, request, sent), (second, response, _)] = kinds
    assert (origin["WARC-Type"], first, second) == ("warcinfo", "request", "response")
    assert request["WARC-Concurrent-To"] == response["WARC-Record-ID"] != request["WARC-Record-ID"]
    assert (sent.protocol, sent.statusline, sent.get_header("Host")) == ("GET", "/1 HTTP/1.1", "site.example")


def test_digests_are_valid_for_any_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    older = write_snapshot(tmp_path, "2026-01-01", [page(1), page(2)])
    writer = PartWriter(tmp_path, SNAPSHOT, "live")
    writer.write_revisit(revisit_of(page(1)), asked(page(1)), older)
    writer.write(Page(key=request_key("POST", "https://site.example/3", b"a=1"), date=DATE, status=200, body=b"\xff" * 99), asked(page(3)))
    writer.close()
    finish_crawl(tmp_path, SNAPSHOT, "live")
    for snapshot in ("2026-01-01", SNAPSHOT):
        with pytest.raises(SystemExit) as end:
            warcio(["check", "-v", str(segment(tmp_path, snapshot))])
        assert end.value.code == 0 and "digest failed" not in capsys.readouterr().out


def test_a_header_in_a_foreign_charset_stays_an_address() -> None:
    assert header_value("/疾病?p=1".encode("gbk")) == "/%BC%B2%B2%A1?p=1"
    assert header_value(b"text/html; charset=gb2312") == "text/html; charset=gb2312"


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_truncated_part_keeps_all_but_its_last_page(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        part = write_part(folder, [page(number) for number in range(4)])
        whole, rows = part.read_bytes(), part.with_name("0000.jsonl")
        ends = [record.offset + record.length for record in scan(part)]
        cut = data.draw(st.integers(ends[0], len(whole)), label="bytes of the part that are left")
        part.write_bytes(whole[:cut])
        noted = data.draw(st.sampled_from(["all", "some", "none"]), label="rows beside it that are left")
        if noted == "some":
            rows.write_bytes(rows.read_bytes()[: data.draw(st.integers(0, rows.stat().st_size))])
        elif noted == "none":
            rows.unlink()
        left = stored_numbers(folder)
        assert left == [str(number) for number, end in enumerate(ends) if end <= cut]
        write_part(folder, [page(number) for number in range(len(left), 4)])  # the next run goes on in a part of its own
        assert len(parts(folder, SNAPSHOT)) == 2
        assert finish_crawl(folder, SNAPSHOT, "embedded 1") == 4
        assert [read_page(folder, row) for row in read_index(folder, SNAPSHOT)] == [page(number) for number in range(4)]


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
    assert origins(tmp_path, SNAPSHOT) == {"embedded 1", "live"}
    assert stored_numbers(tmp_path, "live", with_segment=True) == ["2"]
    discard_foreign_parts(tmp_path, SNAPSHOT, "live")
    assert sorted(path.name for path in (tmp_path / f"{SNAPSHOT}.part").iterdir()) == ["0001.jsonl", "0001.warc.gz"]


def test_a_finished_live_snapshot_is_kept_and_grows(tmp_path: Path) -> None:
    write_part(tmp_path, [page(1)], "live")
    finish_crawl(tmp_path, SNAPSHOT, "live")
    assert stored_numbers(tmp_path, "live", with_segment=True) == ["1"]
    write_part(tmp_path, [page(0), page(2)], "live")
    assert finish_crawl(tmp_path, SNAPSHOT, "live") == 3
    assert [read_page(tmp_path, row) for row in read_index(tmp_path, SNAPSHOT)] == [page(0), page(1), page(2)]


@pytest.mark.parametrize("index", ["stale", "gone"])
def test_kill_between_segment_and_index_loses_nothing(tmp_path: Path, index: str) -> None:
    write_part(tmp_path, [page(1)], "live")
    finish_crawl(tmp_path, SNAPSHOT, "live")
    before = (tmp_path / INDEX).read_bytes()
    write_part(tmp_path, [page(0)], "live")
    shutil.copytree(parts(tmp_path, SNAPSHOT)[0].parent, tmp_path / "kept")
    finish_crawl(tmp_path, SNAPSHOT, "live")
    whole = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    (tmp_path / "kept").rename(tmp_path / f"{SNAPSHOT}.part")
    if index == "stale":
        (tmp_path / INDEX).write_bytes(before)
    else:
        (tmp_path / INDEX).unlink()
    assert [row.url[-1] for row in rows_of(tmp_path, SNAPSHOT)] == ["0", "1"]
    assert stored_numbers(tmp_path, "live", with_segment=True) == ["0", "1", "0"]
    assert finish_crawl(tmp_path, SNAPSHOT, "live") == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == whole


@pytest.mark.parametrize("left", ["all parts", "parts on their way out", "half of them"])
def test_kill_during_removal_of_parts_loses_nothing(tmp_path: Path, left: str) -> None:
    write_part(tmp_path, [page(1)])
    write_part(tmp_path, [page(0)])
    place = tmp_path / f"{SNAPSHOT}.part"
    shutil.copytree(place, tmp_path / "kept")
    finish_crawl(tmp_path, SNAPSHOT, "embedded 1")
    whole = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    (tmp_path / "kept").rename(place if left == "all parts" else tmp_path / f"{SNAPSHOT}.done")
    if left == "half of them":
        (tmp_path / f"{SNAPSHOT}.done" / "0000.warc.gz").unlink()
    discard_foreign_parts(tmp_path, SNAPSHOT, "embedded 1")
    missing = {"0", "1"} - set(stored_numbers(tmp_path))
    assert missing == ({"1"} if left == "half of them" else set())
    write_part(tmp_path, [page(int(number)) for number in missing])
    finish_crawl(tmp_path, SNAPSHOT, "embedded 1")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == whole


def test_reports_file_that_differs_from_the_index(tmp_path: Path) -> None:
    write_part(tmp_path, [page(1), page(2)])
    finish_crawl(tmp_path, SNAPSHOT, "embedded 1")
    first, second = read_index(tmp_path, SNAPSHOT)
    wrong = msgspec.structs.replace(second, url=first.url)
    with pytest.raises(ValueError, match=r"2026-11-20\.warc\.gz at \d+: not GET https://site.example/1"):
        read_page(tmp_path, wrong)


def test_an_answer_that_the_spider_calls_a_refusal_is_not_stored(tmp_path: Path) -> None:
    class Walled(SourceSpider):
        name = "walled"

        def refusal(self, response: Response) -> str | None:
            return "asks for a log-in" if "登录" in response.text else None

    archive = archive_of(tmp_path)
    archive.refusals._crawler.spider = Walled()
    request = Request("https://site.example/1")
    packed = {"Content-Encoding": "gzip", "Content-Type": "text/html"}
    wall = archive.process_response(request, Response(request.url, headers=packed, body=gzip.compress("请登录".encode())))
    assert wall.status == 403 and dict(archive.failed) == {"GET https://site.example/1": "asks for a log-in"}
    assert archive.process_request(request) is None  # and it is asked for again
    archive.process_response(request, Response(request.url, headers=packed, body=gzip.compress("第一页".encode())))
    assert not archive.failed and archive.process_request(request).status == 200


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (521, "<script>document.cookie='a=1';location.href='/'</script>", "a check of the browser by a script (HTTP status 521)"),
        (403, "<form>请输入验证码<input name=c></form>", "a captcha (HTTP status 403)"),
        (403, "<h1>403</h1>", "HTTP status 403"),
        (502, "<h1>Bad Gateway</h1>", "HTTP status 502"),
    ],
)
def test_a_wall_with_an_error_status_is_named_and_not_asked_at_once_again(tmp_path: Path, status: int, body: str, why: str) -> None:
    archive = archive_of(tmp_path)
    request = Request("https://site.example/1")
    answer = HtmlResponse(request.url, status=status, body=body.encode(), encoding="utf-8")
    seen = archive.process_response(request, answer)
    assert dict(archive.failed) == {"GET https://site.example/1": why}
    assert seen.status == (502 if status == 502 else 403)  # 403 is none of RETRY_HTTP_CODES


def test_first_of_two_concurrent_answers_counts(tmp_path: Path) -> None:
    archive = archive_of(tmp_path)
    request = Request("https://site.example/1")
    archive.process_response(request, Response(request.url, body=b"first"))
    assert archive.process_response(request.copy(), Response(request.url, body=b"second")).body == b"first"


def test_session_words_are_not_part_of_keys(tmp_path: Path) -> None:
    archive = archive_of(tmp_path)

    def ask(word: str, old: bool = False) -> Request:
        return Request("https://site.example/t/" + word, body=f"t={word}".encode(), meta={SESSION_WORD: word, OLD_SESSION: old})

    assert archive.process_request(ask("abc123")) is None
    archive.process_response(ask("abc123"), Response("https://site.example/t/abc123", body=b"1"))
    assert archive.process_request(ask("xyz789", old=True)).body == b"1"
    with pytest.raises(Outdated):
        archive.process_request(Request("https://site.example/other/abc123", meta={SESSION_WORD: "abc123", OLD_SESSION: True}))
    page_again = Request("https://site.example/page", meta={UNSTORED: True})
    archive.process_response(page_again, Response(page_again.url, body=b"2"))
    archive.spider_closed()
    finish_crawl(tmp_path, SNAPSHOT, "live")
    [row] = read_index(tmp_path, SNAPSHOT)
    assert row.url == "https://site.example/t/-" and b"abc123" not in gzip.decompress(segment(tmp_path, SNAPSHOT).read_bytes())


def write_snapshot(folder: Path, snapshot: str, pages: list[Page], origin: str = "live"):
    """Write a finished snapshot; return where its first page lies."""
    writer = PartWriter(folder, snapshot, origin)
    for one in pages:
        writer.write(one, asked(one))
    writer.close()
    finish(folder, snapshot, origin, with_segment=origin == "live")
    row = next(read_index(folder, snapshot))
    return row.own(row.file)


def revisit_of(one: Page, snapshot: str = "2026-01-01") -> Revisit:
    return Revisit(
        key=one.key,
        date=DATE,
        status=304,
        page_id=page_id(one.key.url, one.body),
        snapshot=snapshot,
        older_date=one.date,
        payload=payload_digest(one.body),
    )
