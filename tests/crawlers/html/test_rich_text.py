"""Rich text in the forms of editors reads like the HTML they would show."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.sources.xiaohe.state import as_html, has_markup
from crawlers.text.fields import text_of

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "text", "children", "items", "data", "content", "attributes", "insert", "x"]), inner)
    ),
    max_leaves=30,
)


@pytest.mark.parametrize(
    "value, text",
    [
        ("<p>甲</p><p>乙&nbsp;</p>", "甲\n乙\xa0"),
        ("p<0.05 且 n>3", "p<0.05 且 n>3"),
        ("甲\n乙", "甲\n乙"),
        (["甲", "乙"], "甲\n乙"),
        (
            [{"type": "p", "children": [{"text": "甲"}, {"text": "乙", "bold": True}]}, {"type": "p", "children": [{"text": "丙"}]}],
            "甲乙\n丙",
        ),
        ({"blocks": [{"type": "unstyled", "text": "甲"}, {"type": "header-two", "text": "乙"}]}, "甲\n乙"),
        ({"ops": [{"insert": "甲\n"}, {"insert": {"image": "x.png"}}, {"insert": "乙", "attributes": {"list": "bullet"}}]}, "甲\n乙"),
        ({"type": "list", "data": {"items": ["甲", {"content": "乙", "items": ["丙"]}]}}, "甲\n乙\n丙"),
        ('[{"type":"p","text":"甲"}]', "甲"),
        ("[1]", "1"),
        ("[详细]", "[详细]"),
        ({"text": 3.5}, "3.5"),
        (None, ""),
        (True, ""),
        ({}, ""),
    ],
)
def test_forms_of_rich_text(value: Any, text: str) -> None:
    assert text_of(as_html(value)) == text


def test_lists_and_headings_keep_their_kind() -> None:
    html = as_html([{"type": "heading-three", "children": [{"text": "常见病因"}]}, {"type": "list-item", "children": [{"text": "遗传"}]}])
    assert html == "<h3>常见病因</h3><ul><li>遗传</li></ul>"


@pytest.mark.parametrize(
    "text, answer", [("a<b", False), ("<p>", False), ("a<br>b", True), ("</p>", True), ("&nbsp;", True), ("R&D;", False)]
)
def test_distinguishes_markup_from_plain_text(text: str, answer: bool) -> None:
    assert has_markup(text) is answer


def test_omits_endless_nesting() -> None:
    value: Any = "底"
    for _ in range(3000):
        value = [value]
    assert as_html(value) == ""


@pytest.mark.slow
@settings(deadline=None)
@given(JSON_VALUES)
def test_any_value_is_read(value: Any) -> None:
    text_of(as_html(value))


@given(st.lists(st.text(alphabet="病<>&;a\"' /p", min_size=1).filter(lambda text: not has_markup(text)), max_size=4))
def test_plain_text_in_blocks_comes_back(words: list[str]) -> None:
    html = as_html([{"type": "paragraph", "children": [{"text": f"甲{word}乙"}]} for word in words])
    assert text_of(html).split("\n") == [text_of(as_html(f"甲{word}乙")) for word in words] or not words
