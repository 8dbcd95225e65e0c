"""States are read wherever and however pages carry them, and nothing that stands in a script makes the reader fail."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsel import Selector

from crawlers.html.page_state import CONTAINERS, parsed, states

VALUE = {"name": "偏头痛", "html": "<p>病</p>", "n": [1, None, True]}
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def script(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")


def found(html: str) -> list[Any]:
    return list(states(Selector(html)))


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize(
    "form",
    [
        "<script>window.{name} = {value};window.more = {{}};</script>",
        "<script>{name}={value}</script>",
        '<script type="text/javascript">self["{name}"]={value};(function(){{}}())</script>',
        "<script>if (window.{name} == null) {{}} window.{name} = {value}</script>",
        '<script id="{name}" type="application/json">{value}</script>',
        '<script id="{name}" type="application/json">{quoted}</script>',
        "<script>window.{name} = JSON.parse({twice});</script>",
        "<script>window.{name} = JSON.parse(decodeURIComponent('{quoted}'));</script>",
    ],
)
def test_a_state_is_read_to_where_it_ends(name: str, form: str) -> None:
    html = form.format(name=name, value=script(VALUE), quoted=quote(script(VALUE)), twice=script(script(VALUE)))
    assert found(html) == [VALUE]


def test_the_containers_come_in_their_order() -> None:
    html = "".join(f"<script>window.{name} = [{place}]</script>" for place, name in reversed(list(enumerate(CONTAINERS))))
    assert found(html) == [[place] for place in range(len(CONTAINERS))]


@pytest.mark.parametrize(
    "literal, value",
    [
        ('{"a":undefined,"b":"undefined"}', {"a": None, "b": "undefined"}),
        (r'{"a":"\x41\u0042\'"}', {"a": "AB'"}),
        (r"""JSON.parse('{"a":"it\'s \\"so\\""}')""", {"a": 'it\'s "so"'}),
        ("{&quot;a&quot;:1}", {"a": 1}),
        ('{"a":"\\ud800"}', {"a": "\ufffd"}),
        ('"[1]"', [1]),
        ("7", None),
        ('"no json"', None),
        ("{a:1}", None),
        ("", None),
    ],
)
def test_literals_of_scripts(literal: str, value: Any) -> None:
    assert parsed(literal) == value


@pytest.mark.parametrize(
    "text",
    [
        "{broken",
        "[" * 100_000,
        "9" * 5000,
        "'" + "\\" * 9999,
        '"' * 9999,
        "JSON.parse(" * 50,
        "_ROUTER_DATA=" * 20_000,
        "%" * 9999,
        "\\x" * 9999,
    ],
    ids=range(9),
)
def test_a_page_without_readable_state_has_none(text: str) -> None:
    assert found(f"<script>window._ROUTER_DATA = {text}</script>") == []
    assert found(f'<script id="RENDER_DATA">{text}</script>') == []


def test_a_name_within_a_name_is_another() -> None:
    assert found("<script>window.MY_ROUTER_DATA = {}; var _ROUTER_DATA_2 = {}; x._SSR_DATA == {};</script>") == []


@pytest.mark.slow
@settings(deadline=None)
@given(JSON_VALUES.filter(lambda value: isinstance(value, dict | list)), st.text(max_size=30).filter(lambda text: "<" not in text))
def test_any_state_is_read_despite_following_script(value: Any, behind: str) -> None:
    assert parsed(script(value) + ";" + behind) == json.loads(script(value))


@given(st.text(alphabet="{}[]\"\\'%:,ax0<>/undefi JSON.parse()", max_size=200))
def test_no_script_makes_the_reader_fail(text: str) -> None:
    parsed(text)
    found(f"<script>_SSR_DATA = {text}</script>")
