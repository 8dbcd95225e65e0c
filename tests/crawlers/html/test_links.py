"""No link makes a reader fail, one page has one link; no part of a page is read twice, and none is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector

from crawlers.html.links import Link, link_to, links_to
from crawlers.html.nesting import following_parts, inner_parts, outermost

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
def test_ignores_links_that_are_not_http(href: str) -> None:
    assert link_to(PAGE, href) is None


def test_yields_distinct_links_in_order() -> None:
    found = list(links_to(PAGE, ["/b/", "/a/", "//tag.120ask.com/b/#x", "javascript:;", "/b/?p=2"]))
    host = "tag.120ask.com"
    assert found == [Link(host, "/b/", ""), Link(host, "/a/", ""), Link(host, "/b/", "p=2")]


@given(st.text())
def test_no_link_makes_a_reader_fail(href: str) -> None:
    link = link_to(PAGE, href)
    assert link is None or link.url.startswith("https://")


TREES = st.recursive(
    st.sampled_from(["甲", "乙"]), lambda inner: st.lists(inner, max_size=3).map(lambda parts: f"<b>{''.join(parts)}</b>"), max_leaves=12
)


def words(html: str) -> str:
    return "".join(Selector(f"<div>{html}</div>").css("::text").getall())


@given(st.lists(TREES, max_size=4).map("".join))
def test_outermost_elements_hold_all_text_of_all(html: str) -> None:
    page = Selector(f"<div>{html}</div>")
    found = page.css("b")
    kept = outermost(found)
    assert [one.root for one in kept] == [one.root for one in found if not any(above.tag == "b" for above in one.root.iterancestors())]


def test_element_found_twice_counts_once() -> None:
    page = Selector("<p><b>甲</b></p>")
    assert [one.get() for one in outermost([*page.css("p"), *page.css("b"), *page.css("p")])] == ["<p><b>甲</b></p>"]


@given(st.lists(TREES, max_size=4).map("".join))
def test_inner_parts_divide_the_text(html: str) -> None:
    page = Selector(f"<div><b>{html}</b></div>")
    parts = inner_parts([one.root for one in page.css("b")])
    assert sorted("".join(map(words, parts))) == sorted(words(html))
    assert not any("<b>" in part for part in parts)


@pytest.mark.parametrize("sign", ["\x01", "\x0b", "\x0c", "\ufffe", "\uffff", "&#1;", "&#xFFFF;"])
def test_characters_invalid_in_xml_do_no_harm(sign: str) -> None:
    """libxml2 reads a form feed and its like, and lxml refuses to write them."""
    page = Selector(f"<div>前{sign}<b>甲</b>后{sign}<i>丙</i>中{sign}<b>乙</b>尾{sign}</div>")
    assert inner_parts([one.root for one in page.css("b")]) == ["甲", "乙"]
    assert "".join(page.css("::text").getall()).split() == ["前", "后", "丙中", "尾"]


def test_a_part_is_what_follows_up_to_the_next_heading() -> None:
    page = Selector("<div><h2>一</h2>甲<p>乙</p><h2>二</h2><div>丙<h2>三</h2>丁</div></div><h2>四</h2>")
    parts = following_parts([one.root for one in page.css("h2")], frozenset({"h1", "h2"}))
    assert [words(part) for part in parts] == ["甲乙", "丙", "丁", ""]
