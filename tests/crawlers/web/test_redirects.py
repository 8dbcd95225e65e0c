"""Where redirects lead: real crawls of a site whose pages all lead to one place, off the site, to a page for signing in, or nowhere."""

from collections.abc import Callable
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from crawlers.html.source_spider import SourceSpider
from crawlers.web import failure_causes as faults
from crawlers.web.failure_causes import REFUSED, cause, refuse
from crawlers.web.redirect_chains import begin

Crawl = Callable[..., dict[str, Any]]
NOW = {"AUTOTHROTTLE_START_DELAY": 0, "RETRY_TIMES": 0, "SECOND_ROUND_PAUSE": 0, "RETRY_AFTER": 0}


def causes(result: dict[str, Any], kind: str) -> list[str]:
    """Return why each page of a kind failed."""
    return [cause(why) for request, why in result["failed"].items() if f"/{kind}/" in request]


@pytest.mark.slow
@pytest.mark.parametrize("deaf", [True, False])
@pytest.mark.parametrize(
    ("kind", "why", "told"),
    [
        ("parked", faults.OTHER_SITE, "30 of 32 requests were redirected to parking.example"),
        ("sorry", faults.REQUESTED_BEFORE, "requests were redirected to http://faults.example/plain/0/1"),
    ],
)
def test_pages_redirected_to_one_url_are_reported_and_retried(crawl_faults: Crawl, kind: str, why: str, told: str, deaf: bool) -> None:
    flags = {"start": [f"http://faults.example/list-of/{kind}"], "deaf": deaf, "origin": "live"}
    down = crawl_faults(**flags)
    # Ten that carry something may meet in one page, as the halves of an article do.
    assert set(causes(down, kind)) == {why} and len(causes(down, kind)) == (30 if deaf or kind == "parked" else 20)
    assert told in down["complaint"] and "open it in a browser" in down["complaint"]
    assert down["sums"][-1] == 32 == sum(down["pages"].values()) + len(causes(down, kind))
    well = crawl_faults(well=True, **flags)
    assert len(well["read"]) >= 30 - (0 if deaf or kind == "parked" else 10) + 1
    assert causes(well, kind) == [] and well["complaint"] is None and down["unanswered"] == well["unanswered"] == 0


@pytest.mark.slow
def test_steps_that_end_off_the_site_are_not_stored(crawl_faults: Crawl) -> None:
    result = crawl_faults(start=["http://faults.example/list-of/two-steps"], deaf=True)
    assert causes(result, "two-steps") == [faults.OTHER_SITE] * 30 == causes(result, "parked")
    assert result["pages"] == {"200": 2}


@pytest.mark.slow
def test_pages_that_moved_for_good_to_one_address_are_stored_and_counted(crawl_faults: Crawl) -> None:
    flags = {"start": ["http://faults.example/list-of/renamed"], "deaf": True}
    result = crawl_faults(**flags)
    assert result["pages"] == {"200": 2, "301": 30} and result["failed"] == {} and len(result["read"]) == 1
    assert "30 of 32 requests were redirected to http://faults.example/plain/0/1" in result["complaint"]
    assert crawl_faults(mode="replay", **flags)["read"] == result["read"]


@pytest.mark.slow
def test_a_redirect_that_cannot_be_followed_has_its_cause(crawl_faults: Crawl) -> None:
    result = crawl_faults(start=["http://faults.example/list-of/nowhere"], deaf=True)
    assert causes(result, "nowhere") == [faults.UNREADABLE_REDIRECT] * 30 and result["pages"] == {"200": 2}


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [1, 16])
@pytest.mark.parametrize("kind", ["members", "signed-out"])
def test_crawl_ends_at_a_wall_at_any_concurrency(crawl_faults: Crawl, at_once: int, kind: str) -> None:
    settings = NOW | {"GIVE_UP_AFTER": 5, "CONCURRENT_REQUESTS": at_once, "CONCURRENT_REQUESTS_PER_DOMAIN": at_once}
    flags = {"mode": "manners", "origin": "live", "start": [f"http://faults.example/list-of/{kind}"], "delay": 0, "settings": settings}
    result = crawl_faults(**flags)
    assert result["reason"] == "5 pages in a row were redirected to http://faults.example/login: the site requires a log-in"
    assert set(causes(result, kind)) <= {faults.LOG_IN} and "登录" not in result["read"]  # of many at a time the end overtakes some
    # No redirect to the wall was stored: when the site lets in again, the same snapshot goes on.
    well = crawl_faults(well=True, **flags)
    assert len(well["read"]) == 31 and well["reason"] == "finished" and well["complaint"] is None


@pytest.mark.slow
def test_a_replay_reads_what_a_crawl_with_redirects_read(crawl_faults: Crawl) -> None:
    flags = {"start": ["http://faults.example/list-of/sorry"], "max_pages": 20}
    crawled = crawl_faults(**flags)
    assert set(crawl_faults(mode="replay", **flags)["read"]) == set(crawled["read"])


@pytest.mark.slow
def test_respects_a_pause_of_an_hour(crawl_faults: Crawl) -> None:
    start = ["http://faults.example/leave-me", "http://faults.example/same"]
    result = crawl_faults(mode="manners", start=start, delay=0, settings=NOW | {"CONCURRENT_REQUESTS": 1})
    told = "faults.example requests a pause of 3600 seconds (Retry-After); run the crawl again after that"
    assert result["reason"] == told and told in result["complaint"]
    assert result["asked"]["/leave-me"] == 1


def test_refusals_are_recorded_under_the_original_request() -> None:
    crawler = get_crawler(Spider)
    first = Request("http://a.example/x", method="POST", body=b"q=1")
    second = begin(first, Request("http://a.example/login", meta={"redirect_urls": [first.url]}))
    third = begin(second, Request("http://b.example/", meta=second.meta))
    refuse(crawler.stats, third, "redirect to another site: b.example")
    [request] = crawler.stats.get_value(REFUSED)
    assert request.startswith("POST http://a.example/x ") and len(request.split(" ")[2]) == 64


def test_an_item_is_seen_at_an_address_without_fragment() -> None:
    made = SourceSpider.from_crawler(get_crawler(SourceSpider), name="toy")
    page = Response("https://toy.example/1#part")
    question, entry = made.question(page, "q1"), made.entity(page, "disease", name_raw="病")
    assert {question.url, question.provenance.url, entry.url, entry.provenance.url} == {"https://toy.example/1"}
