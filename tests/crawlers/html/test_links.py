"""No link makes a reader fail, and one page has one link."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlers.html.links import Link, link_to, links_to

PAGE = "https://tag.120ask.com/jibing/ks/nk.html"


@pytest.mark.parametrize(
    "href, url",
    [
        ("/jibing/gaoxueya/", "https://tag.120ask.com/jibing/gaoxueya/"),
        (" //TAG.120ask.com/jibing/gaoxueya/?a=1#b ", "https://tag.120ask.com/jibing/gaoxueya/"),
        ("http://tag.120ask.com:80/jibing/gaoxueya/", "https://tag.120ask.com/jibing/gaoxueya/"),
        ("wk.html", "https://tag.120ask.com/jibing/ks/wk.html"),
        ("//yp.120ask.com", "https://yp.120ask.com/"),
    ],
)
def test_a_link_is_an_address(href: str, url: str) -> None:
    assert link_to(PAGE, href).url == url


@pytest.mark.parametrize("href", ["javascript:;", "mailto:a@b.c", "http://[::1", "tel:1", "data:text/html,x"])
def test_what_leads_out_of_the_web_is_none(href: str) -> None:
    assert link_to(PAGE, href) is None


def test_links_come_once_in_their_order() -> None:
    found = list(links_to(PAGE, ["/b/", "/a/", "//tag.120ask.com/b/#x", "javascript:;", "/b/?p=2"]))
    host = "tag.120ask.com"
    assert found == [Link(host, "/b/", ""), Link(host, "/a/", ""), Link(host, "/b/", "p=2")]


@given(st.text())
def test_no_link_makes_a_reader_fail(href: str) -> None:
    link = link_to(PAGE, href)
    assert link is None or link.url.startswith("https://")
