"""What a reader sees of a piece of HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Selector

from crawlers.text.fields import images_in, labelled, lowered, raised, text_of


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


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("12×10<sup>9</sup>/L", "12×10⁹/L"),
        ("10<SUP> -3 </SUP>mol", "10⁻³mol"),
        ("10<sup>－<b>1</b>2</sup>", "10⁻¹²"),
        ("Na<sup>+</sup>、SO<sub>4</sub><sup>2-</sup>", "Na⁺、SO₄²⁻"),
        ("2<sup>n</sup>，a<sub>n+1</sub>", "2ⁿ，aₙ₊₁"),
        ("e<sup>x</sup>，T<sub>1/2</sub>", "e^(x)，T_(1/2)"),
        ("2<sup>2<sup>3</sup></sup>", "2^(2³)"),
        ("<sup><sup>9</sup></sup>", "⁹"),
        ("the 19<sup>th</sup> century", "the 19th century"),
        ("孔子<sup>①</sup>曰<sup>[2]</sup>", "孔子①曰[2]"),
        ("<sub>以下两题共用备选答案</sub>", "以下两题共用备选答案"),
        ("甲<sup>1<br>2</sup>", "甲1\n2"),
        ("甲<sup> </sup>乙<sub></sub>丙", "甲 乙丙"),
        ("10<sup>9<span style='display:none'>x</span></sup>", "10^(9x)"),
    ],
)
def test_what_is_set_above_or_below_the_line_stays_there(html: str, text: str) -> None:
    assert text_of(html) == text
    assert text_of(Selector(text=f"<div>{html}</div>").css("div")[0]) == text


def test_hidden_noise_is_not_raised() -> None:
    assert text_of("10<sup>9<span style='display:none'>x</span></sup>", drop_hidden=True) == "10⁹"


@given(st.text(max_size=30))
def test_moving_text_twice_moves_it_once_and_loses_nothing(text: str) -> None:
    for move in (raised, lowered):
        assert len(move(text)) >= len(text.strip())
        if not move(text).startswith(("^(", "_(")):
            assert move(move(text)) == move(text)


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


def test_reads_deeply_nested_page() -> None:
    assert text_of("<b>" * 3000 + "高血压") == "高血压"


def test_reads_page_of_endless_superscripts() -> None:
    assert text_of("<sup>" * 3000 + "高血压") == "高血压"


def test_images_are_counted() -> None:
    assert images_in("<p>如图<img src=a.png></p><IMG src=b.png>") == 2


def test_a_label_without_value_keeps_its_number() -> None:
    values = labelled([("哪些症状：", " 头晕、头痛 "), ("是否传染：", ""), ("挂什么科：", "内科")], "left")
    assert [(value.label, value.value, value.position) for value in values] == [
        ("哪些症状：", "头晕、头痛", "left:1"),
        ("挂什么科：", "内科", "left:3"),
    ]


def test_a_page_is_read_by_the_lines_that_its_elements_make() -> None:
    page = "<!DOCTYPE html><html><body><nav>首页</nav><pre>1、甲\n  A.乙\nB.<b>丙</b></pre><footer>版权</footer><p>丁\n戊</p></body></html>"
    assert text_of(page).split("\n") == ["首页", "1、甲", "A.乙", "B.丙", "版权", "丁 戊"]
