"""Tags and entities go, and those alone; what is left of them validation would refuse, so nothing is left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.normalize import normalize
from curation.validate.tables import is_clean

MARKUP = [
    *("<b>", "</b>", "<B CLASS=x>", "<br/>", "<p", ">", "<", "/>", "</", "<script>", "<script src='x'>", "<iframe src=x>", "<h2>", "<o:p>"),
    *("&", "amp;", "&amp;", "&lt;", "&gt;", "&nbsp;", "&nbsp", "&#60;", "&#x3c;", "&#0;", "&foo;"),
    *("<!--", "-->", "sup>", "9", "甲", " ", "x"),
]
TEXTS = ["若a<b且c>d，则", "P<0.05，r>0.3", "量表<SDS>的总分", "若X<a，Y>b，则", "查询<a;b>的值", "AT&T;公司", "&foo;与&bar;"]


@pytest.mark.parametrize("text", TEXTS)
def test_what_only_looks_like_markup_stays(text: str) -> None:
    assert "tags" not in normalize(text).rules and "entities" not in normalize(text).rules
    assert is_clean(normalize(text).text)


@pytest.mark.parametrize(
    "tag", ["<script>", "<iframe src='x'>", "<svg onload=x>", "<meta x>", "</body>", "<H2>", "<br/>", "<td colspan=2>"]
)
def test_a_tag_alone_goes(tag: str) -> None:
    assert not is_clean(f"甲{tag}乙") or tag.startswith(("<svg", "</body"))
    assert normalize(f"甲{tag}乙").text.replace("\n", "") == "甲乙"


@given(st.lists(st.sampled_from(MARKUP), max_size=12))
def test_no_markup_is_left_that_validation_refuses(pieces: list[str]) -> None:
    text = normalize("".join(pieces)).text
    assert is_clean(text.replace("\ufffd", "字")), text  # a lost character is a reason of its own


def test_a_tag_that_never_ends_takes_no_quadratic_time() -> None:
    assert is_clean("<script " * 125_000)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("根据《关于印发<工作人员收入分配制度改革实施办法>的通知》", "根据《关于印发〈工作人员收入分配制度改革实施办法〉的通知》"),
        ("《关于颁发<离休暂行办法>和<退休暂行办法>的通知》", "《关于颁发〈离休暂行办法〉和〈退休暂行办法〉的通知》"),
        ("《<b>心理学</b>》", "《心理学》"),
        ("见<教育法>", "见《教育法》"),
        ("要在成员名前加<类名>和运算符", "要在成员名前加<类名>和运算符"),
        ("格式为<初始化方法>，<算法>", "格式为<初始化方法>，<算法>"),
        ("#include <iostream>中的vector<int>", "#include <iostream>中的vector<int>"),
    ],
)
def test_angle_brackets_are_titles_where_that_is_sure(text: str, clean: str) -> None:
    assert normalize(text).text == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("网页中&lt;title&gt;标签的作用是", "网页中〈title〉标签的作用是"),
        ("网页中<br>标签的作用是", "网页中〈br〉标签的作用是"),
        ("用<head>和<body>标签", "用〈head〉和〈body〉标签"),
        ("标签<table>的属性", "标签〈table〉的属性"),
        ("A.<a>", "A.〈a〉"),
        ("<p>标签用于</p>", "标签用于"),
        ("<strong>标签</strong>", "标签"),
        ("甲<br>", "甲"),
        ("<ruby>感<rp>(</rp><rt>gǎn</rt><rp>)</rp>觉<rt>jué</rt></ruby>", "感觉"),
        ("<br>", ""),
    ],
)
def test_tags_that_a_text_speaks_of_are_no_markup(text: str, clean: str) -> None:
    assert normalize(text).text == clean and is_clean(clean)
