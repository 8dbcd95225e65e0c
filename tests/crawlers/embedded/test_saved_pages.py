"""A source without replica is served from its saved pages."""

import json
from http.client import HTTPConnection
from pathlib import Path

import pytest

from crawlers.embedded.serving.saved import saved_site
from crawlers.embedded.serving.server import site_of, state
from crawlers.html.source_spider import SourceSpider
from crawlers.web.run_spider import spider_class

HOME = "https://www.toy.example/list/"


class Toy(SourceSpider):
    name = "toy"
    allowed_domains = ("toy.example",)
    start_urls = (HOME,)


def save(folder: Path, case: str, url: str, body: bytes = b"<p>", suffix: str = ".html", **more: object) -> None:
    place = folder / "toy/pages"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{case}.json").write_text(json.dumps({"url": url, "callback": "parse", "items": [], **more}))
    (place / f"{case}{suffix}").write_bytes(body)


def ask(base_url: str, target: str, host: str = "www.toy.example", method: str = "GET") -> tuple[int, str | None, bytes]:
    connection = HTTPConnection("127.0.0.1", int(base_url.rsplit(":", 1)[1]), timeout=10)
    connection.request(method, target, headers={"Host": host})
    response = connection.getresponse()
    found = response.status, response.headers["Content-Type"], response.read()
    connection.close()
    return found


def test_saved_pages_are_served_as_they_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, "list", HOME, "名单".encode("gbk"), headers={"Content-Type": "text/html; charset=gbk"})
    save(tmp_path, "call", "https://api.toy.example/q?id=心&p=1", b"{}", ".body", headers={"Content-Type": "application/json"})
    save(tmp_path, "plain", "https://www.toy.example", b"<p>home")
    monkeypatch.setattr("crawlers.embedded.serving.server.saved_site", lambda spider: saved_site(spider, tmp_path))
    serve, _ = site_of(Toy)
    with serve("2026-11-20") as base_url:
        assert ask(base_url, "/list/") == (200, "text/html; charset=gbk", "名单".encode("gbk"))
        assert ask(base_url, "/q?id=%E5%BF%83&p=1", "api.toy.example") == (200, "application/json", b"{}")
        assert ask(base_url, "/") == (200, "text/html", b"<p>home")
        assert ask(base_url, "/list/", method="POST")[0] == 404
        assert ask(base_url, "/robots.txt")[0] == 200
        assert ask(base_url, "/none")[0] == 404
        assert ask(base_url, "/", "img.toy.example")[0] == 404  # of the same domain: not saved, and no fault
        assert ask(base_url, "/", "www.other.example")[0] == 501


def test_the_state_is_of_what_is_served(tmp_path: Path) -> None:
    save(tmp_path, "list", HOME)
    before = saved_site(Toy, tmp_path).state()
    save(tmp_path, "list", HOME, items=[{"kind": "question"}])  # what the page must give is nothing that is served
    assert saved_site(Toy, tmp_path).state() == before
    for change in ({"body": b"<b>"}, {"url": f"{HOME}?p=1"}, {"headers": {"Content-Type": "text/plain"}}):
        save(tmp_path, "more", **({"url": f"{HOME}more", "body": b"<p>"} | change))
        assert saved_site(Toy, tmp_path).state() != before
        before = saved_site(Toy, tmp_path).state()


def test_a_replica_goes_before_saved_pages() -> None:
    assert site_of(spider_class("hxter"))[1] == state()


@pytest.mark.parametrize(
    ("cases", "told"),
    [
        ([], r"sources/toy/pages has no page; `python -m crawlers.check toy --live --save list https://www.toy.example/list/`.*mode: live"),
        ([("paper", "https://www.toy.example/1.html")], "has 1 page, but none of https://www.toy.example/list/"),
        ([("a", HOME), ("b", HOME)], "a and b are both saved from https://www.toy.example/list/"),
    ],
)
def test_reports_pages_that_cannot_be_served(tmp_path: Path, cases: list[tuple[str, str]], told: str) -> None:
    for case, url in cases:
        save(tmp_path, case, url, case.encode())
    with pytest.raises(ValueError, match=told):
        saved_site(Toy, tmp_path)


@pytest.mark.parametrize(
    ("text", "told"), [("{", "list.json: not valid JSON"), ("[]", 'expected an object with "url"'), ("{}", 'expected an object with "url"')]
)
def test_reports_invalid_case(tmp_path: Path, text: str, told: str) -> None:
    save(tmp_path, "list", HOME)
    (tmp_path / "toy/pages/list.json").write_text(text)
    with pytest.raises(ValueError, match=told):
        saved_site(Toy, tmp_path)


def test_reports_case_without_page(tmp_path: Path) -> None:
    save(tmp_path, "list", HOME)
    (tmp_path / "toy/pages/list.html").unlink()
    with pytest.raises(ValueError, match=r"list.json: its page is missing; expected list.html or list.body"):
        saved_site(Toy, tmp_path)
