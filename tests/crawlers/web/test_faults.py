"""The web as it is: real crawls of a server that fails in every way, and the words for each."""

import gzip
import random
import signal
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scrapy.exceptions import CannotResolveHostError, DownloadCancelledError, DownloadFailedError, ResponseDataLossError
from twisted.internet.error import ConnectionLost

from atomexam.text.encodings import true_encoding
from crawlers.web import failure_causes as faults
from crawlers.web.bodies import flaw, unpacked, zstd
from crawlers.web.failure_causes import cause, is_passing, of_answer, of_exception

Crawl = Callable[..., dict[str, Any]]
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw": lambda text: zlib.compress(text, wbits=-15),
    "br": brotli.compress,
    "zstd": zstd.compress,
}
QUICK = {"CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "DOWNLOAD_TIMEOUT": 2}


@pytest.mark.slow
def test_every_page_that_ever_answers_is_read_once_and_every_other_has_its_cause(crawl_faults: Crawl) -> None:
    result = crawl_faults(pages=300, seed=1, settings=QUICK)
    read, failed = result["expected"]
    assert Counter(result["read"]) == Counter(read)
    # Those of robots.txt are told by its pages, and the steps of a redirect fail with the page that it stands for.
    steps = {request for request in result["failed"] if request.endswith("/robots.txt") or "/step/" in request or "/turn?" in request}
    assert {request: cause(why) for request, why in result["failed"].items() if request not in steps} == {
        request: cause(why) for request, why in failed.items()
    }
    forbidden, over_limit, off_site, items, asked = result["sums"]
    assert (forbidden, over_limit, items) == (7, 0, len(read))
    pages_failed = [request for request in result["failed"] if not request.endswith("/robots.txt")]
    assert asked == sum(result["pages"].values()) + len(pages_failed) + forbidden
    assert sum(result["pages"][status] for status in ("404", "410", "414")) == result["gone"]
    assert result["errbacks"] == len(failed) + forbidden + off_site + result["gone"]  # the spider hears of each, and once
    # A page by several addresses that are one is asked for once, and what does not fail is asked for once.
    whole = Counter(path.partition("?")[0] for path in Counter(result["asked"]).elements() if path.startswith("/plain/0/"))
    assert set(whole.values()) == {1}
    assert result["errors"] == [0] and result["reason"] == "finished"
    # Replayed, the pages give the same: what was torn is not stored, what lied about its encoding is read alike.
    assert Counter(crawl_faults(mode="replay")["read"]) == Counter(read)


@pytest.mark.slow
def test_a_page_that_links_to_the_next_without_end_is_cut_at_max_pages(crawl_faults: Crawl) -> None:
    result = crawl_faults(start=["http://faults.example/endless?page=1"], max_pages=50)
    assert result["pages"] == {"200": 50}
    assert result["sums"] == [0, 1, 0, 49, 51] and result["reason"] == "finished"


@pytest.mark.slow
def test_a_killed_crawl_has_the_figures_of_a_whole_one(crawl_faults: Crawl, start_faults: Callable, tmp_path: Path) -> None:
    flags = {"pages": 120, "seed": 2, "slow": False, "settings": {"CONCURRENT_REQUESTS": 4}}
    whole = crawl_faults("whole", **flags)
    folder, size = tmp_path / "killed", (tmp_path / "whole" / "2026-11-20.warc.gz").stat().st_size
    for share in (0.25, 0.5):
        with start_faults(folder, tmp_path / "killed.json", **flags) as process:
            while sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < size * share:
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
    killed = crawl_faults("killed", **flags)
    for figure in ("pages", "sums", "failed", "errbacks"):
        assert killed[figure] == whole[figure], figure
    assert Counter(killed["read"]) == Counter(whole["read"])


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (CannotResolveHostError("dns"), "host not found"),
        (DownloadCancelledError("Expected to receive 50 bytes"), "too large"),
        (DownloadCancelledError("too large: over 9 bytes when unpacked"), "too large: over 9 bytes when unpacked"),
        (ResponseDataLossError(), "truncated body"),
        (ResponseDataLossError("truncated body: br"), "truncated body: br"),
        (ResponseDataLossError("empty body"), "empty body"),
        (DownloadFailedError("[<Failure at 0x7f>]"), "connection lost"),
        (ConnectionLost(), "connection lost"),
        (OSError(113, "No route to host"), "connection lost"),
        (KeyError("x"), "KeyError: 'x'"),
    ],
)
def test_a_failure_has_words_without_addresses_or_times(error: Exception, words: str) -> None:
    assert of_exception(error) == words


@pytest.mark.parametrize(
    ("url", "status", "location", "why"),
    [
        ("http://a.example/1", 200, None, None),
        ("http://a.example/1", 404, None, None),
        ("http://a.example/1", 410, None, None),
        ("http://a.example/1", 414, None, None),
        *(
            ("http://a.example/1", status, None, f"HTTP status {status}")
            for status in (400, 402, 405, 406, 409, 412, 416, 418, 444, 451, 499)
        ),
        *(("http://a.example/robots.txt", status, None, None) for status in (400, 404, 405, 451)),
        ("http://a.example/robots.txt", 429, None, "HTTP status 429"),
        ("http://a.example/1", 302, "/2", None),
        ("http://a.example/1", 302, "/1", faults.REDIRECT_LOOP),
        ("http://a.example/1#x", 302, "http://a.example/1", faults.REDIRECT_LOOP),
        ("http://a.example/1", 302, "http://[", None),
        ("http://a.example/1", 403, None, "HTTP status 403"),
        ("http://a.example/robots.txt", 403, None, None),
        ("http://a.example/robots.txt", 503, None, "HTTP status 503"),
        ("http://a.example/1", 567, None, "HTTP status 567"),
    ],
)
def test_an_answer_is_one_or_says_why_not(url: str, status: int, location: str | None, why: str | None) -> None:
    assert of_answer(url, status, location) == why


