"""What Scrapy must not do, and must, in every mode; what a crawl tells of a scope that the site has not."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import UNSET
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from atomexam.records.checks import convert
from atomexam.records.item import EntityItem, QuestionItem
from atomexam.records.params import Source
from atomexam.records.provenance import Provenance
from crawlers.html.source_spider import SourceSpider
from crawlers.web import settings
from crawlers.web.closing_table import scope_problem, warnings_of
from crawlers.web.stated_exam import StatedExam

MODES = {"embedded": settings.embedded("http://127.0.0.1:1"), "live": settings.live(), "offline": settings.offline()}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Settings:
    made = Settings()
    made.setmodule("crawlers.web.settings")
    made.setdict(MODES[request.param])
    return made


def test_no_port_is_open_for_others(mode: Settings) -> None:
    assert not mode.getbool("TELNETCONSOLE_ENABLED")
    assert not mode.getbool("REMOTE_CONTROL_ENABLED")


def test_rules_are_looked_up_by_our_name_and_we_say_who_we_are(mode: Settings) -> None:
    middlewares = mode.get_component_priority_dict_with_base("DOWNLOADER_MIDDLEWARES")
    assert "crawlers.web.robots.Robots" in {getattr(made, "__module__", made) for made in middlewares} | set(middlewares)
    assert mode["ROBOTSTXT_USER_AGENT"] == "atomexam" and "atomexam; +https://" in mode["USER_AGENT"]


def test_no_answer_is_endless(mode: Settings) -> None:
    assert mode.getint("DOWNLOAD_MAXSIZE") == 32 * 1024 * 1024
    assert mode.getint("DOWNLOAD_TIMEOUT") == 60
    assert mode.getint("REDIRECT_MAX_TIMES") == 10


def test_only_the_web_is_followed(mode: Settings) -> None:
    handlers = mode.getdict("DOWNLOAD_HANDLERS_BASE") | mode.getdict("DOWNLOAD_HANDLERS")
    assert {scheme for scheme, handler in handlers.items() if handler} <= {"http", "https"}


def test_nothing_is_told_of_where_a_reader_came_from(mode: Settings) -> None:
    assert mode["REFERRER_POLICY"] == "no-referrer"


def test_live_is_polite() -> None:
    live = MODES["live"]
    assert live["AUTOTHROTTLE_ENABLED"] and live["DOWNLOAD_DELAY"] == 1 and live["CONCURRENT_REQUESTS_PER_DOMAIN"] == 1
    assert live["PUBLIC_ONLY"] and live["WEB_PORTS"] == [80, 443] and live["CRAWL_DELAY_MAX"] > 0


@pytest.mark.parametrize(
    ("line", "delay", "concurrency", "expected"),
    [
        (Source(), None, None, (1, 1)),
        (Source(), 3.0, 2, (3, 2)),
        (Source(delay=0.0), 3.0, None, (0, 1)),
        (Source(delay=5.0, concurrency=4), 3.0, 2, (5, 4)),
        (Source(delay=90.0), None, None, (90, 1)),
    ],
)
def test_a_source_has_a_pace_of_its_own(line: Source, delay: float | None, concurrency: int | None, expected: tuple[float, int]) -> None:
    live = settings.live(line, delay, concurrency)
    assert (live["DOWNLOAD_DELAY"], live["CONCURRENT_REQUESTS_PER_DOMAIN"]) == expected
    assert live["AUTOTHROTTLE_TARGET_CONCURRENCY"] == expected[1]
    assert live["AUTOTHROTTLE_START_DELAY"] >= expected[0] and live["AUTOTHROTTLE_MAX_DELAY"] >= expected[0]


def test_embedded_and_offline_leave_no_way_out() -> None:
    assert not any(MODES["offline"]["DOWNLOAD_HANDLERS"].values())
    assert set(MODES["embedded"]["DOWNLOAD_HANDLERS"].values()) == {None, "crawlers.embedded.serving.handler.EmbeddedHandler"}
    assert not any(MODES[mode]["HTTPPROXY_ENABLED"] for mode in MODES)


@pytest.mark.parametrize("contact", ["crawler@example.org", "https://example.org/crawler?who=us"])
def test_a_contact_goes_into_the_user_agent(contact: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATOMEXAM_CONTACT", contact)
    assert settings.live()["USER_AGENT"].endswith(f"; {contact})")


NO_CONTACT = ["no address", "a@b", "ftp://example.org", "用户@example.org", "(a@b.example)", "a@b.example;x", " ", "a" * 200 + "@b.example"]
HOSTILE = ["a@b.example\r\nX-Evil: 1", "a@b.example\x00", "http://example.org/\x7f", "http://example.org/\nx"]


@pytest.mark.parametrize("contact", NO_CONTACT + HOSTILE)
def test_rejects_invalid_contact(contact: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.os, "environ", {"ATOMEXAM_CONTACT": contact})
    with pytest.raises(ValueError, match=r"ATOMEXAM_CONTACT is .*expected one mail address or web address"):
        settings.live()


@pytest.mark.parametrize(
    "proxy", ["localhost", "https://proxy.example:8080", "http://proxy.example", "http://:80", "http://[x:1", "socks5://a:1"]
)
def test_rejects_invalid_proxy_without_its_password(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATOMEXAM_PROXY", proxy)
    with pytest.raises(ValueError, match="ATOMEXAM_PROXY is not a proxy") as raised:
        settings.live()
    assert proxy not in str(raised.value).replace("http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT", "")


def test_a_proxy_is_set_by_its_own_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATOMEXAM_PROXY", "http://me:word@proxy.example:8080")
    live = settings.live()
    assert live["HTTPPROXY_ENABLED"] and live["PROXY_HOST"] == "proxy.example" and live["PROXY"].endswith("@proxy.example:8080")


def test_a_private_site_may_be_anywhere_and_only_its_own_line_says_so() -> None:
    public, private = settings.live(Source()), settings.live(Source(private=True))
    closed = {"TWISTED_DNS_RESOLVER", "PUBLIC_ONLY", "WEB_PORTS"}
    assert public.keys() - private.keys() == closed and {name: public[name] for name in private} == private


def test_stated_exam_and_subject_are_set_on_each_question() -> None:
    page = HtmlResponse("https://www.toy.example/1")
    where = Provenance(source="toy", url=page.url, snapshot="2026-01-01", page_id="0" * 12, position="q1")
    asked = QuestionItem(url=page.url, provenance=where, exam_raw="首页 > 网校", subject_raw="入口", stem_raw="甲")
    entry = EntityItem(url=page.url, provenance=where)
    spider = SourceSpider(name="toy", exam="TQE")
    told = StatedExam.from_crawler(SimpleNamespace(spider=spider))
    first, second, third = told.process_spider_output(page, [asked, entry, Request("https://www.toy.example/2")])
    assert (first.exam, first.subject, first.exam_raw, first.subject_raw) == ("TQE", UNSET, "首页 > 网校", "入口")
    assert first.stem_raw == "甲" and second is entry and isinstance(third, Request)
    with pytest.raises(NotConfigured):
        StatedExam.from_crawler(SimpleNamespace(spider=SourceSpider(name="toy")))


def crawl(root: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    out = ["--out", str(folder / "pages"), "--metrics", str(folder / "metrics.json"), "--max_pages", "300", "--mode", "embedded"]
    command = [sys.executable, "-m", "crawlers.crawl", *arguments, *out]
    return subprocess.run(command, cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ask120", "--departments", "nosuch"], "sources.ask120.departments: 'nosuch' (https://tag.120ask.com/jibing/ks/nosuch.html)"),
        (["examcoo", "--lists", "1790"], "sources.examcoo.lists: '1790' (https://www.examcoo.com/paperlist/index/k/1790/p/1)"),
        (["mxqe", "--lists", "nosuch"], "sources.mxqe.lists: 'nosuch' (https://tk.mxqe.com/nosuch/)"),
        (["studyez", "--lists", "nosuch/lnst"], "sources.studyez.lists: 'nosuch/lnst' (http://www.studyez.com/nosuch/lnst/)"),
    ],
)
def test_scope_without_any_list_fails_the_crawl(root: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    done = crawl(root, tmp_path, *arguments)
    assert done.returncode == 1, done.stderr
    assert told in done.stderr and "HTTP status 404" in done.stderr and "fix crawlers/sources" not in done.stderr
    assert not (tmp_path / "metrics.json").exists()


@pytest.mark.slow
def test_reports_missing_names_among_found_ones(root: Path, tmp_path: Path) -> None:
    done = crawl(root, tmp_path, "ask120", "--departments", "nk", "nosuch")
    assert done.returncode == 0, done.stderr
    assert "warning: params.yaml: sources.ask120.departments: 'nosuch'" in done.stderr and "'nk'" not in done.stderr


def test_what_is_found_in_another_way_is_no_error() -> None:
    gone = {"https://a.example/x": 404}
    named = {"https://a.example/x": ("lists", "x")}
    assert scope_problem("a", named, gone, items=0) and not scope_problem("a", named, gone, items=1)
    assert not scope_problem("a", named | {"https://a.example/y": ("lists", "y")}, gone, items=0)
    assert not scope_problem("a", {}, {}, items=0) and warnings_of("a", {}, {}) == []


@pytest.mark.parametrize("scope", ["letters", "departments", "lists"])
def test_a_scope_without_a_name_is_refused(scope: str) -> None:
    with pytest.raises(ValueError, match=rf"{scope}: found \[\]; expected at least one name; omit `{scope}` to read all"):
        convert({scope: []}, Source, "params.yaml")
