"""Real crawls of a toy site over HTTP: interrupted, limited, refused; test_kills.py kills them."""

import http.server
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from atomexam.records.item import Item
from crawlers.store.part_writer import PartWriter
from crawlers.store.segments import read_index

Toy = Callable[..., tuple[int, str]]


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}  # a folder in it, as parts are, would fail here


@pytest.mark.slow
@pytest.mark.parametrize("ends_with", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_crawl_says_so_in_one_line(tmp_path: Path, start_toy: Callable, ends_with: int) -> None:
    asked = tmp_path / "asked"
    asked.touch()
    with start_toy("crawl", tmp_path / "toy", pages=2000, asked=asked) as process:
        while len(asked.read_text().splitlines()) < 40:
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(ends_with)
        _, errors = process.communicate(timeout=60)
    assert process.returncode in (1, 130) and "Traceback" not in errors and "memory" not in errors
    assert "interrupted; run the same command again" in errors or "stopped before its end (shutdown); fetched pages are kept" in errors


@pytest.mark.slow
def test_extract_reads_what_was_crawled(tmp_path: Path, run_toy: Toy) -> None:
    assert run_toy("crawl", tmp_path / "toy", pages=12) == (0, "")
    written = []
    for _ in range(2):
        assert run_toy("extract", tmp_path / "toy") == (0, "")
        written.append((tmp_path / "items.jsonl").read_text(encoding="utf-8"))
    assert written[0] == written[1]
    items = [msgspec.json.decode(line, type=Item) for line in written[0].splitlines()]
    assert [item.stem_raw for item in items[:4]] == ["第0页", "第1页", "第10页", "第11页"]  # sorted by url; odd pages came packed
    stored = {row.url: row.page_id for row in read_index(tmp_path / "toy", "2026-11-20")}
    assert len(items) == 12 and all(stored[item.url] == item.provenance.page_id for item in items)


@pytest.mark.slow
def test_changed_site_is_crawled_again(tmp_path: Path, run_toy: Toy) -> None:
    folder, asked = tmp_path / "toy", tmp_path / "asked"
    assert run_toy("crawl", folder, pages=3) == (0, "")
    assert run_toy("crawl", folder, pages=5, asked=asked) == (0, "")
    assert len(asked.read_text().splitlines()) == 7  # robots.txt, the start page, five pages
    assert sum(row.url.startswith("https://toy.example/p/") for row in read_index(folder, "2026-11-20")) == 5


@pytest.mark.slow
def test_pages_of_the_real_site_are_not_written_over(tmp_path: Path, run_toy: Toy) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    PartWriter(folder, "2026-11-20", "live").close()
    status, errors = run_toy("crawl", folder)
    assert status == 1 and "contains pages from the real site, snapshot 2026-11-20; set `sites: live`" in errors
    assert len(list(folder.iterdir())) == 1


@pytest.mark.slow
def test_max_pages_cuts_at_the_same_page_each_time(tmp_path: Path, run_toy: Toy) -> None:
    for run in ("first", "second"):
        assert run_toy("crawl", tmp_path / run, max_pages=10) == (0, "")
    assert folder_bytes(tmp_path / "first") == folder_bytes(tmp_path / "second")
    # All links of the start page wait before the first is followed, the last one first, however long an answer takes.
    wanted = {"/", "/robots.txt", *(f"/p/{number}" for number in range(21, 30))}
    assert {row.url.removeprefix("https://toy.example") for row in read_index(tmp_path / "first", "2026-11-20")} == wanted
    assert run_toy("extract", tmp_path / "first", max_pages=10)[0] == 0


@pytest.mark.slow
def test_pages_that_fail_fail_the_crawl_and_keep_the_others(tmp_path: Path, run_toy: Toy) -> None:
    folder, asked = tmp_path / "toy", tmp_path / "asked"
    status, errors = run_toy("crawl", folder, broken=2)
    assert status == 1
    assert "2 of 32 requests failed" in errors and "GET https://toy.example/p/29: HTTP status 500" in errors
    assert "Traceback" not in errors
    assert run_toy("crawl", folder, asked=asked) == (0, "")
    assert sorted(asked.read_text().splitlines()) == ["/p/28", "/p/29"]


@pytest.mark.slow
def test_a_failing_spider_fails_the_crawl(tmp_path: Path, run_toy: Toy) -> None:
    status, errors = run_toy("crawl", tmp_path / "toy", spider="failing")
    assert status == 1
    assert "error: crawl toy: the spider failed on 1 pages; fix crawlers/sources/toy/spider.py" in errors
    assert "https://toy.example/p/3: KeyError" in errors


@pytest.mark.slow
def test_page_that_breaks_the_spider_is_skipped_later(tmp_path: Path, run_toy: Toy) -> None:
    folder, asked = tmp_path / "toy", tmp_path / "asked"
    status, errors = run_toy("crawl", folder, loop="7,20", asked=asked)
    why = "breaks its reader: takes more than 0.5 seconds of computing"
    assert status == 0 and errors.count("takes more than 0.5 seconds of computing; the crawl continues without that page") == 2
    rows = [msgspec.json.decode(line) for line in (folder / "failed.jsonl").read_bytes().splitlines()]
    assert [(row["request"], row["why"]) for row in rows] == [(f"GET https://toy.example/p/{number}", why) for number in (20, 7)]
    assert len({row["reader"] for row in rows}) == 1 and all(row["reader"] for row in rows)
    assert sum(row.status == 200 for row in read_index(folder, "2026-11-20")) == 32  # all pages are kept, and each was asked for once
    asked_once = asked.read_text().splitlines()
    assert len(asked_once) == len(set(asked_once)) == 32
    before = folder_bytes(folder)
    assert run_toy("crawl", folder, loop="7,20") == (0, "")  # not read again: it would loop
    assert folder_bytes(folder) == before
    status, errors = run_toy("extract", folder, loop="7,20", share=0.1)
    assert status == 0 and errors.count("rejected: GET https://toy.example/p/") == errors.count(why) == 2
    items = [msgspec.json.decode(line, type=Item) for line in (tmp_path / "items.jsonl").read_bytes().splitlines()]
    assert [item.url.rsplit("/", 1)[1] for item in items if item.doubt] == ["20", "7"] and len(items) == 30


@pytest.mark.slow
def test_a_live_crawl_refuses_this_machine(tmp_path: Path, run_toy: Toy) -> None:
    asked: list[str] = []

    class Inside(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Inside) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        status, errors = run_toy("live", tmp_path / "toy", start=f"http://localhost:{server.server_port}/")
        server.shutdown()
    assert status == 1 and not asked
    assert "no page was fetched:" in errors and "/: not an address of the web: http, port" in errors  # test_manners.py has the rest
