"""The queue of a crawl: last in, first out, whatever lies packed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from scrapy import FormRequest, Request
from scrapy.utils.test import get_crawler

from crawlers.html.source_spider import SourceSpider
from crawlers.web import broken_pages, extensions, request_queue
from crawlers.web.request_queue import RequestQueue

CHUNK = 3


class Page(Struct, frozen=True):
    """A value such as spiders hand on."""

    name: str


class Reader(SourceSpider):
    name = "reader"
    allowed_domains = ("site.example",)

    def read(self, response: object, page: Page) -> None:
        """Read nothing."""


@pytest.fixture(scope="module")
def crawler():
    made = get_crawler(Reader)
    made.spider = Reader()
    return made


@pytest.fixture(autouse=True, scope="module")
def small_chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request_queue, "_CHUNK_REQUESTS", CHUNK)
        yield


def request(number: int, spider: Reader) -> Request:
    url = f"https://site.example/{number}"
    if number % 5 == 4:
        return Request(url, callback=lambda response: None)  # no method of the spider: cannot be packed
    if number % 5 == 3:
        return FormRequest(url, formdata={"页": str(number)}, callback=spider.read, cb_kwargs={"page": Page(str(number))})
    return Request(url, spider.read, priority=number, cb_kwargs={"page": Page(str(number))}, meta={"depth": number}, dont_filter=True)


@given(st.lists(st.booleans(), max_size=60))
def test_queue_is_last_in_first_out(crawler, steps: list[bool]) -> None:
    queue, plain = RequestQueue.from_crawler(crawler, "0"), []
    for number, adds in enumerate(steps):
        if adds:
            one = request(number, crawler.spider)
            queue.push(one)
            plain.append(one)
        else:
            got, wanted = queue.pop(), plain.pop() if plain else None
            assert (got is None) == (wanted is None)
            if wanted is not None:
                assert type(got) is type(wanted)
                assert all(getattr(got, name) == getattr(wanted, name) for name in wanted.attributes)
        assert len(queue) == len(plain) and bool(queue) == bool(plain)


def test_computing_between_pages_is_not_charged_to_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks, renewed = list[Callable[[], None]](), list[float]()
    monkeypatch.setattr(extensions, "LoopingCall", ticks.append)
    monkeypatch.setattr(broken_pages, "renew_cpu_limit", renewed.append)
    extensions.Timers()
    ticks[0]()
    assert renewed == [broken_pages.PAGE_SECONDS]


@pytest.mark.slow
def test_crawl_frees_timers_of_answered_requests(tmp_path: Path, run_toy: Callable[..., tuple[int, str]]) -> None:
    assert run_toy("crawl", tmp_path / "toy", pages=1500, timers=tmp_path / "timers") == (0, "")
    assert int((tmp_path / "timers").read_text()) < 1000  # without a timer that goes off, two for each page
