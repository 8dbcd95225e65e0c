"""What is seen of a crawl: the bar on a terminal, the closing table, the figures that are kept."""

import json
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from msgspec.structs import replace
from scrapy.downloadermiddlewares import cookies

from crawlers.web.closing_table import Account, account_of, incomplete_reason, line, table
from crawlers.web.cookies import know_suffixes
from crawlers.web.run_spider import Outcome, first_lines

WHOLE = Account(pages={"200": 98, "404": 1}, failed={"timeout": 1}, forbidden=2, over_limit=3, off_site=4, items=1234)
LARGE = Account(pages={"200": 990}, failed={"timeout": 10}, items=1)
WALL = "a check of the browser by a script (HTTP status 521)"
SMALL = Account(pages={"200": 3}, failed={"timeout": 3}, items=1)


def run_crawl(root: Path, folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "crawlers.crawl", *flags, "--out", str(folder / "pages"), "--metrics", str(folder / "metrics.json")]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)


def test_the_table_shows_what_there_is(root: Path, tmp_path: Path) -> None:
    assert table("toy", WHOLE, 5_000_000).splitlines() == [
        "crawl toy: 105 requests",
        "  answered 200                        98",
        "  answered 404                         1",
        "  failed: timeout                      1",
        "  forbidden by robots.txt              2",
        "  beyond max_pages                     3",
        "  off the site, not requested          4",
        "  items                            1,234",
        "  bytes in the archive         5,000,000",
    ]
    assert table("toy", Account(pages={}, failed={})) == "crawl toy: 0 requests"


def test_an_embedded_crawl_ends_with_one_line() -> None:
    assert line("toy", WHOLE, 5_000_000) == (
        "crawl toy: 105 requests -> 1,234 items; 98 with status 200, 1 with status 404, 2 forbidden by robots.txt, 3 beyond max_pages, "
        "4 off the site, 5,000,000 bytes in the archive"
    )


def test_cookies_never_download_a_suffix_list(monkeypatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: pytest.fail("a host was looked up"))
    know_suffixes()
    assert cookies._is_public_domain("com.cn") and not cookies._is_public_domain("examcoo.com")
    assert cookies._split_domain.suffix_list_urls == () and not cookies._split_domain._cache.enabled


@pytest.mark.slow
def test_the_stage_writes_figures_that_are_the_same_each_time(root: Path, tmp_path: Path) -> None:
    written = []
    for run in ("one", "two"):
        done = run_crawl(root, tmp_path / run, "mxqe", "--sites", "embedded", "--max_pages", "10")
        assert done.returncode == 0 and "\ncrawl mxqe: " in f"\n{done.stderr}" and "\r" not in done.stderr, done.stderr
        written.append((tmp_path / run / "metrics.json").read_bytes())
    assert written[0] == written[1]
    figures = json.loads(written[0])
    assert list(figures) == ["pages", "failed", "forbidden", "over_limit", "off_site", "items", "noted"]
    assert sum(figures["pages"].values()) == 10 and figures["over_limit"] > 0 and figures["failed"] == {}


@pytest.mark.slow
def test_a_terminal_shows_a_bar(root: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 120))
    command = [sys.executable, str(Path(__file__).parents[1] / "toy_crawl.py"), "crawl", str(tmp_path / "toy"), "pages=150"]
    with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(root)}, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while piece := read_from(ours):
            shown += piece
    os.close(ours)
    assert process.returncode == 0, shown
    last = shown.decode().strip().splitlines()[-1].split("\r")[-1]
    assert last.startswith("toy: 15") and " pages/s" in last and "queued=0, errors=0, items=150" in last


def read_from(terminal: int) -> bytes:
    """Return what a terminal shows next, nothing when its other end is closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def outcome(reason: str = "finished", errors: int = 0, pages: int = 100, misfits: int = 0) -> Outcome:
    stats = {"finish_reason": reason, "response_received_count": pages, "log_count/ERROR": errors}
    return Outcome(stats=stats | {"misfit/count": misfits, "misfit/pages": ["http://a/1: no stem"] * misfits}, errors=[])


def walled(number: int) -> dict[str, str]:
    return {f"GET http://a/{page}": WALL for page in range(number)}


def failing(number: int) -> dict[str, str]:
    return {f"GET http://a/{page}": "timeout" for page in range(number)}


@pytest.mark.parametrize(
    ("ended", "failed", "account", "is_live", "says"),
    [
        (outcome(), {}, WHOLE, True, None),
        (outcome("shutdown"), {}, WHOLE, True, "stopped before its end (shutdown); fetched pages are kept"),
        (outcome(), {"GET http://a/1": "timeout"}, WHOLE, True, None),
        (outcome(), {"GET http://a/1": "timeout"}, WHOLE, False, "1 of 105 requests failed; see crawlers/embedded"),
        (outcome(), failing(3), WHOLE, True, None),  # a small site may have a few that never answer
        (outcome(), failing(4), WHOLE, True, "4 of 105 requests failed"),
        (outcome(), failing(10), LARGE, True, None),
        (outcome(), failing(11), LARGE, True, "11 of 1000 requests failed"),
        (outcome(), failing(1), Account(pages={"200": 1}, failed={"timeout": 1}, items=1), True, "1 of 2 requests failed"),
        (outcome(), failing(3), SMALL, True, "3 of 6 requests failed"),
        (outcome(), failing(2), Account(pages={"200": 3}, failed={"timeout": 2}, items=1), True, None),
        (outcome(), walled(9), Account(pages={"200": 3}, failed={WALL: 9}, items=1), True, "open the address in a browser"),
        (outcome("30 in a row"), walled(9), WHOLE, True, "open the address in a browser"),
        (outcome(misfits=50), {}, WHOLE, True, None),  # for extract to judge
        (outcome(misfits=51), {}, WHOLE, True, "51 of 100 pages do not fit the spider"),
        (outcome(misfits=51), {}, replace(WHOLE, items=0), True, "crawl a new `snapshot`"),
        (outcome(misfits=51), {}, WHOLE, False, None),
        (outcome(), {f"GET http://a/{n}": "redirect loop" for n in range(50)}, WHOLE, False, None),
        (outcome(), {"GET http://a/robots.txt": "HTTP status 503"}, WHOLE, False, None),
        (outcome(errors=1), {}, WHOLE, True, "1 errors (logged above)"),
        (outcome(pages=0), {}, replace(WHOLE, pages={}), True, "no page was fetched: robots.txt forbids 2 of"),
        (outcome(pages=0), {}, Account(pages={}, failed={}, off_site=1), True, "start_urls are not on the hosts of allowed_domains"),
        (
            outcome(pages=0),
            {},
            Account(pages={}, failed={}),
            True,
            "no page was fetched; check start_urls in crawlers/sources/toy/spider.py",
        ),
    ],
)
def test_incomplete_crawl_fails(ended: Outcome, failed: dict[str, str], account: Account, is_live: bool, says: str | None) -> None:
    why = incomplete_reason("toy", ended, failed, account, is_live)
    assert why is None if says is None else why is not None and why.startswith("crawl toy: ") and says in why


def test_robots_txt_does_not_count_as_a_page() -> None:
    failed = {"GET http://a.example/robots.txt": "timeout", "GET http://a.example/1": "robots.txt without answer: timeout"}
    assert account_of({}, {}, failed, 0).failed == {"robots.txt without answer": 1}


def test_long_urls_are_cut_in_messages() -> None:
    assert len(first_lines([f"GET http://a.example/{'y' * 20_000}: redirect loop"])) < 400
