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
