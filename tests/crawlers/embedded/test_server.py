"""The server of the embedded sites, asked over HTTP."""

from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from types import SimpleNamespace

import pytest

from crawlers.embedded.content import Content
from crawlers.embedded.serving.server import serving, state
from crawlers.embedded.site import Respond, SiteReply, SiteRequest


def build(content: Content) -> Respond:
    def respond(ask: SiteRequest) -> SiteReply | None:
        if ask.target == "/sniffed":
            return SiteReply(body=b"<html>")
        if ask.target == "/moved":
            return SiteReply(status=302, headers={"Location": "https://b.example/", "Set-Cookie": "seen=1"})
        if ask.target.startswith("/echo"):
            text = f"{ask.method} {ask.host} {ask.target} {ask.headers['x-asked']} {ask.body.decode('gbk')}"
            return SiteReply(headers={"Content-Type": "text/html; charset=gbk"}, body=text.encode("gbk"))
        return None

    return respond


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    site = SimpleNamespace(__name__="toy", HOSTS=("a.example", "b.example"), build=build)
    with serving("2026-11-20", {"toy": site}, Content) as base_url:
        yield int(base_url.rsplit(":", 1)[1])


def ask(port: int, target: str, host: str = "a.example", method: str = "GET", body: bytes | None = None) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, target, body, {"Host": host, "X-Asked": "yes"})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def test_a_site_sees_what_was_asked(port: int) -> None:
    _, body = ask(port, "/echo?q=%D0%C4&p=1", "B.Example:443", "POST", "问".encode("gbk"))
    assert body.decode("gbk") == "POST b.example /echo?q=%D0%C4&p=1 yes 问"


def test_clock_is_fixed_at_the_snapshot(port: int) -> None:
    response, _ = ask(port, "/echo")
    assert response.headers["Date"] == "Fri, 20 Nov 2026 00:00:00 GMT"
    assert response.headers["Server"] == "nginx"  # no version of ours in stored pages


def test_headers_are_the_sites_own(port: int) -> None:
    response, _ = ask(port, "/moved")
    assert (response.status, response.headers["Location"], response.headers["Set-Cookie"]) == (302, "https://b.example/", "seen=1")
    response, _ = ask(port, "/sniffed")
    assert "Content-Type" not in response.headers


@pytest.mark.parametrize(
    ("target", "host", "status"), [("/none", "a.example", 404), ("/robots.txt", "a.example", 200), ("/", "c.example", 501)]
)
def test_what_no_site_answers(port: int, target: str, host: str, status: int) -> None:
    assert ask(port, target, host)[0].status == status


def test_an_unknown_host_names_the_known_ones(port: int) -> None:
    assert ask(port, "/", "c.example")[1] == b"no embedded site answers for c.example; known: a.example, b.example"


def test_the_server_ends_with_its_block() -> None:
    with serving("2026-11-20", {}) as base_url:
        port = int(base_url.rsplit(":", 1)[1])
    with pytest.raises(ConnectionRefusedError):
        ask(port, "/")


def test_the_state_is_one_while_nothing_changes() -> None:
    assert state() == state() and len(state()) == 16