def test_only_permanent_failures_are_not_retried() -> None:
    assert is_passing("HTTP status 503") and is_passing("truncated body: gzip") and is_passing("blocked, says the page")
    assert not is_passing("too large: over 9 bytes when unpacked") and not is_passing(faults.REDIRECT_LOOP)


@pytest.mark.slow
@given(st.binary(max_size=2000), st.integers(1, 60), st.sampled_from(["gzip", "deflate", "raw", "br", "zstd"]))
def test_detects_truncated_bodies(text: bytes, cut: int, packing: str) -> None:
    body = PACK[packing](text)
    encoding = b"deflate" if packing == "raw" else packing.encode()
    assume(len(body) > cut)
    assert flaw(body, [encoding], 4000) is None
    assert flaw(body[:-cut], [encoding], 4000) == f"truncated body: {encoding.decode()}"


@given(st.binary(max_size=300), st.sampled_from([b"gzip", b"deflate", b"br", b"zstd", b"gzip, br", b"UTF-8", b""]))
def test_any_bytes_are_judged(body: bytes, encoding: bytes) -> None:
    torn = (f"truncated body: {name}" for name in PACK)
    assert flaw(body, [encoding], 1000) in (None, *torn, "too large: over 1000 bytes when unpacked", f"{faults.NOT_PACKED}: gzip")


def test_distinguishes_uncompressed_from_truncated_bodies() -> None:
    assert flaw(b"<html>page</html>", [b"gzip"], 99) == f"{faults.NOT_PACKED}: gzip"
    assert flaw(brotli.compress(b"<html>"), [b"x-gzip, br"], 99) == f"{faults.NOT_PACKED}: x-gzip"
    assert flaw(gzip.compress(b"page")[:1], [b"gzip"], 99) == "truncated body: gzip"
    assert of_exception(ResponseDataLossError(f"{faults.NOT_PACKED}: gzip")) == f"{faults.NOT_PACKED}: gzip"


def test_checks_bodies_compressed_twice_or_in_members() -> None:
    twice = brotli.compress(gzip.compress(b"page"))
    assert flaw(twice, [b"gzip", b"br"], 99) is None
    assert flaw(twice, [b"gzip, br"], 3) == "too large: over 3 bytes when unpacked"
    assert flaw(gzip.compress(b"one") + gzip.compress(b"two") + b"\0" * 9, [b"gzip"], 99) is None
    assert flaw(gzip.compress(b"one") + gzip.compress(b"two")[:-5], [b"gzip"], 99) == "truncated body: gzip"


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_limits_streams_and_layers_of_a_body(packing: str) -> None:
    text, part = random.Random(1).randbytes(200_000), PACK[packing](b"part")
    body = b"".join(PACK[packing](text[at : at + 1000]) for at in range(0, len(text), 1000))
    assert unpacked(body, [packing.encode()]) == text
    assert flaw(part * 40_000, [packing.encode()], 1 << 25) == "too large: over 1024 compressed streams"
    assert flaw(part, [packing.encode()] * 5, 99) == "too large: packed 5 times"


@pytest.mark.parametrize(
    ("written", "declared", "read"),
    [
        ("gbk", "utf-8", "gb18030"),
        ("gbk", "gb18030", "gb18030"),
        ("gbk", "cp1252", "gb18030"),
        ("gbk", None, "gb18030"),
        ("utf-8", "gb18030", "utf-8"),
        ("utf-8", "cp1252", "utf-8"),
        ("utf-8", None, "utf-8"),
        ("utf-8", "utf-8", "utf-8"),
        ("big5", "big5hkscs", "big5hkscs"),
    ],
)
@pytest.mark.parametrize("cut", [0, 1])
def test_a_page_is_read_in_the_encoding_that_it_is_written_in(written: str, declared: str | None, read: str, cut: int) -> None:
    text = "<p>關於本病下列說法正確的是哪一項</p>" if written == "big5" else "<p>关于本病，下列说法正确的是哪一项</p>"
    body = text.encode(written)
    assert true_encoding(body, declared) == read
    # A character cut in two, as a summary's last often is, changes nothing.
    cut_body = body * 8 + text[:8].encode(written)[:-1] + b"...</p>" if cut else body
    assert true_encoding(cut_body, declared) == read


def test_a_french_page_stays_french() -> None:
    body = "<p>élève à la forêt, été</p>".encode("cp1252")
    assert true_encoding(body, "cp1252") == "cp1252"


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=8, max_size=200))
def test_chinese_is_read_whatever_is_declared(text: str) -> None:
    for written in ("utf-8", "gb18030"):
        body = f"<p>{text}</p>".encode(written)
        for declared in (None, "utf-8", "gb18030"):
            if written == "gb18030" != declared and _is_valid(body):  # 一 in GBK is a letter of Abkhaz in UTF-8
                continue
            assert body.decode(true_encoding(body, declared)) == f"<p>{text}</p>"


def _is_valid(body: bytes) -> bool:
    try:
        return bool(body.decode())
    except UnicodeDecodeError:
        return False
