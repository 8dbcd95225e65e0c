"""What a reader sees of a piece of HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Selector

from crawlers.fields import images_in, labelled, text_of


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("头痛<br>发热<br/>咳嗽", "头痛\n发热\n咳嗽"),
        ("<p>一</p><p>二</p>", "一\n二"),
        ("<ul><li>一<li>二</ul>", "一\n二"),
        ("<table><tr><td>甲<td>乙<tr><td>丙</table>", "甲 乙\n丙"),
        ("\r\n\t<p>\n　　正文\n段落 </p>", "　　正文 段落"),
        ("a&nbsp;&nbsp;b", "a\xa0\xa0b"),
        ("一<b>二</b>三", "一二三"),
        ("看<script>bad()</script>见<style>p{}</style><!-- 注 -->", "看见"),
        ("x &lt; 5 &amp; y &gt; 3", "x < 5 & y > 3"),
        ("", ""),
    ],
)
def test_text(html: str, text: str) -> None:
    assert text_of(html) == text
    assert text_of(Selector(text=f"<div>{html}</div>").css("div")[0]) == text


@given(st.text(st.characters(exclude_characters="<&"), max_size=20) | st.text(" \t\n\r\xa0\u3000甲a.\u2028", max_size=20))
def test_text_without_markup_is_read_as_in_a_tag(text: str) -> None:
    """Bare text takes a shorter way."""
    try:
        expected = text_of(f"<b></b>{text}")
    except UnicodeEncodeError:  # half a character
        return
    assert text_of(text) == expected


@pytest.mark.parametrize(
    ("tag", "hidden"),
    [
        ('<span style="display:none">', True),
        ('<font style="FONT-SIZE: 0px">', True),
        ('<i style="visibility : hidden;">', True),
        ("<b hidden>", True),
        ('<span style="font-size:0.9em">', False),
        ('<span style="color:red">', False),
    ],
)
def test_noise_is_dropped_on_request(tag: str, hidden: bool) -> None:
    html = f"高{tag}噪</{tag[1:].split()[0].strip('>')}>血压"
    assert text_of(html) == "高噪血压"
    assert text_of(html, drop_hidden=True) == ("高血压" if hidden else "高噪血压")


def test_a_page_nested_without_end_is_read() -> None:
    assert text_of("<b>" * 3000 + "高血压") == "高血压"


def test_images_are_counted() -> None:
    assert images_in("<p>如图<img src=a.png></p><IMG src=b.png>") == 2


def test_a_label_without_value_keeps_its_number() -> None:
    values = labelled([("哪些症状：", " 头晕、头痛 "), ("是否传染：", ""), ("挂什么科：", "内科")], "left")
    assert [(value.label, value.value, value.position) for value in values] == [
        ("哪些症状：", "头晕、头痛", "left:1"),
        ("挂什么科：", "内科", "left:3"),
    ]
