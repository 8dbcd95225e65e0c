"""How a crawl behaves towards sites and towards the network that it runs in: real crawls with everything on that live mode has."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request, Spider
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.resolver import dnscache
from scrapy.utils.test import get_crawler
from twisted.internet.testing import MemoryReactorClock

from crawlers.web.download import Pauses, seconds_named
from crawlers.web.failure_causes import HOST_NOT_FOUND, NO_ROBOTS, NOT_PUBLIC, NOT_THE_WEB, REFUSED, cause
from crawlers.web.hosts import Hosts, PublicResolver, is_public, literal, refused
from crawlers.web.redirect_chains import begin

Crawl = Callable[..., dict[str, Any]]
NOW = {"AUTOTHROTTLE_START_DELAY": 0, "RETRY_TIMES": 0, "SECOND_ROUND_PAUSE": 0, "RETRY_AFTER": 0}
PASSWORD = "hunter2"  # in addresses of the fault server
LOOPBACK = ["localhost", "localhost.", "127.0.0.1", "2130706433", "0x7f.1", "127.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"]


def gaps(result: dict[str, Any], host: str) -> list[float]:
    """Return the seconds between the requests that a host got."""
    moments = [moment for name, moment in result["times"] if name == host]
    return [after - before for before, after in pairwise(moments)]


@pytest.mark.slow
def test_live_crawl_never_contacts_its_own_network(crawl_faults: Crawl) -> None:
    start = [f"http://{host}:PORT/page" for host in LOOPBACK] + ["http://169.254.169.254/latest/meta-data/", "http://168.63.129.16/"]
    domains = [*(host.strip("[]") for host in LOOPBACK), "169.254.169.254", "168.63.129.16"]
    result = crawl_faults(mode="live", start=start, domains=domains, delay=0, settings=NOW | {"WEB_PORTS": []})
    assert result["asked"] == {}
    pages = {request: why for request, why in result["failed"].items() if not request.endswith("/robots.txt")}
    # On a busy machine the refusal of a robots.txt may come late; then its page is left out for want of one.
    assert len(pages) == len(start) and {cause(why) for why in pages.values()} - {NO_ROBOTS} == {NOT_PUBLIC}


@pytest.mark.slow
def test_live_crawl_uses_only_standard_ports(crawl_faults: Crawl) -> None:
    result = crawl_faults(mode="live", start=["http://localhost:PORT/", "https://localhost:22/"], domains=["localhost"], settings=NOW)
    assert result["asked"] == {} and {cause(why) for why in result["failed"].values()} == {NOT_THE_WEB}


@pytest.mark.slow
def test_a_proxy_of_the_environment_is_not_used(crawl_faults: Crawl) -> None:
    env = {"http_proxy": "http://127.0.0.1:PORT", "https_proxy": "http://127.0.0.1:PORT", "no_proxy": ""}
    open_to_all = {"TWISTED_DNS_RESOLVER": "scrapy.resolver.CachingThreadedResolver"}  # or the proxy's own address would be refused
    result = crawl_faults(mode="live", start=["http://faults.example/same"], env=env, delay=0, settings=NOW | open_to_all)
    assert result["asked"] == {}
    assert result["failed"]["GET http://faults.example/robots.txt"] == HOST_NOT_FOUND
    # And so a crawl without network says what it lacks, in one line.
    assert "1 of 1 requests failed" in result["complaint"]
    assert "check the network, or set `sites: embedded`" in result["complaint"] and HOST_NOT_FOUND in result["complaint"]


@pytest.mark.slow
def test_the_proxy_that_the_user_names_is_used_and_gets_no_address_of_the_own_network(crawl_faults: Crawl) -> None:
    env = {"ATOMEXAM_PROXY": "http://somebody:word@127.0.0.1:PORT"}
    start = ["http://faults.example/same", "http://127.0.0.1/plain/0/1"]
    result = crawl_faults(mode="live", start=start, domains=["faults.example", "127.0.0.1"], env=env, delay=0, settings=NOW)
    assert len(result["read"]) == 5 and set(result["asked"]) == {"/robots.txt", "/same", *(f"/plain/0/{n}" for n in range(5))}
    assert "Proxy-Authorization: Basic c29tZWJvZHk6d29yZA==" in result["heads"]
    assert result["failed"] == {"GET http://127.0.0.1/plain/0/1": f"{NOT_PUBLIC}: 127.0.0.1 is 127.0.0.1"}


@pytest.mark.slow
def test_a_live_crawl_is_polite(crawl_faults: Crawl) -> None:
    start = ["http://slow.faults.example/same", "http://faults.example/busy", "http://faults.example/same"]
    env = {"ATOMEXAM_CONTACT": "crawler@example.org"}
    result = crawl_faults(mode="manners", start=start, env=env, delay=0.3, settings=NOW | {"RETRY_TIMES": 1})
    assert len(result["read"]) == 5 + 1 + 5
    # A busy machine lets a request arrive a little late, and so the next a little early.
    assert min(gaps(result, "slow.faults.example")) >= 0.6 - 0.1  # its Crawl-delay
    assert min(gaps(result, "faults.example")) >= 0.3 / 2 - 0.1  # the delay asked for: Scrapy varies it by half
    assert max(gaps(result, "faults.example")) >= 1 - 0.1  # Retry-After: nothing of the host is asked in between
    agents = {head for head in result["heads"] if head.startswith(("User-Agent:", "Referer:", "From:"))}
    assert agents == {"User-Agent: Mozilla/5.0 (compatible; atomexam; +https://github.com/atomexam/atomexam; crawler@example.org)"}


@pytest.mark.slow
def test_crawl_ends_when_the_site_stops_answering(crawl_faults: Crawl) -> None:
    result = crawl_faults(
        mode="manners", start=["http://faults.example/down"], delay=0, settings=NOW | {"GIVE_UP_AFTER": 5, "CONCURRENT_REQUESTS": 1}
    )
    assert result["reason"] == "5 requests in a row got no answer; cause of the last failure: HTTP status 503"
    assert sum(result["asked"].values()) < 20
    assert "stopped before its end (5 requests in a row got no answer; cause of the last failure: HTTP status 503)" in result["complaint"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "says"),
    [
        ("http://forbids.faults.example/plain/0/1", "robots.txt forbids 1 of 1 requests; ask the site"),
        ("http://down.faults.example/plain/0/1", "a site whose robots.txt cannot be fetched is not crawled"),
        ("http://faults.example/403/99/1", "the site refuses; set ATOMEXAM_CONTACT"),
        ("http://other.example/", "start_urls are not on the hosts of allowed_domains"),
        ("http://faults.example/loop/99/1", "GET http://faults.example/loop/99/1: redirect loop"),
    ],
)
def test_crawl_without_pages_reports_why(crawl_faults: Crawl, start: str, says: str) -> None:
    assert says in crawl_faults(mode="manners", start=[start], delay=0, settings=NOW)["complaint"]


@pytest.mark.slow
def test_rejects_spider_without_hosts(start_faults: Callable, tmp_path: Any) -> None:
    with start_faults(tmp_path / "pages", tmp_path / "result", domains=[]) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "error: crawlers/sources/faults/spider.py: `allowed_domains` is empty" in errors


@pytest.mark.parametrize(
    ("url", "is_asked"),
    [
        ("http://a.example/", True),
        ("https://A.Example:443/", True),
        ("http://sub.a.example/", True),
        ("http://nota.example/", False),
        ("http://a.example.evil.example/", False),
        ("http://a.example@evil.example/", False),
        ("http://somebody:word@a.example/", False),
        ("http://somebody@a.example/", False),
        ("http://@a.example/", False),
        ("http://evil.example/a.example", False),
        ("http://a.example:8080/", False),
        ("http://a.example./", False),
        ("file:///etc/passwd", False),
        ("data:text/html,x", False),
        ("ftp://a.example/", False),
        ("http://2130706433/", False),
    ],
)
@pytest.mark.parametrize("meta", [{}, {"redirect_urls": ["http://a.example/"]}])
def test_only_the_sources_hosts_are_asked(url: str, is_asked: bool, meta: dict[str, Any]) -> None:
    crawler = get_crawler(Spider, {"WEB_PORTS": [80, 443], "PUBLIC_ONLY": True})
    crawler.spider = Spider("toy", allowed_domains=["a.example"])
    hosts = Hosts.from_crawler(crawler)
    request = Request(url, meta=meta, dont_filter=True)  # as start pages are, which Scrapy lets go anywhere
    if meta:
        request = begin(Request("http://a.example/"), request)
    if is_asked:
        assert hosts.process_request(request) is None
    else:
        with pytest.raises(IgnoreRequest):
            hosts.process_request(request)
        assert not meta or list(crawler.stats.get_value(REFUSED)) == ["GET http://a.example/"]


@pytest.mark.parametrize(
    ("url", "becomes"),
    [
        ("http://a.example/1;jsessionid=0A1B", "http://a.example/1"),
        ("http://a.example/1?PHPSESSID=0a1b&id=2", "http://a.example/1?id=2"),
        ("http://a.example/1?id=2&PHPSESSID=0a1b", "http://a.example/1?id=2"),
        ("http://a.example/1?id=2&cfid=0a1b&p=3", "http://a.example/1?id=2&p=3"),
        ("http://a.example/q/(S(lit3py55t21z5v55vlm25s55))/1", "http://a.example/q/1"),
        ("http://a.example/1?sid=0a1b", None),
        ("http://a.example/list?year=2027", None),
        ("http://a.example/2099/12", None),
        ("http://a.example/list?year=2028", IgnoreRequest),
        ("http://a.example/rili/2031/05", IgnoreRequest),
        ("http://a.example/?date=2044-01-02", IgnoreRequest),
    ],
)
def test_ids_of_sessions_and_calendars_make_no_endless_site(url: str, becomes: object) -> None:
    crawler = get_crawler(Spider)
    crawler.spider = Spider("toy", allowed_domains=["a.example"], snapshot="2026-11-20")
    hosts = Hosts.from_crawler(crawler)
    if becomes is IgnoreRequest:
        with pytest.raises(IgnoreRequest):
            hosts.process_request(Request(url))
    else:
        assert getattr(hosts.process_request(Request(url)), "url", None) == becomes


@pytest.mark.slow
def test_passwords_in_links_are_never_sent_or_written(crawl_faults: Crawl, tmp_path: Any) -> None:
    links = [f"http://somebody:{PASSWORD}@{host}/plain/0/1" for host in ("faults.example", "other.example")]
    start = [*links, "http://faults.example/same", "http://faults.example/password/99/1", "http://faults.example/list-of/away"]
    result = crawl_faults(mode="manners", start=start, delay=0, settings=NOW)
    name = "not an address of the web: it contains a user name or password"
    failed = {request: why for request, why in result["failed"].items() if "/away/" not in request}
    assert failed == {"GET http://-@faults.example/plain/0/1": name, "GET http://faults.example/password/99/1": name}
    assert "30 of 39 requests were redirected to other.example" in result["complaint"]
    assert not any("Authorization" in head for head in result["heads"])
    files = [*(tmp_path / "pages").glob("*.jsonl"), tmp_path / "pages.json"]
    assert len(files) == 3 and not any(PASSWORD in file.read_text("utf-8") for file in files) and PASSWORD not in result["stderr"]
    wall = crawl_faults("wall", mode="manners", start=["http://faults.example/list-of/wall"], delay=0, settings=NOW | {"GIVE_UP_AFTER": 3})
    assert "redirected to http://faults.example/login: the site requires a log-in" in wall["reason"]


@pytest.mark.slow
@given(st.text(max_size=30), st.sampled_from(["http://", "https://a.example", "//a.example:", "http://a.example:", "ftp:", ""]))
def test_any_address_is_judged(rest: str, begin: str) -> None:
    crawler = get_crawler(Spider, {"WEB_PORTS": [80, 443], "PUBLIC_ONLY": True})
    crawler.spider = Spider("toy", allowed_domains=["a.example"])
    try:
        request = Request(begin + rest)
    except ValueError:  # so a spider cannot ask for it
        return
    with suppress(IgnoreRequest):
        Hosts.from_crawler(crawler).process_request(request)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("10.0.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.100.100.200", False),
        ("169.254.169.254", False),
        ("168.63.129.16", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::ffff:10.0.0.1", False),
        ("fe80::1", False),
        ("2606:2800:220:1::1", True),
    ],
)
def test_detects_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("2130706433", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("[::1]", "::1"),
        ("a.example", None),
        ("cafe", None),
    ],
)
def test_reads_ip_addresses_in_any_notation(host: str, address: str | None) -> None:
    assert literal(host) == address


def test_a_name_is_checked_at_each_connection() -> None:
    resolver = PublicResolver(MemoryReactorClock(), 100, 1.0)  # an installed reactor would follow into the forks of other tests
    answers: list[Any] = []
    for address in ("93.184.216.34", "127.0.0.1"):  # what a name of the attacker's says first, and then
        dnscache["moves.example"] = address
        resolver.getHostByName("moves.example").addBoth(answers.append)
    assert answers[0] == "93.184.216.34" and "127.0.0.1, which is not public" in str(answers[1].value)
    assert refused["moves.example"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("Fri, 20 Nov 2026 00:01:00 GMT", 60),
        ("Thu, 19 Nov 2026 00:00:00 GMT", 0),
        ("Fri, 20 Nov 2026 00:01:00", 60),
        ("soon", 5),
        ("-3", 5),
        ("９", 5),
        ("9" * 5000, 999999999),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float) -> None:
    assert seconds_named(value, datetime(2026, 11, 20, tzinfo=UTC), 5) == seconds


def test_a_pause_is_never_shortened() -> None:
    pauses = Pauses(get_crawler(Spider, {"RETRY_AFTER_MAX": 600}))
    for seconds in ("90", "1"):
        pauses.note(Request("http://a.example/"), Response("http://a.example/", status=429, headers={"Retry-After": seconds}))
    assert pauses.until["a.example"] > monotonic() + 60
