"""`check --live` as it meets a site that has changed: which changes it names, what it tells people to edit, what it keeps of a page."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from crawlers.check.live_comparison import comparison_lines, live_comparison, patch
from crawlers.check.saving import without_people
from crawlers.check.scrub import scrubbed, scrubbed_body
from crawlers.check.site_changes import PageChange, verdict
from crawlers.check.walk import detached_spider, visit_page
from crawlers.check.watch_middleware import fixture_page
from crawlers.web.run_spider import spider_class
from tests.crawlers.change_survey import SOURCES, Changed, changes, pages_of
from tests.crawlers.site_changes import CHANGES

SEED = 20
UNTUNED_SEEDS = (31, 71001, 81001)
"""Nothing was mended by what they draw."""


def survey(count: int, seed: int) -> tuple[Counter[str], list[Changed]]:
    found = changes(count, seed)
    counts = Counter({"silent": 0, "named": 0})
    for one in found:
        said = verdict(one.after, one.others)
        counts["silent"] += not (one.is_right or one.is_reported or one.is_lost)
        counts["named"] += said.name == one.name
    return counts, found


@pytest.mark.slow
@pytest.mark.parametrize("seed", UNTUNED_SEEDS)
def test_of_two_hundred_changes_most_are_named_and_none_is_silent(seed: int) -> None:
    counts, found = survey(200, seed)
    assert {one.name for one in found} == set(CHANGES)
    assert counts["named"] >= 0.8 * len(found), counts
    assert counts["silent"] == 0, counts


def test_of_forty_changes_most_are_named_and_none_is_silent() -> None:
    counts, found = survey(40, SEED)
    assert counts["named"] >= 0.8 * len(found), counts
    assert counts["silent"] == 0, counts


@pytest.mark.slow
def test_pages_that_did_not_change_are_mostly_as_expected() -> None:
    names = Counter(
        verdict(page, [each for each in pages_of(source) if each.kind == page.kind and each is not page] or [page]).name
        for source in SOURCES
        for page in pages_of(source)
    )
    assert names["as_expected"] >= 0.85 * names.total(), names


def test_a_meeting_names_the_line_to_edit() -> None:
    page = next(page for page in pages_of("ask120") if page.kind == "parse_medicine")
    body = page.response.text.replace("details-right-drug", "drug-head")
    answer = HtmlResponse(page.response.url, body=body.encode(), encoding="utf-8")
    verdicts = live_comparison(spider_class("ask120"), [(page.request, answer)])
    assert [one.name for one in verdicts] == ["class_renamed"]
    shown = "\n".join(comparison_lines("ask120", verdicts))
    assert ".details-right-drug is gone, and .drug-head is in its place" in shown
    assert "crawlers/sources/ask120/catalogue.py:" in shown and "- " in shown and "div.drug-head" in shown


def test_a_notice_in_the_place_of_a_page_is_mostly_another_page() -> None:
    """A firewall's words with status 200 are no wall by their form: neither a form nor a script. Pages of few elements look like it."""
    notice = "<html><head><title>网站防火墙</title></head><body><p>您的请求已被网站管理员设置拦截。</p></body></html>".encode()
    names: Counter[str] = Counter()
    for source in SOURCES:
        for page in pages_of(source):
            others = [each for each in pages_of(source) if each.kind == page.kind and each is not page] or [page]
            came = visit_page(
                detached_spider(spider_class(source)), page.request, HtmlResponse(page.response.url, body=notice, encoding="utf-8")
            )
            assert came.misfits or came.noted or came.requests, page.response.url
            names[verdict(came, others).name] += 1
    assert names["other_page"] + names["other_form"] >= 0.8 * names.total() and not names["as_expected"], names


def test_a_page_that_was_sent_home_names_what_was_asked_for() -> None:
    page = next(page for page in pages_of("hxter") if page.kind == "parse_list")
    request = page.request.replace(url="https://www.hxter.com/", meta={"redirect_urls": [page.request.url]})
    home = HtmlResponse("https://www.hxter.com/", body=b"<p>x</p>", encoding="utf-8")
    said = verdict(visit_page(detached_spider(spider_class("hxter")), request, home), [page])
    assert (said.name, page.request.url in said.differences[0].detail) == ("redirect_home", True)


