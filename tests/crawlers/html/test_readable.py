"""A page that its readers fail on, or take long for, says the same words as one that they do not."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse, JsonResponse, TextResponse, XmlResponse

from crawlers.check.page_hints import PageHints, hints_of
from crawlers.html.readable import MAX_DEPTH, is_json, readable
from crawlers.text.fields import text_of
from crawlers.web.charset import Charset
from crawlers.web.failure_causes import Refused

URL = "https://www.example.com/a/b.html?c=1"


def page(text: str, kind: type[TextResponse] = HtmlResponse) -> TextResponse:
    return kind(URL, body=text.encode(), encoding="utf-8")


def words(response: TextResponse) -> list[str]:
    return response.xpath("//text()").getall()


def test_a_sound_page_stays_as_it_is() -> None:
    for text in ("", "<p>甲</p>", '<base href="/x/"><p>甲', "<p>甲</p>" * 600, "<p>" * 600, "<div>" * (MAX_DEPTH - 2)):
        response = page(text)
        assert readable(response) is response


@pytest.mark.parametrize("base", ["http://[", "//[::1", "https://[x]/"])
def test_ignores_base_that_is_not_a_url(base: str) -> None:
    response = page(f'<!DOCTYPE html><html><head><base href="{base}"><title>题</title></head><body><a href="d">甲</a></body></html>')
    with pytest.raises(ValueError, match=r"."):
        response.css("a")
    read = Charset().process_response(Request(URL), response)
    assert read.css("a::text").get() == "甲"
    assert read.urljoin("d") == "https://www.example.com/a/d"


PIECES = st.sampled_from(
    [
        "<div>甲",
        "</div>乙",
        "<b>丙</b>丁",
        "戊&lt;<br>",
        "<!-- 己 -->庚",
        '<div class="a b"><i>辛</i>',
        "<script>1 < 2</script>",
        "<img alt='\"'>",
    ]
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join), st.sampled_from([0, MAX_DEPTH - 5, MAX_DEPTH, 1500]))
def test_flattening_keeps_text_and_order(inside: str, above: int) -> None:
    response = page("<html><body>" + "<div>" * above + inside)
    read = readable(response)
    assert "".join(words(read)) == "".join(words(response))
    for place in ("//b", "//b[.='丙']", "//i[.='辛']", "//div[@class='a b']", "//br", "//comment()", "//script", "//img/@alt"):
        assert len(read.xpath(place)) == len(response.xpath(place))
    assert not read.xpath("/*" * MAX_DEPTH + "/*")


def test_reads_text_below_the_parser_depth_limit() -> None:
    response = page("<p>前</p>" + "<div>" * 3000 + "中" + "</div>" * 3000 + "<p>後</p>")
    assert words(response) == ["前"]
    assert words(readable(response)) == ["前", "中", "後"]


def test_deep_xml_is_no_deeper_either() -> None:
    response = page("<a>" * 600 + "甲" + "</a>" * 600, XmlResponse)
    assert words(readable(response)) == ["甲"]
    assert not readable(response).xpath("/*" * MAX_DEPTH + "/*")


def test_leaves_json_and_pictures_unchanged() -> None:
    for response in (page("[" + '"<",' * 600 + "0]", TextResponse), TextResponse(URL, body=b"<" * 600 + b"\0\xff")):
        assert readable(response).body == response.body


@pytest.mark.parametrize("kind", [TextResponse, JsonResponse])
@pytest.mark.parametrize("inside", ["0", '"' + "<" * 600 + '"'])
def test_too_deeply_nested_json_is_not_a_page(inside: str, kind: type[TextResponse]) -> None:
    response = Charset().process_response(Request(URL), page("[" * 9000 + inside + "]" * 9000, kind))
    assert is_json(response) and hints_of(response) == PageHints()


def test_reads_deeply_nested_page() -> None:
    response = page("<div class=a>" * 14_000 + "甲")
    read = Charset().process_response(Request(URL), response)
    assert read.css("div.a::text").getall() == ["甲"]
    with pytest.raises(Refused, match="nested deeper than 256 levels, with 40000 tags; at that depth, at most 25000 tags are read"):
        Charset().process_response(Request(URL), page("<div>" * 40_000 + "甲"))


def test_a_paper_of_hundreds_of_questions_and_json_of_any_number_of_tags_are_read() -> None:
    question = '<div class="q"><p>1. 题</p><ul>' + "<li><label><input type=radio> A. 甲</label></li>" * 5 + "</ul>" + "<br>" * 36 + "</div>"
    for response in (
        page(question * 400),
        page(json.dumps(["<p>甲</p>"] * 35_000), JsonResponse),
        page('["' + "<" * 70_000 + '"]', TextResponse),
    ):
        assert readable(response) is response
    for text in ("<b>甲</b>" * 35_000, "[" + "<b>甲</b>" * 35_000):
        with pytest.raises(Refused, match="70000 tags; at most 2097152 bytes and 60000 tags are read"):
            Charset().process_response(Request(URL), page(text, TextResponse))


@pytest.mark.parametrize("kind", [HtmlResponse, TextResponse])
def test_a_page_that_begins_like_json_is_a_page(kind: type[TextResponse]) -> None:
    crowded = "[<p" + "".join(f" a{number}=1" for number in range(20_000)) + ">甲</p>"
    assert len(readable(page(crowded, kind)).css("p")[0].attrib) <= 1000


ATTRIBUTES = {
    "named": lambda number: f" a{number}",
    "with values": lambda number: f" a{number}='1'",
    "with ends of tags in values": lambda number: f' a{number}="{"" if number % 4 else "<"}b>"',
    "without blanks": lambda number: f"/a{number}",
    "behind each other": lambda number: f" a{number}=''b{number}",
    "with quotes in names": lambda number: f' "a{number}',
    "that begin with a sign": lambda number: f" =a{number}",
}


@pytest.mark.parametrize("attribute", ATTRIBUTES.values(), ids=ATTRIBUTES)
@pytest.mark.parametrize("kind", [HtmlResponse, TextResponse])
def test_reads_tag_with_many_attributes_in_time(attribute, kind: type[TextResponse]) -> None:
    """80,000 of them took a minute, and what broke one crawl was stored and broke the next."""
    crowded = "<html><body><p>甲</p><a href='/x'" + "".join(map(attribute, range(80_000))) + ">乙</a><p>丙</p></body></html>"
    start = time.process_time()
    read = Charset().process_response(Request(URL), page(crowded, kind))
    assert words(read) == ["甲", "乙", "丙"]
    assert read.css("a::attr(href)").get() == "/x"
    assert text_of(crowded).split() == ["甲乙", "丙"] or "乙" in text_of(crowded)
    assert time.process_time() - start < 10


def test_a_long_page_keeps_every_attribute() -> None:
    text = "<html><body>" + "".join(f'<p id="{number}" class="a b c" data-x=\'{{"k": "<b>"}}\'>题干</p>' for number in range(5_000))
    response = page(text + "</body></html>")
    assert readable(response) is response
