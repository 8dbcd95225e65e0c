"""Extract the initial state in a page's scripts as JSON values, without running any script."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from itertools import islice
from typing import Any
from urllib.parse import unquote

from parsel import Selector
from scrapy.http import Response, TextResponse

from crawlers.html.readable import is_json
from crawlers.text.fields import sound_json

CONTAINERS = (
    "_ROUTER_DATA", "_SSR_DATA", "__MODERN_ROUTER_DATA__", "__MODERN_SSR_DATA__", "__NEXT_DATA__", "__INITIAL_STATE__", "RENDER_DATA",
)  # fmt: skip
"""Names that frameworks give to the state, as the id of a script or as a variable; RENDER_DATA is percent-encoded."""
_SCRIPT_TYPES = {None, "", "text/javascript", "application/javascript", "module"}
_CALLS = re.compile(r"(?:(?:JSON\.parse|decodeURIComponent|decodeURI)\s*\(\s*)++")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|(?<![\w$.])undefined(?![\w$])', re.DOTALL)
_SCRIPT_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|[^\"\\/bfnrtu])|(\\.)", re.DOTALL)
_MAX_ASSIGNMENTS = 4
_MAX_WRAPPINGS = 4
"""Maximum nesting of JSON in strings, calls and URL encoding."""


def values_of(response: Response) -> list[Any]:
    """Return the JSON values in a page, which may itself be JSON; empty if it cannot be read."""
    if not isinstance(response, TextResponse) or not response.body.strip():
        return []
    if is_json(response):
        with suppress(ValueError, RecursionError):
            return [json.loads(response.text)]
        return []
    return list(states(response)) if response.selector.type == "html" and response.selector.root is not None else []


def named_parts(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield a value and all values inside it, each with its path of keys; `[]` stands for any list index."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while waiting:
        name, one = waiting.pop()
        yield name, one
        if isinstance(one, dict):
            waiting += [((*name, str(key)), inner) for key, inner in one.items()]
        elif isinstance(one, list):
            waiting += [((*name, "[]"), inner) for inner in one]


def states(page: Response | Selector) -> Iterator[Any]:
    """Yield the readable states of a page, in the order of CONTAINERS."""
    # Not `script.attrib`, which fails on an attribute with a broken name.
    scripts = [(script.root.get("id"), script.root.get("type"), "".join(script.css("::text").getall())) for script in page.css("script")]
    for name in CONTAINERS:
        assigned = re.compile(rf"(?<![\w$]){name}[\"']?\]?\s*=(?!=)\s*")
        for identity, kind, text in scripts:
            starts = [0] if identity == name else []
            if not starts and kind in _SCRIPT_TYPES:
                starts = [match.end() for match in islice(assigned.finditer(text), _MAX_ASSIGNMENTS)]
            # The first readable value counts: a script may mention the variable before assigning it.
            value = next((value for start in starts if (value := parsed(text[start:])) is not None), None)
            if value is not None:
                yield value


def parsed(text: str) -> Any:
    """Return the object or list at the beginning of a text, however it is wrapped, even if script follows; None if there is none."""
    for _ in range(_MAX_WRAPPINGS):
        text = text.strip()
        if calls := _CALLS.match(text):
            text = text[calls.end() :]
        if text.startswith("%"):
            text = unquote(text)
        value = _first_value(text)
        if not isinstance(value, str):
            return value if isinstance(value, dict | list) else None
        text = value
    return None


def _first_value(text: str) -> Any:
    for form in (str, _as_json, unescape):  # most reliable first
        try:
            return json.JSONDecoder().raw_decode(sound_json(form(text)))[0]
        except (ValueError, RecursionError):  # not JSON, a number with thousands of digits, or excessive nesting
            continue
    return None


def _as_json(text: str) -> str:
    """Convert a JavaScript literal to JSON: replace undefined with null, single quotes with double quotes, and JavaScript-only escapes."""
    if text.startswith("'"):
        end = re.match(r"'(?:[^'\\]|\\.)*+'", text, re.DOTALL)
        inner = end[0][1:-1] if end else ""
        text = '"' + re.sub(r'\\.|"', lambda match: '\\"' if match[0] == '"' else match[0], inner, flags=re.DOTALL) + '"'
    return _TOKEN.sub(lambda match: "null" if match[0] == "undefined" else _SCRIPT_ESCAPE.sub(_json_escape, match[0]), text)


def _json_escape(match: re.Match[str]) -> str:
    if match[2]:
        return match[2]
    return f"\\u00{match[1][1:]}" if match[1][0] == "x" and len(match[1]) > 1 else match[1]


def dicts(state: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a state, outer before inner ones."""
    left = [state]  # no recursion: a state may be nested deeper than Python's call stack allows
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield value
        left += reversed([*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else [])