def test_a_patch_says_when_no_line_names_it() -> None:
    change = PageChange(name="class_renamed", detail="", old="no-such-class", new="b")
    assert patch("ask120", change) == ["no line of crawlers/sources/ask120 names no-such-class"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('var vp4tokenpid = "5d41402abc4b2a76b9719d911017c592";', "vp4tokenpid ="),
        ('<input type="hidden" name="__VIEWSTATE" value="dDwtMTA5">', "__VIEWSTATE"),
        ('loginUserId = "482913"', "loginUserId ="),
        ('<a href="/user/482913">', '<a href="/user/'),
        ("录入者　：482913同学 <b>", "录入者"),
        ('<span class="author">482913同学</span>', "author"),
        ('{"nickname": "482913同学"}', "nickname"),
        ("邮箱 482913@mail.example", "邮箱"),
        ("电话 13848291377", "电话"),
        ('var vp4authorUid="482913";', "vp4authorUid="),
        ('var userName="482913同学";', "userName="),
        ("欢迎您，482913同学 <a>", "欢迎您"),
        ('<div data-uid="482913" data-username="482913同学">', "data-username="),
        ('{"id":"2077","a":"卷","b":"482913","c":"482913同学","d":"第482913中学"}', '"a":"卷"'),
        ('<meta name="csrf-token" content="482913Ab12Cd34">', "csrf-token"),
        ('<img src="/avatar/1.jpg" alt="482913同学">', "avatar"),
        ("电话：010-84829137", "电话"),
        ("微信号：zsf_482913", "微信号"),
        ('<a class="x" href="/u/482913">482913同学</a>', '<a class="x"'),
        ("身份证 110108198204829135", "身份证"),
    ],
)
def test_a_fixture_holds_nobody(text: str, kept: str) -> None:
    clean = scrubbed(text)
    assert clean != text and kept in clean
    assert not any(word in clean for word in ("482913", "848291377", "84829137", "5d41402", "dDwtMTA5", "0108198204829135"))


@pytest.mark.parametrize(
    "text", ["1、题干（ ）。A.甲 B.乙 答案：A", '<a href="/paper/2530003.html">卷</a>', "批准文号：国药准字H20050001", "作者：\n"]
)
def test_what_names_nobody_stays(text: str) -> None:
    assert scrubbed(text) == text
    assert scrubbed_body(text.encode("gb18030"), "gb18030") == text.encode("gb18030")


@pytest.mark.parametrize("source", SOURCES)
def test_a_page_without_people_reads_as_before(source: str) -> None:
    for page in pages_of(source):
        kept = without_people(fixture_page(page.request, page.response, page.response.url))
        assert type(kept.body) is bytes
        again = page.response.replace(body=kept.body, url=page.response.url)
        assert len(again.body) > 0.8 * len(page.response.body)


RUN = """
import sys
from contextlib import contextmanager
from random import Random
from types import SimpleNamespace
from msgspec.structs import replace
import crawlers.check.__main__ as check
from crawlers.embedded.content import load_content
from crawlers.embedded.serving.server import serving
from crawlers.embedded.sites import SITES
from crawlers.web import settings

real = SITES["hxter"]

def build(content):
    answer = real.build(content)
    def changed(ask):
        reply = answer(ask)
        if reply is None or not ask.target.startswith("/paper/"):
            return reply
        if WALL:
            return replace(reply, headers={"Content-Type": "text/html"}, body="<form>请输入验证码<input name=captcha></form>".encode())
        return replace(reply, body=reply.body.replace(b'"analysis"', b'"note-x1"'))
    return changed

@contextmanager
def mutated(spider, source, mode):
    site = SimpleNamespace(__name__="hxter", HOSTS=real.HOSTS, build=build)
    with serving(source.snapshot, sites={"hxter": site}, content=load_content) as url:
        yield settings.embedded(url)

check._settings = mutated
WALL = sys.argv[1] == "wall"
sys.exit(check.main(["hxter", "--live", "--json"]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("how", "name"), [("class", "class_renamed"), ("wall", "wall_captcha")])
def test_a_changed_replica_is_met_as_a_site(how: str, name: str, root: Path) -> None:
    run = subprocess.run([sys.executable, "-c", RUN, how], cwd=root, capture_output=True, text=True, timeout=100)
    met = json.loads(run.stdout)["meeting"]
    papers = [one for one in met if one["kind"] == "parse_paper"]
    assert papers and any(name in [each["name"] for each in one["differences"]] for one in papers), run.stderr
    assert all(one["differences"] == [] for one in met if one["kind"] == "parse_list"), met


def test_what_a_callback_was_given_is_without_people_too() -> None:
    request = Request("https://a.example/rpc/tokenpid/5d41402abc4b2a76b9719d911017c592", cb_kwargs={"view": "/user/482913"})
    page = without_people(fixture_page(request, HtmlResponse(request.url, body=b"x", encoding="utf-8"), request.url))
    assert "5d41402" not in page.url and page.cb_kwargs == {"view": "/user/0"}
